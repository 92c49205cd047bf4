#!/usr/bin/env python3
"""The machines that existed (topologies/machines/historic): each is described, drawn and booted, and runs a farm whose run hash is pinned.
And speeds of links that a machine file says, in whole runs: the model obeys them."""
import json
import re
import sys

from cli_cases import DONE, case, equal, main, succeeds
from shell_cases import hash_of, typed

# The farm of a_farm_runs_on_each() on each machine. A change of any modelled time changes all of them.
HASHES = {
    "b008": "a0e6aa04d8f0e701",
    "b012": "cd15bbfc495ba6ea",
    "b017": "7fe228c79123bf4e",
    "meiko": "b766994ea65de424",
    "supercluster": "169836580e9487d0",
    "supernode": "5cff270315e33c5e",
}
TASK = "0  20 10 0  4000 1000 0  10 10 0  100 10 0  100 10 0\n"


def historic(box):
    return sorted((box.source / "topologies/machines/historic").glob("*.yaml"))


def described(box, file):
    return json.loads(succeeds(box.run("describe", file, "--json")))


def tree_of(machine):
    """Children of each node: breadth first from n0, over the paths between nodes in their order."""
    neighbours = {}
    for path in machine["paths"]:
        a, b = path["a"].split(".")[0], path["b"].split(".")[0]
        if "host" not in (a, b):
            neighbours.setdefault(a, []).append(b)
            neighbours.setdefault(b, []).append(a)
    children, seen, queue = {}, {"n0"}, ["n0"]
    for node in queue:
        for other in neighbours[node]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
                children.setdefault(node, []).append(int(other[1:]))
    equal(len(seen), len(machine["nodes"]), "nodes of the tree")
    return "{" + ", ".join(f"{node}: {sorted(below)}" for node, below in children.items()) + "}"


def farm(box, machine, tree, name="farm.yaml", tasks=60, more=""):
    box.write("tasks.dat", TASK)
    return box.write(name, f"version: 1\nname: farm\nmachine: {machine}\nfarm: {{tree: {tree}, tasks: {tasks}}}\n"
                     f"application: {{tasks: tasks.dat, task_bytes: 2000, result_bytes: 500}}\n{more}")


@case
def a_farm_runs_on_each(box):
    found = {}
    for file in historic(box):
        scenario = farm(box, file, tree_of(described(box, file)))
        out = succeeds(box.run("run", scenario))
        assert re.search(r"60 of 60|all 60 tasks|60 tasks", out), out
        found[file.stem] = hash_of(out)
    equal(found, HASHES, "run hashes")


@case
def each_boots_with_bootd(box):
    for file in historic(box):
        nodes = len(described(box, file)["nodes"])
        out = succeeds(typed(box, file, ["spread -Scb", f"tping -c1 -d0 n0-{nodes - 1}"]))
        assert "the machine has booted\n" in out, (file.stem, out)
        assert f"from {nodes} remote nodes" in out, (file.stem, out)


@case
def each_is_described_and_drawn_with_boards_and_crossbars(box):
    for file in historic(box):
        machine = described(box, file)
        text = succeeds(box.run("describe", file))
        assert "\nBoards\n" in text and "slot 0" in text, text
        dot = succeeds(box.run("topology", "draw", file))
        for board in machine["boards"]:
            assert f'subgraph "cluster_{board["name"]}"' in dot, (file.stem, board)
        for switch in machine["switches"]:
            for a, b in map(sorted, switch["connections"]):
                assert f'"{switch["name"]} {a}-{b}"' in dot, (file.stem, switch["name"], a, b)
        assert succeeds(box.run("topology", "check", file)).startswith(f"{file.stem}"), file


@case
def pictures_are_made_by_graphviz(box):
    for name in ("b008", "b017"):
        file = box.source / f"topologies/machines/historic/{name}.yaml"
        result = box.run("topology", "draw", file, "--format", "svg", "--out", f"{name}.svg")
        equal(result.returncode, DONE, result.stderr)
        svg = box.read(f"{name}.svg")
        assert f"cluster_{name}" in svg and "slot 3" in svg, svg[:300]


# Six nodes: a chain, its second half through a C004. {0}: speeds.
CHAIN = """version: 1
name: m
nodes: {{count: 6, ram: 1MiB{node}}}
link_speed: {machine}
host: n0.0
links: [n0.1 - n1.0, n1.1 - n2.0, n2.1 - n3.0]
switches:
  x0: {{wires: [n3.1 - 0, n4.0 - 1, n4.1 - 2, n5.0 - 3], connect: [0 - 1, 2 - 3]{switch}}}
"""
CHAIN_TREE = "{n0: [1], n1: [2], n2: [3], n3: [4], n4: [5]}"


def speed_of_all(speed, by_parts):
    if not by_parts:
        return CHAIN.format(node="", machine=speed, switch="")
    return CHAIN.format(node=f", link_speed: {speed}", machine="5Mbit/s", switch=f", link_speed: {speed}")


def chain_farm(box, text, more=""):
    return farm(box, box.write("m.yaml", text), CHAIN_TREE, more=more, tasks=40)


@case
def speeds_said_at_nodes_and_switches_are_those_of_the_machine(box):
    for level in ("message", "byte"):
        results = {}
        for speed in ("10Mbit/s", "20Mbit/s"):
            for by_parts in (False, True):
                results[speed, by_parts] = succeeds(box.run("run", chain_farm(box, speed_of_all(speed, by_parts)), "--links", level))
            equal(results[speed, True], results[speed, False], f"a run at {speed}, {level} level")
        assert hash_of(results["10Mbit/s", True]) != hash_of(results["20Mbit/s", True]), level


@case
def predictions_and_the_bill_follow_the_speeds(box):
    monitor = "monitor: {unload: [[1000s, 8, 32]]}\n"
    for command, more in (("predict", ""), ("overhead", monitor), ("predict", monitor)):
        results = {}
        for speed in ("5Mbit/s", "20Mbit/s"):
            for by_parts in (False, True):
                results[speed, by_parts] = succeeds(box.run(command, chain_farm(box, speed_of_all(speed, by_parts), more)))
            equal(results[speed, True], results[speed, False], f"{command} at {speed}")
        assert results["5Mbit/s", True] != results["20Mbit/s", True], command


@case
def a_prediction_names_unequal_links(box):
    text = CHAIN.format(node=", override: {n0: {link_speed: 5Mbit/s}, n1: {link_speed: [5Mbit/s, 20Mbit/s, 20Mbit/s, 20Mbit/s]}}", machine="20Mbit/s",
                        switch="")
    caution = "the farm's links have different speeds, and the formulas give all of them the slowest"
    for machine, named in ((text, True), (speed_of_all("20Mbit/s", True), False)):
        scenario = chain_farm(box, machine)
        box.write("tasks.dat", TASK.replace("4000", "100000"))
        out = succeeds(box.run("predict", scenario, "--set", "farm.tasks=3"))
        equal(caution in out, named, out)


@case
def a_wire_whose_ends_differ_is_refused_with_its_place(box):
    box.write("m.yaml", CHAIN.format(node=", override: {n4: {link_speed: 10Mbit/s}}", machine="20Mbit/s", switch=""))
    result = box.run("describe", "m.yaml")
    equal(result.returncode, 3, "exit code")
    equal(result.stderr, "magicwire: m.yaml:8:33: 'x0.1' runs at 20Mbit/s, but 'n4.0' at the other end of this wire at 10Mbit/s; give both ends the same "
          "'link_speed'\n", "standard error")


@case
def a_switch_of_revision_a_is_programmed_and_verified(box):
    for revision in ("A", "B"):
        box.write("m.yaml", CHAIN.format(node="", machine="20Mbit/s", switch=f", revision: {revision}"))
        out = succeeds(box.run("topology", "solve", "chain:6", "--onto", "m.yaml", "--verify"))
        assert "6 nodes found exactly the wanted" in out, out


@case
def the_host_cannot_check_a_low_output_of_revision_a(box):
    box.write("tasks.dat", TASK)
    box.write("p.faults", "version: 1\nfaults:\n  - {miswire: x0.2, to: 0, at: 0ms}\n")
    for revision in ("A", "B"):
        machine = "version: 1\nname: m\nnodes: {count: 3, ram: 1MiB}\nhost: n0.0\nlinks: [n0.1 - n1.0]\nswitches:\n" \
                  f"  x0: {{revision: {revision}, wires: [n1.1 - 0, n2.0 - 1, n2.1 - 2], connect: [0 - 1]}}\n"
        scenario = farm(box, box.write("m.yaml", machine), "{n0: [1], n1: [2]}", tasks=5, more="faults: p.faults\n")
        result = box.run("run", scenario)
        refused = "x0 output 2 is connected to input 0, and should be low" in result.stdout + result.stderr
        equal((refused, result.returncode == DONE), (revision == "B", revision == "A"), f"revision {revision}: {result.stdout[:300]} {result.stderr}")


@case
def a_reconfiguration_keeps_speeds_and_revisions(box):
    box.write("b.yaml", CHAIN.format(node="", machine="20Mbit/s", switch=", revision: A"))
    scenario = chain_farm(box, speed_of_all("20Mbit/s", False), "reconfigure:\n  - {at: 1ms, to: b.yaml}\n")
    result = box.run("run", scenario)
    equal(result.returncode, 3, "exit code")
    assert "'m' has other switches than 'm'; a reconfiguration changes the connections of switches and nothing else" in result.stderr, result.stderr


if __name__ == "__main__":
    sys.exit(main(__doc__))
