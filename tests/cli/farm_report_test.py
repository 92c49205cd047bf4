#!/usr/bin/env python3
"""The farm report as a user gets it: JSON against its schema, the text, and the page: whole, without anything from a network, with the
same figures as the JSON, and with JavaScript that runs (where node is installed).

    farm_report_test.py --magicwire FILE --source DIR [NAME ...]
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from html.parser import HTMLParser
from pathlib import Path

import jsonschema

CASES = []
NODE = shutil.which("node") or shutil.which("nodejs")
VOID = {"meta", "br", "hr", "img", "input", "link"}
DC8 = "examples/thesis/dc8.yaml"


def case(function):
    CASES.append(function)
    return function


class Box:
    def __init__(self, magicwire, source, folder):
        self.magicwire, self.source, self.folder = magicwire, source, folder

    def run(self, *arguments):
        done = subprocess.run([self.magicwire, "run", *map(str, arguments), "--exit-zero"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=100, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def report(self, *arguments):
        report = json.loads(self.run(*arguments, "--report", "json"))
        schema = json.loads((self.source / "schemas/farm_report.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(report, schema)
        return report

    def page(self, *arguments):
        self.run(*arguments, "--report-page", "page.html")
        return (self.folder / "page.html").read_text(encoding="utf-8")

    def drawn(self, *arguments):
        """What the page's JavaScript makes of a run; None without node."""
        self.page(*arguments)
        if NODE is None:
            print("        node is not installed: the page's JavaScript was not run")
            return None
        run = subprocess.run([NODE, self.source / "tests/cli/farm_page_run.js", "page.html"], cwd=self.folder, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    def scenario(self, farm, task="0  20 10 0  5000 10 0  10 10 0  100 10 0  100 10 0\n", machine="btree_8", more=""):
        (self.folder / "t.dat").write_text(task, encoding="utf-8")
        machine = self.source / f"topologies/machines/{machine}.yaml"
        (self.folder / "s.yaml").write_text(
            f"version: 1\nname: small\nmachine: {machine}\nfarm: {{{farm}}}\napplication: {{tasks: t.dat}}\n{more}", encoding="utf-8")
        return "s.yaml"


class Wellformed(HTMLParser):
    """Elements that are opened are closed in order, and no id is there twice."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.outside = [], [], []

    def handle_starttag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]
        self.outside += [f"{tag} {name}" for name, value in attrs if name in ("src", "href", "action", "data")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()


def embedded(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


@case
def the_json_holds_against_its_schema_and_adds_up(box):
    report = box.report(box.scenario("nodes: 8, tree: binary, tasks: 120"))
    nodes = report["nodes"]
    assert report["completed"] == 120 and report["finished"]
    assert sum(node["computed"] for node in nodes) == 120
    assert [node["node"] for node in nodes] == list(range(8)) and nodes[0]["parent"] is None and nodes[5]["parent"] == 2
    assert [link["tasks"] for link in report["links"]] == [link["results"] for link in report["links"]]
    below_1 = sum(node["computed"] for node in nodes[2:])
    assert nodes[1]["tasks_forwarded"] == nodes[1]["results_forwarded"] == below_1
    for node in nodes:
        used = node["computing_us"] + node["high_us"] + node["idle_us"]
        assert abs(used - report["window_us"]) <= 200, node
    phases = report["phases"]
    assert abs(phases["start_up_us"] + phases["steady_us"] + phases["wind_down_us"] + phases["post_process_us"] - phases["total_us"]) <= 3, phases
    assert sum(report["over_time"]["results"]) == 120


@case
def seven_workers_on_five_ms_tasks_make_nearly_seven_times_two_hundred_a_second(box):
    report = box.report(box.scenario("nodes: 8, tree: binary, tasks: 200"))
    assert 1250 < report["rate"]["steady_per_s"] < 1400, report["rate"]
    assert report["limit"]["kind"] == "workers", report["limit"]
    assert "n1 spends most on messages" in report["limit"]["reason"], report["limit"]


@case
def large_tasks_are_limited_by_the_managers_link(box):
    scenario = box.scenario("nodes: 8, tree: binary, tasks: 200")
    path = box.folder / scenario
    path.write_text(path.read_text(encoding="utf-8").replace("{tasks: t.dat}", "{tasks: t.dat, task_bytes: 8000, result_bytes: 100}"), encoding="utf-8")
    limit = box.report(scenario)["limit"]
    assert limit["kind"] == "link" and limit["node"] == 0 and limit["reason"].startswith("the link n0 to n1 carries messages 9"), limit


def long_results(box):
    scenario = box.scenario("nodes: 4, tree: chain, tasks: 1200, buffers: 3", "0  0 0 0  600 0 0  0 0 0  0 0 0  0 0 0\n", "chain_6")
    path = box.folder / scenario
    path.write_text(path.read_text(encoding="utf-8").replace("{tasks: t.dat}", "{tasks: t.dat, task_bytes: 300, result_bytes: 1500}"), encoding="utf-8")
    return scenario


@case
def results_that_are_longer_than_tasks_wait_in_a_column_of_their_own_and_not_without_bound(box):
    report = box.report(long_results(box))
    waiting = [node["longest_results"] for node in report["nodes"]]
    assert 12 < waiting[1] <= 36 and max(waiting) == waiting[1], waiting
    assert report["nodes"][1]["most_result_bytes"] == 1516 * waiting[1], report["nodes"][1]
    assert abs(report["rate"]["steady_per_s"] / report["rate"]["whole_per_s"] - 1) < 0.01, report["rate"]
    assert re.search(rf"^  n1 .* {waiting[1]}$", box.run("s.yaml", "--report", "text"), re.M)


@case
def a_slow_receiver_is_in_the_total_and_no_share_is_above_one(box):
    report = box.report(box.scenario("nodes: 6, tree: binary, tasks: 300", "0  0 0 0  2000 0 0  5000 0 0  0 0 0  0 0 0\n"))
    assert report["phases"]["total_us"] >= 300 * 5000, report["phases"]
    assert report["phases"]["post_process_us"] >= 5000, report["phases"]
    assert all(node["computing_share"] + node["high_share"] <= 1.0001 for node in report["nodes"]), report["nodes"]
    assert 190 < report["rate"]["steady_per_s"] < 200, report["rate"]
    assert report["limit"]["kind"] == "manager", report["limit"]
    assert report["nodes"][0]["longest_results"] > 100, report["nodes"][0]


@case
def very_short_tasks_are_limited_by_the_manager_or_its_link(box):
    report = box.report(box.scenario("nodes: 8, tree: binary, tasks: 200", "0  20 10 0  140 10 0  10 10 0  100 10 0  100 10 0\n"))
    assert report["limit"]["kind"] in ("manager", "link", "forwarding"), report["limit"]
    assert report["limit"]["node"] in (0, 1), report["limit"]


@case
def too_few_tasks_have_no_steady_state_and_the_text_says_so(box):
    scenario = box.scenario("nodes: 8, tree: binary, tasks: 3")
    report = box.report(scenario)
    assert report["rate"]["steady_per_s"] is None and report["limit"]["kind"] == "unknown"
    assert report["phases"]["never_began"] >= 4, report["phases"]
    text = box.run(scenario, "--report", "text")
    assert "no steady rate: too few results" in text and "never did)" in text, text


@case
def the_text_follows_the_summary_within_128_columns(box):
    text = box.run(box.source / DC8, "--report", "text")
    assert text.index("run hash") < text.index("Farm report of dc8 on btree_8") < text.index("Certain: task 49")
    assert "tasks        95 of 100 came back" in text
    assert re.search(r"^  n4 +n2 +7 .* silent$", text, re.M), text
    own = text[text.index("Farm report"):text.index("Certain:")]
    assert max(map(len, own.splitlines())) <= 128


@case
def a_prediction_stands_beside_what_was_achieved(box):
    report = box.report(box.scenario("nodes: 8, tree: binary, tasks: 200"), "--predict")
    predicted, rate = report["predicted"], report["rate"]["steady_per_s"]
    assert abs(predicted["steady_error"] - (rate / predicted["steady_per_s"] - 1)) < 1e-5, predicted
    assert abs(predicted["steady_error"]) < 0.05, predicted
    assert abs(sum(node["predicted_tasks"] for node in report["nodes"]) - 200) < 1, report["nodes"]
    text = box.run("s.yaml", "--predict", "--report", "text")
    assert re.search(r"rate +[\d.]+ tasks/s steadily; predicted [\d.]+, achieved [\d.]+ % (less|more)", text), text
    drawn = box.drawn("s.yaml", "--predict")
    assert drawn is None or ("predicted " in drawn["tiles"] and "Predicted: n" in drawn["limit"]), drawn


@case
def tasks_of_a_node_that_died_are_reported_as_issued_again(box):
    (box.folder / "die.faults").write_text("version: 1\nfaults: [{die: n2, on: {task: 100, step: start}}]\n", encoding="utf-8")
    scenario = box.scenario("nodes: 8, tree: binary, tasks: 400, survives: yes", more="faults: die.faults\n")
    report = box.report(scenario)
    assert report["completed"] == 400 and report["farm"]["survives"], report["completed"]
    assert report["reissued"] and all(again["child"] in (2, 4, 5) for again in report["reissued"]), report["reissued"]
    assert "reissued     " in box.run(scenario, "--report", "text")
    assert not report["nodes"][2]["answers"]


@case
def bundles_count_as_their_tasks(box):
    report = box.report(box.scenario("nodes: 8, tree: binary, tasks: 101, granularity: 10"))
    assert report["completed"] == 101 == sum(node["computed"] for node in report["nodes"])
    assert report["links"][0]["tasks"] == 11 and report["farm"]["granularity"] == 10


@case
def nodes_outside_the_farm_are_nowhere(box):
    scenario = box.scenario("tree: {n0: [1], n1: [3], n3: [6]}, tasks: 40")
    members = [0, 1, 3, 6]
    assert [node["node"] for node in box.report(scenario)["nodes"]] == members
    summary = json.loads(box.run(scenario, "--json"))
    assert [node["node"] for node in summary["nodes"]] == members
    text = box.run(scenario)
    assert "state        n0-1, n3, n6 answer, none do not" in text, text
    assert re.search(r"^  n6 +\d", text, re.M) and not re.search(r"^  n[2457] +\d", text, re.M), text


@case
def the_summary_of_a_run_holds_the_report(box):
    scenario = box.scenario("nodes: 8, tree: binary, tasks: 20")
    report = box.report(scenario)
    assert json.loads(box.run(scenario, "--json"))["farm"] == report
    box.run(scenario, "--out", "out")
    assert json.loads((box.folder / "out/summary.json").read_text(encoding="utf-8"))["farm"] == report


@case
def the_page_is_whole_and_needs_no_network(box):
    page = box.page(box.source / DC8)
    parser = Wellformed()
    parser.feed(page)
    parser.close()
    assert not parser.open, parser.open
    assert len(parser.ids) == len(set(parser.ids))
    assert not parser.outside, parser.outside
    assert not re.search(r"https?://|@import|url\(|fetch\(|XMLHttp", page)
    assert "@DATA@" not in page and "@SCRIPT@" not in page and "@FIGURES@" not in page


@case
def the_page_has_the_same_figures_as_the_json_and_the_same_bytes_each_time(box):
    first = box.page(box.source / DC8)
    data = embedded(first)
    assert data["report"] == box.report(box.source / DC8)
    assert data["verdict"].startswith("Certain: task 49 stopped in comp_fn()")
    assert {loss["node"] for loss in data["losses"]} == {4, 5, 6, 7}
    assert box.page(box.source / DC8) == first


@case
def the_timeline_of_the_page_has_every_piece_of_work(box):
    data = embedded(box.page(box.source / DC8))
    rows = {row["node"]: row for row in data["timeline"]["rows"]}
    for node in data["report"]["nodes"]:
        work = rows[node["node"]].get("work", [])
        pieces = [work[i:i + 5] for i in range(0, len(work), 5)]
        ended = [sum(1 for piece in pieces if piece[0] == process and piece[4] >= 0) for process in (1, 3, 4)]
        assert ended == [node["computed"], node["split"], node["joined"]], node
    sent = sum(len(row.get("moves", [])) // 4 for row in rows.values())
    assert sent == sum(link["tasks"] + link["results"] for link in data["report"]["links"])


@case
def the_page_draws_what_the_report_says(box):
    drawn = box.drawn(box.source / DC8)
    if drawn is None:
        return
    assert drawn["tree"] == list(range(8)) and drawn["nodes"] == [f"n{i}" for i in range(8)], drawn
    assert drawn["sorted"] == sorted(drawn["sorted"], reverse=True) and drawn["sorted"][0] == 56, drawn["sorted"]
    assert len(drawn["links"]) == 7 and drawn["charts"] == 3
    assert drawn["first"]["drawn"]["fillRect"] > 300, drawn["first"]["drawn"]
    assert {"n0", "n7", "start-up", "steady state", "49/0100"} <= set(drawn["first"]["texts"]), drawn["first"]["texts"]
    assert drawn["zoomed"]["fillRect"] < drawn["first"]["drawn"]["fillRect"]
    assert drawn["all"] == drawn["first"]["texts"]
    assert any("computing task 49/0100" in told and "never ended" in told for told in drawn["told"]), drawn["told"][:20]
    assert "the manager" in drawn["limit"] or "n1" in drawn["limit"]
    assert "never ended" in drawn["legend"] and "splitting" in drawn["legend"]
    assert "95 of 100" in drawn["tiles"] and "Certain: task 49" in drawn["verdict"]


@case
def a_page_of_a_long_run_shows_bins_says_so_and_stays_small(box):
    scenario = box.scenario("nodes: 8, tree: binary, tasks: 52000", "0  1 1 0  1 10 0  1 1 0  1 1 0  1 1 0\n", more="end: {limit: 1000s}\n")
    drawn = box.drawn(scenario)
    page = (box.folder / "page.html").read_text(encoding="utf-8")
    data = embedded(page)
    assert data["timeline"]["kind"] == "bins" and "too many for one page" in data["timeline"]["note"]
    assert len(page) < 4_000_000
    if drawn is None:
        return
    assert drawn["note"] == data["timeline"]["note"]
    assert drawn["first"]["drawn"]["fillRect"] > 1000
    assert any("% of this bin" in told for told in drawn["told"]), drawn["told"][:5]


@case
def a_page_that_cannot_be_written_is_an_error(box):
    scenario = box.scenario("nodes: 8, tree: binary, tasks: 5")
    done = subprocess.run([box.magicwire, "run", scenario, "--report-page", "no/such/page.html"], cwd=box.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 3, done
    assert "no/such/page.html: cannot be created: No such file or directory; name another file" in done.stderr, done.stderr


@case
def the_scripts_pass_nodes_check(box):
    if NODE is None:
        return
    for script in ("farm_page.js", "farm_figures.js"):
        subprocess.run([NODE, "--check", box.source / "runs/outcome/page" / script], check=True, timeout=60)


def passes(function, magicwire, source):
    folder = Path(tempfile.mkdtemp(prefix=f"magicwire_report.{function.__name__[:40]}."))
    try:
        function(Box(magicwire, source, folder))
    except (AssertionError, KeyError, TypeError, ValueError, OSError, subprocess.SubprocessError, jsonschema.ValidationError):
        print(f"FAILED  {function.__name__}\n{traceback.format_exc()}        its folder: {folder}", flush=True)
        return False
    shutil.rmtree(folder)
    print(f"passed  {function.__name__}", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--magicwire", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    chosen = [function for function in CASES if not options.names or any(name in function.__name__ for name in options.names)]
    failed = [function.__name__ for function in chosen if not passes(function, options.magicwire.resolve(), options.source.resolve())]
    print(f"{len(chosen) - len(failed)} of {len(chosen)} cases passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
