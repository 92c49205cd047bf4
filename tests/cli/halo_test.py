#!/usr/bin/env python3
"""'magicwire run' on a halo, the other program beside the farm (docs/model/halo.md): its end, trace, oracle and faults, and the
commands that refuse it.

  halo_test.py --magicwire PROGRAM --source FOLDER [NAME]"""
import json
import re
import sys

from cli_cases import equal, main, refuses, simulation, succeeds


def scenario(box, bugs="", steps=12, tree="binary", more=""):
    box.write("machine.yaml", (box.source / "topologies/machines/btree_8.yaml").read_text(encoding="utf-8"))
    halo = f"halo: {{tree: {tree}, steps: {steps}, cells: 8, bugs: [{bugs}]}}\n"
    return box.write("s.yaml", f"version: 1\nname: small\nmachine: machine.yaml\n{halo}monitor: {{unload: [[1000s, 8, 32]]}}\n{more}")


def run(box, *more):
    """Standard output, summary.json and oracle.json."""
    result = box.run("run", "s.yaml", "--out", "o", "--force", "--exit-zero", *more)
    return succeeds(result), json.loads(box.read("o/summary.json")), json.loads(box.read("o/oracle.json"))


def first(oracle):
    place = oracle["halo"]["first"]
    return place["node"], place["task"], place["process"]


@simulation
def ends_with_a_report_and_a_trace(box):
    scenario(box)
    text, summary, oracle = run(box)
    assert "halo exchange on btree_8" in text and "13 of 13 are complete on n0" in text, text
    equal(summary["end"], "the program ended", "end")
    equal((summary["tasks"], summary["results"], summary["model"]), (13, 13, "halo"), "exchanges")
    assert "farm" not in summary and "load" not in summary
    assert re.search(r"^Checksum = [0-9a-f]{16}$", box.read("o/console.txt"), re.M), box.read("o/console.txt")
    equal(box.read("o/data.spf"), "8 2 13 1 1\nmodel halo\n", "data.spf")
    equal(oracle["model"], "halo", "model")
    equal(oracle["halo"]["first"], None, "first place")
    equal([(node["exchanges"], node["next"]) for node in oracle["halo"]["nodes"]], [(13, "done")] * 8, "progress")
    equal(oracle["events"], 4 * 7 * 13, "events: send and receive, both ways, of 7 edges")
    records = [line.split() for line in box.read("o/data.tvm").splitlines() if line]
    equal(len(records), oracle["events"], "records of the trace")


@simulation
def computes_the_same_whoever_watches(box):
    scenario(box)
    run(box)
    checksum = re.search("Checksum = .*", box.read("o/console.txt"))[0]
    run(box, "--set", "monitor.unload=1000s/0/0")
    assert checksum in box.read("o/console.txt")
    run(box, "--seed", "2")
    assert checksum not in box.read("o/console.txt"), "the seed draws the first values"


@simulation
def tells_where_each_bug_struck(box):
    for bug, place, step in (
            ("process: initial_fn, node: n5, kind: hang", (5, 0, "initial_fn()"), "initial_fn"),
            ("process: step_fn, node: n2, step: 4, kind: crash", (2, 5, "step_fn()"), "step_fn 4"),
            ("process: step_fn, node: n0, step: 11, kind: hang", (0, 12, "step_fn()"), "step_fn 11"),
            ("process: exchange, node: n1, step: 6, kind: crash", (1, 6, "step_fn()"), "send 6 to n0"),
            ("process: exchange, node: n2, step: 6, kind: lose, to: n4", (4, 6, "Exchanging"), "receive 6 from n2")):
        scenario(box, bugs=f"{{{bug}}}")
        text, summary, oracle = run(box, "--set", "end.patience=2s")
        equal(first(oracle), place, f"first place of {bug}")
        equal(len(oracle["halo"]["places"]), 1, f"places of {bug}")
        equal(oracle["halo"]["nodes"][place[0]]["next"], step, f"next step of {bug}")
        equal(len(oracle["struck"]), 1, f"struck of {bug}")
        assert "struck at" in text and not summary["finished"], text
        equal(summary["end"], "cut while nodes were still computing" if "kind: hang" in bug else "the halo stood still and was given up", f"end of {bug}")


@simulation
def stands_where_the_machine_failed(box):
    for fault, nodes in (("die: n3, on: {task: 5, node: n3, step: receive}", {3}), ("die: n1, on: {task: 4, node: n1, step: start}", {1}),
                         ("cut: n1.1 - n2.0, on: {task: 5, node: n1, step: send}", {1, 2})):
        box.write("f.faults", f"version: 1\nfaults:\n  - {{{fault}}}\n")
        scenario(box, more="faults: f.faults\n")
        _, _, oracle = run(box)
        assert oracle["faults"][0]["happened"], oracle["faults"]
        named = {place["node"] for place in oracle["halo"]["places"]}
        assert named & nodes, (fault, oracle["halo"])
        equal(bool(oracle["halo"]["crashed"]), "die" in fault, "a crashed node")
        equal(oracle["halo"]["cut"], [] if "die" in fault else [[1, 2]], "links cut")


@simulation
def has_a_price_of_monitoring(box):
    scenario(box)
    text = succeeds(box.run("overhead", "s.yaml"))
    assert "halo, to exchange 13 of 13" in text and "exchanges that n0 completed     monitored 13   twin 13" in text, text


@simulation
def is_no_farm(box):
    scenario(box)
    message = "s.yaml: runs a halo, and this command is for farms; give a scenario with a 'farm', or use 'magicwire run'"
    for command in (["predict"], ["schedule", "--no-loss"], ["top"], ["shell"]):
        refuses(box, [command[0], "s.yaml", *command[1:]], message)
    for option in (["--report", "text"], ["--report-page", "p.html"], ["--predict"]):
        refuses(box, ["run", "s.yaml", *option], f"{option[0]}: is for farms, and the scenario runs a halo; leave it out")
    refuses(box, ["run", "s.yaml", "--bugs", "b.bugs"], "--bugs b.bugs: is for the functions of a farm, and the scenario runs a halo; write 'halo.bugs'")
    run(box)
    told = "o/data.spf: is of a 'halo', and this command tells of the tasks of farms; 'magicwire detrek' takes the trace"
    for command in (["story", "o", "3"], ["why", "o", "3"], ["graph", "o", "3"]):
        refuses(box, command, told)


@simulation
def is_refused_at_its_place(box):
    scenario(box, bugs="{process: step_fn, node: n2, step: 12, kind: crash}")
    refuses(box, ["run", "s.yaml"], "s.yaml:4:50: there is no step 12; with 12 steps the last one is 11")
    box.write("s.yaml", box.read("s.yaml").replace("bugs: [", "bogs: ["))
    refuses(box, ["run", "s.yaml"], "s.yaml:4:43: unknown key 'bogs', did you mean 'bugs'?")


if __name__ == "__main__":
    sys.exit(main(__doc__))
