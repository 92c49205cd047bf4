#!/usr/bin/env python3
"""What 'magicwire run' says of what really happened: oracle.json, alone or in the run's folder; and bugs that cannot strike.

  oracle_test.py --magicwire PROGRAM --source FOLDER [NAME]"""
import json
import sys

from cli_cases import main, refuses, simulation, succeeds

MACHINE = """version: 1
name: m
nodes: {count: 6, ram: 4MiB}
host: n0.0
links: [n0.1 - n1.0, n1.1 - n2.0, n1.2 - n3.0, n2.1 - n4.0, n2.2 - n5.0]
"""


def scenario(box, farm="", faults="", bugs=""):
    box.write("m.yaml", MACHINE)
    box.write("t.dat", "0 20 10 0 1000 1000 0 10 10 0 100 10 0 100 10 0\n")
    text = f"version: 1\nname: s\nmachine: m.yaml\nfarm: {{nodes: 6, tree: binary, tasks: 30{farm}}}\nmonitor: {{unload: [[1000s, 0, 16]]}}\n"
    if bugs:
        box.write("s.bugs", f"version: 1\nbugs:\n  - {{{bugs}}}\n")
    if faults:
        box.write("s.faults", f"version: 1\nfaults:\n  - {{{faults}}}\n")
        text += "faults: s.faults\n"
    box.write("s.yaml", text + f"application: {{tasks: t.dat{', bugs: s.bugs' if bugs else ''}}}\n")


def oracle_of(box, *more):
    run = box.run("run", "s.yaml", "--oracle", "o.json", "--json", "--exit-zero", *more)
    succeeds(run)
    return json.loads(box.read("o.json"))


@simulation
def blames_no_bug_that_stopped_nothing(box):
    for bug in ("kind: slow, task: 3, process: post-process, factor: 2", "kind: wild-write, task: 3, process: post-process",
                "kind: slow, task: 3, process: compute, factor: 2", "kind: duplicated, task: 3, process: compute"):
        scenario(box, faults="die: n4, on: {task: 12, step: receive}", bugs=bug)
        oracle = oracle_of(box)
        kind = bug.split(",")[0].split(": ")[1]
        unfinished = oracle["conservation"]["unfinished"]
        assert oracle["struck"] and unfinished, (bug, oracle["conservation"])
        for line in unfinished:
            assert kind not in line["text"] and line["cause"] not in ("struck", "unexplained"), (bug, line)


@simulation
def blames_the_bug_that_stopped_its_task(box):
    for kind in ("early-end", "never-sent", "endless-loop", "waits-for-ever"):
        scenario(box, bugs=f"kind: {kind}, task: 7, process: compute")
        unfinished = {line["task"]: line for line in oracle_of(box, "--set", "end.patience=1s")["conservation"]["unfinished"]}
        assert unfinished[7]["cause"] == "struck" and kind in unfinished[7]["text"], unfinished
        assert all(line["cause"] != "unexplained" for line in unfinished.values()), unfinished


@simulation
def tells_where_each_function_began_and_ended(box):
    scenario(box, bugs="kind: endless-loop, task: 7, process: compute")
    account = oracle_of(box, "--set", "end.patience=1s")["account"]
    assert any(first <= 7 <= last for first, last in account["missing"]) and account["receiver"]["state"] == "in get_result()", account
    unit = next(unit for unit in account["unfinished"] if unit["task"] == 7)
    (function,) = unit["functions"]
    assert function["process"] == "comp_fn()" and function["ended_ps"] is None, function
    node = function["node"]
    assert unit["moves"][-1].get("sent_to") == node or unit["moves"][-1]["node"] == node, unit["moves"]
    assert all(move["what"] == "task" for move in unit["moves"]), unit["moves"]


@simulation
def is_the_same_alone_and_in_the_folder(box):
    scenario(box)
    alone = oracle_of(box, "--out", "out")
    assert alone == json.loads(box.read("out/oracle.json")) and alone["account"]["missing"] == [] == alone["account"]["not_taken"]
    assert alone["account"]["receiver"]["state"] == "returned" == alone["account"]["generator"]["state"]


@simulation
def a_sub_task_that_cannot_occur_is_refused(box):
    divides = ", degree: 2, depth: 3"
    scenario(box, farm=divides, bugs="kind: early-end, task: 1, process: compute, subtask: 0030")
    can = "0000, 0010, 0100 can, so write one of these"
    refuses(box, ["run", "s.yaml"], f"s.bugs:3:50: sub-task 0030 cannot occur in this farm; {can}")
    for number in ("0110", "0001", "1000"):
        scenario(box, farm=divides, bugs=f"kind: early-end, task: 1, process: compute, subtask: {number}")
        refuses(box, ["run", "s.yaml"], f"s.bugs:3:50: sub-task {number} cannot occur in this farm; {can}")
    scenario(box, farm=divides, bugs="kind: early-end, task: 1, process: compute, subtask: 0010, node: n2")
    refuses(box, ["run", "s.yaml"], "s.bugs:3:50: sub-task 0010 does not come to n2, but to n3; name one of these, or leave out 'node'")
    scenario(box, farm=divides, bugs="kind: early-end, task: 1, process: split, subtask: 0010")
    refuses(box, ["run", "s.yaml"], "s.bugs:3:48: sub-task 0010 is not divided any further, so nothing is split or joined there; name another sub-task, or choose compute")
    scenario(box, farm=divides, bugs="kind: early-end, task: 1, process: post-process, subtask: 0010")
    refuses(box, ["run", "s.yaml"], "s.bugs:3:55: post-process has whole tasks only, so there is no sub-task 0010; leave out 'subtask'")
    scenario(box, farm=divides, bugs="kind: early-end, task: 1, process: compute, subtask: 0100, node: n4")
    refuses(box, ["bugs", "s.bugs", "--scenario", "s.yaml"],
            "s.bugs:3:50: sub-task 0100 does not come to n4, but to n5; name one of these, or leave out 'node'")
    scenario(box, farm=divides, bugs="kind: early-end, task: 1, process: compute, subtask: 0100, node: n5")
    succeeds(box.run("bugs", "s.bugs", "--scenario", "s.yaml"))


@simulation
def a_fault_that_waits_for_such_a_sub_task_is_refused(box):
    scenario(box, faults="die: n3, when: {task: 0, subtask: 0100, step: send}")
    refuses(box, ["run", "s.yaml"], "s.faults:3:31: the farm divides no task, so there is only sub-task 0; leave out 'subtask'")
    scenario(box, faults="die: n3, on: {task: 0, subtask: 0000, step: send}")
    succeeds(box.run("run", "s.yaml", "--exit-zero"))
    divides = ", degree: 2, depth: 3"
    scenario(box, farm=divides, faults="die: n3, when: {task: 0, subtask: 0030, step: send}")
    refuses(box, ["run", "s.yaml"], "s.faults:3:31: sub-task 0030 cannot occur in this farm; 0000, 0010, 0100 can, so write one of these")
    scenario(box, farm=divides, faults="die: n3, when: {task: 0, subtask: 0100, node: n4, step: start}")
    refuses(box, ["run", "s.yaml"], "s.faults:3:31: sub-task 0100 does not come to n4, but to n5; name one of these, or leave out 'node'")
    for node, step in (("n5", "start"), ("n5", "send"), ("n2", "send"), ("n2", "receive")):  # it is split off on n2
        scenario(box, farm=divides, faults=f"die: n5, when: {{task: 3, subtask: 0100, node: {node}, step: {step}}}")
        struck = box.run("run", "s.yaml", "--exit-zero")
        succeeds(struck)
        assert "never happened" not in struck.stdout, struck.stdout


if __name__ == "__main__":
    sys.exit(main(__doc__))
