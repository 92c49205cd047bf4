#!/usr/bin/env python3
"""magicwire compare: one farm on several networks beside its prediction; topology draw --load: what a run's network carried."""
import json
import re
import sys

from cli_cases import BAD_INPUT, TASK, UNKNOWN, USAGE, case, equal, is_json, main, refuses, succeeds

FARM = "version: 1\nname: f\nmachine: chain:3\nfarm: {nodes: 3, tree: chain, tasks: 120}\napplication: {tasks: t.dat, task_bytes: 200}\n"
SHORT = "0  20 10 0  2000 200 0  10 10 0  100 10 0  100 10 0\n"


def farm(box, tasks=SHORT, text=FARM):
    box.write("t.dat", tasks)
    return box.write("farm.yaml", text)


def compare(box, *arguments):
    return box.run("compare", "farm.yaml", "--progress", "never", *arguments)


@case
def each_network_runs_beside_its_prediction(box):
    farm(box)
    data = is_json(succeeds(compare(box, "--topologies", "ring:8,tree:2:7,torus:3x3", "--json")), "magicwire.compare/1")
    equal([one["topology"] for one in data["topologies"]], ["ring:8", "tree:2:7", "torus:3x3"], "networks")
    equal([one["measures"]["workers"] for one in data["topologies"]], [7, 6, 8], "workers: a gateway is none of the network's own")
    for one, nodes in zip(data["topologies"], (8, 7, 9)):
        measures = one["measures"]
        line = f"run farm.yaml --set farm.tree=best --set machine={one['topology']} --set farm.nodes={nodes} --json"
        alone = json.loads(succeeds(box.run(*line.split())))
        equal(measures["rate"], alone["farm"]["rate"]["steady_per_s"], "rate of the run alone")
        equal(measures["busiest_link"], alone["load"]["busiest_link"], "busiest link")
        predicted = json.loads(succeeds(box.run(*line.replace("run", "predict", 1).split())))
        equal(measures["predicted_rate"], predicted["tasks_per_second"], "rate of predict")
        equal(measures["formula_rate"], predicted["pilot"]["formula_tasks_per_second"], "rate of the formulas")
        far = [key for key, apart in (("predicted rate", measures["predicted_rate"] / measures["rate"] - 1), ("formulas", measures["formula_rate"] / measures["rate"] - 1))
               if abs(apart) > 0.03]
        for key in far:
            assert any(why.startswith(key) for why in one["why"]), (key, one["why"])
    text = succeeds(compare(box, "--topologies", "ring:8,tree:2:7,torus:3x3"))
    assert re.search(r"^  ring:8 +\d+\.\d\d +\d+\.\d\d +[-+]?\d+\.\d %", text, re.M), text
    assert all(len(line) <= 128 for line in text.splitlines()), text


@case
def its_database_is_that_of_a_study(box):
    farm(box)
    succeeds(compare(box, "--topologies", "ring:4,tree:2:5", "--seeds", "2", "--out", "c.db", "--page", "c.html"))
    equal(box.files(), ["c.db", "c.html", "c.yaml", "farm.yaml", "t.dat"], "files")
    rows = json.loads(succeeds(box.run("study", "show", "c.db", "--json")))["rows"]
    equal([(row["settings"]["machine"], row["settings"]["farm.nodes"], row["settings"]["seed"]) for row in rows],
          [("ring:4", "4", "1"), ("ring:4", "4", "2"), ("tree:2:5", "5", "1"), ("tree:2:5", "5", "2")], "points")
    again = succeeds(box.run("study", "c.yaml", "--progress", "never"))
    equal(again, "study farm_topologies: 4 of 4 points are in c.db, 4 of them from before\n", "the study goes on from there")
    equal(box.run("study", "plot", "c.db", "--x", "machine", "--y", "rate,predicted_rate", "-o", "c.svg").returncode, 0, "exit code of plot")
    assert '"farm_topologies"' in box.read("c.html")
    # A mean over the seeds.
    data = json.loads(succeeds(compare(box, "--topologies", "ring:4,tree:2:5", "--seeds", "2", "--out", "c.db", "--json")))
    rates = [row["measures"]["rate"] for row in rows[:2]]
    assert abs(data["topologies"][0]["measures"]["rate"] - sum(rates) / 2) < 1e-9, (rates, data["topologies"][0])


@case
def networks_are_solved_onto_the_crossbars_of_a_machine(box):
    farm(box)
    data = json.loads(succeeds(compare(box, "--topologies", "ring:6,hypercube:16", "--onto", "ubc:75", "--out", "u.db", "--json")))
    equal([one["machine"] for one in data["topologies"]], ["u.machines/ring_6_on_ubc_75.yaml", "u.machines/hypercube_16_on_ubc_75.yaml"], "machines")
    equal([one["measures"]["workers"] for one in data["topologies"]], [5, 15], "workers")
    checked = succeeds(box.run("topology", "check", "u.machines/ring_6_on_ubc_75.yaml"))
    assert "nodes     75" in checked, checked
    text = succeeds(box.run("topology", "draw", "u.machines/ring_6_on_ubc_75.yaml", "--network"))
    assert "6 nodes, ring:6" in text, text[:600]
    result = box.run("compare", "farm.yaml", "--topologies", "ring:80", "--onto", "ubc:75")
    equal((result.returncode, result.stdout), (BAD_INPUT, ""), "exit code")
    assert "80" in result.stderr and "75" in result.stderr, result.stderr


@case
def a_monitored_farm_shows_the_monitors_share(box):
    farm(box, text=FARM + "monitor: {unload: [[1000s, 8, 32]]}\n")
    result = compare(box, "--topologies", "ring:4", "--json")
    measures = json.loads(succeeds(result))["topologies"][0]["measures"]
    assert 0 < measures["monitor_share"] < 0.5 and 0 < measures["monitor_byte_share"] < 1, measures


@case
def a_farm_without_a_steady_state_says_so(box):
    farm(box, tasks=TASK, text=FARM.replace("tasks: 120", "tasks: 3"))
    text = succeeds(compare(box, "--topologies", "ring:6"))
    assert "(*: no steady state; the rate is over all its time)" in text, text
    assert re.search(r"start-up takes \S+ %, the wind-down", " ".join(text.split())), text


@case
def a_farm_that_stands_still_says_why(box):
    farm(box)
    fault = ["--set", "fault={stick: n1.1 - n2.0, on: {task: 20, step: start}}", "--set", "farm.tree=chain"]
    data = json.loads(succeeds(compare(box, "--topologies", "chain:3,ring:4", *fault, "--json")))
    for one in data["topologies"]:
        (why,) = one["why"]
        assert re.fullmatch(r"the run did not finish \(the farm stood still and was given up\): \d+ of 120 results came back; n2(-3)? do(es)? not answer; "
                            r"(a link is|\d links are) plugged.* -> .* since .* ms: .* is not taken.*; n0: result_receiver\(\) waits for a result, has taken \d+ of 120 results", why), why
    text = " ".join(succeeds(compare(box, "--topologies", "chain:3", *fault)).split())
    assert "What lies more than 3 % apart: chain:3 the run did not finish" in text, text
    # One that finishes has no such line.
    whole = json.loads(succeeds(compare(box, "--topologies", "chain:3", "--json")))["topologies"][0]
    assert "why_unfinished" not in whole["measures"] and not any("did not finish" in why for why in whole["why"]), whole


@case
def settings_and_files_are_those_of_the_command(box):
    (box.folder / "sub").mkdir()
    farm(box)
    box.write("other.dat", TASK)
    succeeds(compare(box, "--topologies", "ring:4", "--set", "application.tasks=other.dat", "--set", "farm.tree=chain", "--set", "farm.nodes=4", "--out", "sub/c.db"))
    rows = json.loads(succeeds(box.run("study", "show", "sub/c.db", "--json")))["rows"]
    assert "application.tasks=other.dat" in rows[0]["repeat"] and "farm.tree=chain" in rows[0]["repeat"], rows[0]["repeat"]
    alone = json.loads(succeeds(box.shell(rows[0]["repeat"] + " --json")))
    equal(alone["load"]["task_us"], rows[0]["measures"]["task_us"], "the point alone")


@case
def what_cannot_be_compared_is_refused_before_a_run(box):
    farm(box)
    for arguments, message in (
        (["--topologies", "rong:4"], "shape 'rong:4': there is no shape 'rong', did you mean 'ring'?"),
        (["--topologies", "ring:4", "--set", "machine=ring:5"], "--set machine=ring:5: the machines are those of --topologies; leave it out"),
        (["--topologies", "ring:4", "--set", "seed=2"], "--set seed=2: --seeds says how many there are; leave it out"),
        (["--topologies", "ring:4", "--set", "farm.tasks=many"], "--set farm.tasks=many: expected a whole number from 0 to 1000000 and got 'many'"),
    ):
        result = box.run("compare", "farm.yaml", *arguments)
        equal((result.returncode, result.stdout), (BAD_INPUT, ""), message)
        assert result.stderr.startswith("magicwire: " + message[:40]), (result.stderr, message)
    for arguments in ([], ["--topologies", "ring:4,ring:4"], ["--topologies", "ring:4", "--seeds", "0"], ["--topologies", "ring:4", "--out", "c.yaml"]):
        equal(box.run("compare", "farm.yaml", *arguments).returncode, USAGE, " ".join(arguments))
    box.write("mine.yaml", "version: 1\n")
    refuses(box, ["compare", "farm.yaml", "--topologies", "ring:4", "--out", "mine.db"],
            "mine.yaml: would be replaced, and was not made by magicwire compare; name another database by --out")


@case
def a_network_whose_run_fails_is_a_line(box):
    farm(box)
    box.write("alone.yaml", "version: 1\nname: alone\nunreachable: allowed\nnodes: {count: 2, ram: 4MiB}\nhost: n0.0\n")
    result = compare(box, "--topologies", "ring:4,alone.yaml", "--out", "c.db")
    equal(result.returncode, UNKNOWN, "exit code")
    assert re.search(r"alone.yaml +1 of 1 runs failed: .*tree: best", result.stdout.replace("\n", " ")), result.stdout
    assert re.search(r"^  ring:4 +\d", result.stdout, re.M), result.stdout
    refuses(box, ["compare", "none.yaml", "--topologies", "ring:4"], "none.yaml: there is no such file; name a scenario, or a farm program's .farm file")


@case
def a_load_colours_nodes_and_links(box):
    farm(box)
    box.write("run.json", succeeds(box.run("run", "farm.yaml", "--set", "machine=mesh:2x3", "--set", "farm.tree=best", "--set", "farm.nodes=6", "--json")))
    succeeds(box.run("run", "farm.yaml", "--set", "machine=mesh:2x3", "--set", "farm.tree=best", "--set", "farm.nodes=6", "--out", "out"))
    dot = succeeds(box.run("topology", "draw", "mesh:2x3", "--load", "run.json"))
    equal(succeeds(box.run("topology", "draw", "mesh:2x3", "--load", "out")), dot, "the folder and the JSON of one run")
    run = json.loads(box.read("run.json"))
    for node in run["farm"]["nodes"]:
        share = 100 * (node["computing_share"] + node["high_share"])
        assert f'"n{node["node"]}" [' in dot and f'n{node["node"]}\\n{share:.1f}%' in dot or f'n{node["node"]}\\n{share:.0f}%' in dot, (node, dot)
    assert "mesh:2x3" in dot and "shares of the farm's" in dot, dot[:500]
    equal(box.run("topology", "draw", "mesh:2x3", "--load", "out", "--format", "svg", "--out", "a.svg").returncode, 0, "exit code")
    assert "</svg>" in box.read("a.svg")


@case
def a_load_of_something_else_is_refused(box):
    farm(box)
    box.write("run.json", succeeds(box.run("run", "farm.yaml", "--json")))
    box.write("other.json", box.read("run.json").replace("chain_3", "ring_4").replace("n2.0", "n2.3"))
    box.write("deep.json", "[" * 5000)
    box.write("half.json", '{"schema": "magicwire.run/1", "machine": "ring_4", "links": [{"from": 3}]}')
    (box.folder / "empty").mkdir()
    name = "name the folder of 'magicwire run --out', or a file with what 'magicwire run --json' printed"
    for path, message in (("none", f"none: there is no such file; {name}"), ("empty", f"empty: has no summary.json; {name}"),
                          ("t.dat", f"t.dat: holds no run (magicwire.run/1); {name}"), ("deep.json", f"deep.json: holds no run (magicwire.run/1); {name}"),
                          ("run.json", "run.json: the run was on 'chain_3', and this is 'ring_4'; name the machine file or shape of the run"),
                          ("other.json", "other.json: n1.1 of the run led to n2.3, and 'ring_4' has no such link; name the machine file or shape of the run")):
        result = box.run("topology", "draw", "ring:4", "--load", path)
        equal((result.returncode, result.stdout), (BAD_INPUT, ""), path)
        equal(result.stderr, f"magicwire: {message}\n", path)
    result = box.run("topology", "draw", "ring:4", "--load", "half.json")
    equal(result.returncode, BAD_INPUT, "exit code")
    assert result.stderr.startswith("magicwire: half.json: is no whole run: "), result.stderr


@case
def shapes_keep_their_form(box):
    for shape in ("ring:12", "torus:3x4", "hypercube:16", "tree:3:13", "mesh:3x4", "chain:20"):
        dot = succeeds(box.run("topology", "draw", shape, "--network", "--gateway"))
        assert f"nodes, {shape}<" in dot, dot[:500]
        equal(len(re.findall(r'^  "n\d+" \[.*pos="', dot, re.M)), int(re.search(r": (\d+) nodes, ", dot)[1]), f"{shape}: nodes with a place")


if __name__ == "__main__":
    sys.exit(main(__doc__))
