#!/usr/bin/env python3
"""magicwire study plot and page: pictures of a database, the page in node and in a browser where there is one, and refusals."""
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree

from cli_cases import BAD_INPUT, TASK, USAGE, case, equal, main, refuses, succeeds

FARM = "version: 1\nname: f\nmachine: chain:3\nfarm: {nodes: 3, tree: chain, tasks: 5}\napplication: {tasks: t.dat}\n"
STUDY = """version: 1
name: small
scenario: farm.yaml
axes:
  farm.tree: [chain, binary]
  farm.tasks: [1, 4, 30]
  seed: {from: 1, to: 3}
measures:
  us: execution_us
  rate: = 1e6 / us
  end: end
"""


def database(box, text=STUDY):
    box.write("farm.yaml", FARM)
    box.write("t.dat", TASK)
    succeeds(box.run("study", box.write("s.yaml", text), "--progress", "never"))
    return "s.db"


def svg(box, name):
    """The texts of an SVG, which is well-formed."""
    root = xml.etree.ElementTree.fromstring(box.read(name))
    assert root.tag.endswith("svg"), root.tag
    return [text for text in ("".join(element.itertext()).strip() for element in root.iter() if element.tag.endswith("text")) if text]


def quiet(result):
    equal((result.returncode, result.stdout, result.stderr), (0, "", ""), "a picture that is drawn")


def put_many(box, points):
    """A database with the rows of s.db again and again, as a long study would make it."""
    with sqlite3.connect(box.folder / "s.db") as base:
        base.execute("UPDATE study SET points = ?", (points,))
        (have,) = base.execute("SELECT count(*) FROM points").fetchone()
        for table, columns in (("points", "exit_code, failure, stderr, run_hash, inputs, repeat"), ("settings", "axis, value"), ("measures", "measure, value"),
                               ("times", "seconds, processor_seconds, host")):
            base.execute(f"""WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {points // have})
                             INSERT INTO {table}(point, {columns}) SELECT point + i * {have}, {columns} FROM {table}, n WHERE point + i * {have} <= {points}""")


@case
def curves_have_axes_units_a_key_and_their_spread(box):
    quiet(box.run("study", "plot", database(box), "--x", "farm.tasks", "--y", "us", "--by", "farm.tree", "-o", "a.svg"))
    texts = svg(box, "a.svg")
    for text in ("farm.tasks", "us (us)", "farm.tree=chain", "farm.tree=binary"):
        assert text in texts, (text, texts)
    assert "small  |  mean, least to most, over seed" in " ".join(texts) or "small | mean, least to most, over seed" in " ".join(texts).replace("  ", " "), texts
    first = box.read("a.svg")
    quiet(box.run("study", "plot", "s.db", "--x", "farm.tasks", "--y", "us", "--by", "farm.tree", "-o", "a.svg", "-f"))
    equal(box.read("a.svg"), first, "the same picture again")
    quiet(box.run("study", "plot", "s.db", "--x", "farm.tree", "--y", "us,rate", "--median", "--log", "y", "--where", "seed=2", "-o", "b.svg"))
    assert {"chain", "binary", "rate"} <= set(svg(box, "b.svg")), svg(box, "b.svg")
    quiet(box.run("study", "plot", "s.db", "--x", "farm.tasks", "--y", "us", "-o", "c.png"))
    equal((box.folder / "c.png").read_bytes()[1:4], b"PNG", "kind of picture")


@case
def a_heat_map_has_a_cell_for_each_pair(box):
    quiet(box.run("study", "plot", database(box), "--heat", "farm.tasks,farm.tree,rate", "-o", "m.svg"))
    texts = svg(box, "m.svg")
    with sqlite3.connect(box.folder / "s.db") as base:
        for (mean,) in base.execute('SELECT avg(rate) FROM results GROUP BY "farm.tree", "farm.tasks"'):
            assert f"{mean:.4g}" in texts, (f"{mean:.4g}", texts)
    quiet(box.run("study", "plot", "s.db", "--heat", "farm.tasks,farm.tree,rate", "--log", "colours", "-o", "l.svg"))


@case
def pictures_that_cannot_be_are_refused(box):
    name = database(box)
    plot = ["study", "plot", name]
    for arguments, message in (
        (["--x", "farm.task", "--y", "us", "-o", "a.svg"],
         "--x: 'farm.task' is no axis of this study, did you mean 'farm.tasks'?; there are farm.tree, farm.tasks, seed"),
        (["--x", "seed", "--y", "end", "-o", "a.svg"], "--y: 'end' has no number in these points; those that have: us, rate"),
        (["--x", "seed", "--y", "us", "--by", "seed", "-o", "a.svg"], "--by: the axis is that of --x already; name another, or leave --by out"),
        (["--x", "seed", "--y", "us", "-o", "a.pdf"], "a.pdf: this kind of picture cannot be drawn; use a name that ends with .svg or .png"),
        (["--x", "farm.tree", "--y", "us", "--log", "x", "-o", "a.svg"], "--log: the values of farm.tree are no numbers; leave x out"),
        (["--x", "seed", "--y", "us", "--where", "seed=4", "-o", "a.svg"], "--where: no stored point has seed=4; there are 1, 2, 3"),
        (["--x", "seed", "--y", "us", "--where", "seed", "-o", "a.svg"], "--where seed: expected AXIS=VALUE, for example --where farm.buffers=2"),
        (["--heat", "seed,seed,us", "-o", "a.svg"], "--heat: name two different axes, and a measure"),
    ):
        refuses(box, plot + arguments, message)
    for arguments in (["-o", "a.svg"], ["--x", "seed", "-o", "a.svg"], ["--x", "seed", "--y", "us"], ["--heat", "seed,us", "-o", "a.svg"],
                      ["--heat", "seed,farm.tree,us", "--x", "seed", "-o", "a.svg"], ["--heat", "seed,farm.tree,us", "--log", "x", "-o", "a.svg"],
                      ["--x", "seed", "--y", "us", "--log", "colours", "-o", "a.svg"]):
        result = box.run(*plot, *arguments)
        equal((result.returncode, result.stdout), (USAGE, ""), " ".join(arguments))
    box.write("there.svg", "mine")
    result = box.run(*plot, "--x", "seed", "--y", "us", "-o", "there.svg")
    equal((result.returncode, box.read("there.svg")), (BAD_INPUT, "mine"), "a file that is there")
    refuses(box, ["study", "show", name, "--where", "farm.tree=ring"], "--where: no stored point has farm.tree=ring; there are chain, binary")


@case
def a_farm_that_did_not_finish_counts_in_no_mean(box):
    box.write("plan.faults", "version: 1\nfaults:\n  - {die: n1, at: 1us}\n")
    box.write("none.faults", "version: 1\nfaults: []\n")
    name = database(box, STUDY.replace("  farm.tree: [chain, binary]\n", "  faults: [none.faults, plan.faults]\n").replace("  seed: {from: 1, to: 3}\n", "")
                    .replace("  rate: = 1e6 / us\n", ""))
    rows = json.loads(succeeds(box.run("study", "show", name, "--json")))["rows"]
    dead = [row for row in rows if row["settings"]["faults"] == "plan.faults"]
    assert dead and all("us" not in row["measures"] or row["measures"]["us"] is None for row in dead), dead
    pivot = succeeds(box.run("study", "show", name, "--pivot", "faults,us")).splitlines()
    assert pivot[2].split() == ["plan.faults", "-"], pivot
    quiet(box.run("study", "plot", name, "--x", "farm.tasks", "--y", "us", "-o", "a.svg"))
    assert "3 of 6 points have no value" in " ".join(svg(box, "a.svg")), svg(box, "a.svg")


def page_run(box, name):
    node = shutil.which("node")
    if node is None:
        print("        node is not installed: the page's JavaScript was not run")
        return None
    run = subprocess.run([node, box.source / "tests/cli/study_page_run.js", name], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         timeout=60, check=False)
    equal(run.stderr, "", "what node says")
    return json.loads(run.stdout)


@case
def the_page_is_whole_and_needs_no_network(box):
    quiet(box.run("study", "page", database(box), "-o", "p.html"))
    page = box.read("p.html")
    assert not re.search(r"https?://|@import|url\(|fetch\(|XMLHttp", page)
    assert "@DATA@" not in page and "@SCRIPT@" not in page and "@CHARTS@" not in page
    quiet(box.run("study", "page", "s.db", "-o", "p.html", "-f"))
    equal(box.read("p.html"), page, "the same page again")
    quiet(box.run("study", "page", "s.db", "--where", "seed=2", "-o", "two.html"))
    for script in ("study_charts.js", "study_page.js"):
        if shutil.which("node"):
            subprocess.run(["node", "--check", box.source / "runs/study_pictures/page" / script], check=True, timeout=60)


@case
def the_page_sorts_filters_draws_and_copies(box):
    quiet(box.run("study", "page", database(box), "-o", "p.html"))
    seen = page_run(box, "p.html")
    if seen is None:
        return
    equal(seen["shown"]["told"], "18 of 18 points", "choice at first")
    equal(seen["shown"]["subtitle"], "18 of 18 points, none failed", "subtitle")
    equal(seen["shown"]["rows"], list(range(1, 19)), "rows")
    equal(seen["falling"], list(range(18, 0, -1)), "rows the other way round")
    equal((seen["second"]["told"], seen["second"]["rows"]), ("9 of 18 points", list(range(10, 19))), "one value of an axis")
    equal(seen["none"]["told"], "0 of 18 points", "no row")
    assert "No point is chosen." in seen["none"]["curves"], seen["none"]["curves"]
    assert seen["shown"]["curves"].startswith("<svg") and "farm.tasks" in seen["shown"]["curves"], seen["shown"]["curves"][:200]
    assert seen["shown"]["heat"].startswith("<svg"), seen["shown"]["heat"][:200]
    assert "NaN" not in seen["shown"]["curves"] + seen["shown"]["heat"] + seen["logarithmic"]
    for picture in (seen["shown"]["curves"], seen["shown"]["heat"], seen["logarithmic"]):
        xml.etree.ElementTree.fromstring(picture)
    equal(seen["copied"], ["magicwire run farm.yaml --set farm.tree=chain --set farm.tasks=1 --set seed=1"], "copied")
    with sqlite3.connect(box.folder / "s.db") as base:
        (us,) = base.execute("SELECT us FROM results WHERE point = 1").fetchone()
    assert f">{us:g}</td>" in seen["shown"]["table"], seen["shown"]["table"][:600]


@case
def names_that_are_html_stay_text(box):
    evil = "</script><img src=x onerror=alert(1)>\"'&"
    database(box)
    with sqlite3.connect(box.folder / "s.db") as base:
        base.execute("UPDATE study SET name = ?", (evil,))
        base.execute("UPDATE settings SET value = ? WHERE axis = 0 AND value = 'chain'", (evil,))
        base.execute("UPDATE axes SET name = ? WHERE axis = 0", (evil,))
        base.execute("UPDATE measures SET value = ? WHERE measure = 2", (evil,))
        base.execute("UPDATE points SET failure = ?, repeat = ? WHERE point = 3", (evil, evil))
    quiet(box.run("study", "page", "s.db", "-o", "p.html"))
    assert "<img" not in box.read("p.html")
    seen = page_run(box, "p.html")
    if seen is not None:
        for part in ("table", "curves", "heat", "failures"):
            assert "<img" not in seen["shown"][part], seen["shown"][part][:400]
        xml.etree.ElementTree.fromstring(seen["shown"]["curves"])
    quiet(box.run("study", "plot", "s.db", "--x", "farm.tasks", "--y", "us", "--by", evil, "-o", "a.svg"))
    assert any("onerror" in text for text in svg(box, "a.svg")), svg(box, "a.svg")
    quiet(box.run("study", "plot", "s.db", "--heat", f"farm.tasks,{evil},us", "-o", "m.svg"))
    svg(box, "m.svg")


@case
def twenty_thousand_rows_are_a_page_that_draws_what_is_seen(box):
    database(box)
    put_many(box, 20_000)
    quiet(box.run("study", "page", "s.db", "-o", "p.html"))
    assert len(box.read("p.html")) < 8_000_000
    seen = page_run(box, "p.html")
    if seen is None:
        return
    equal(seen["shown"]["told"], "20000 of 20000 points", "choice at first")
    assert len(seen["shown"]["rows"]) < 100 and len(seen["scrolled"]) < 100, (len(seen["shown"]["rows"]), len(seen["scrolled"]))
    equal(seen["scrolled"][10], 1001, "first row that is seen after scrolling by a thousand")


@case
def the_page_opens_in_a_browser(box):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("        no chromium here: the page was not opened in a browser")
        return
    quiet(box.run("study", "page", database(box), "-o", "p.html"))
    shown = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={box.folder / 'profile'}", "--dump-dom",
                            f"file://{box.folder / 'p.html'}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=100, check=True).stdout
    assert "18 of 18 points, none failed" in shown and shown.count("<svg") >= 2 and len(re.findall(r"data-copy=.\d+. title", shown)) == 18, shown[-2000:]


if __name__ == "__main__":
    sys.exit(main(__doc__))
