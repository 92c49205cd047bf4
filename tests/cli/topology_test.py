#!/usr/bin/env python3
"""magicwire topology make, check, solve and draw as a user runs them: results, refusals, exit codes, files.

    topology_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import os
import re
import shutil
import sys

from cli_cases import BAD_INPUT, CASES, TASK, UNKNOWN, USAGE, case, equal, is_json, main, refuses, simulation, succeeds

ISSUE_SHAPES = {"ring:32": (32, 33), "mesh:6x8": (48, 83), "hypercube:16": (16, 32), "tree:2:63": (63, 63), "tree:3:40": (40, 40)}


def make(box, shape, *options, name="machine.yaml"):
    return box.write(name, succeeds(box.run("topology", "make", shape, *options)))


def neighbours(box, file):
    """Pairs of nodes that can talk, links and switches left out; names of unused nodes come only with their edges."""
    paths = is_json(succeeds(box.run("describe", file, "--json")), "magicwire.describe/1")["paths"]
    return sorted(sorted(path[end].split(".")[0] for end in "ab") for path in paths)


# make


@case
def make_prints_a_machine_file(box):
    make(box, "mesh:2x3")
    equal(is_json(succeeds(box.run("topology", "check", "machine.yaml", "--json")), "magicwire.check/1")["edges"], 7, "edges")


@case
def make_sets_memory_switches_and_a_gateway(box):
    text = succeeds(box.run("topology", "make", "hypercube:16", "--ram", "1MiB", "--through-switches", "--gateway"))
    assert "count: 17, ram: 1MiB" in text and "switches:" in text and "host: none" not in text, text


@case
def make_prints_the_machine_of_the_thesis_as_it_is_shipped(box):
    shipped = (box.source / "topologies/machines/ubc_75.yaml").read_text(encoding="utf-8")
    equal(succeeds(box.run("topology", "make", "ubc:75")), shipped.split("\n", 1)[1], "the machine")


@case
def make_lists_the_shapes_in_its_help(box):
    text = succeeds(box.run("topology", "make", "--help"))
    for shape in ("ring:", "torus:", "debruijn:", "random:", "ubc:75"):
        assert shape in text, shape


@case
def an_unknown_shape_names_the_nearest(box):
    refuses(box, ["topology", "make", "rnig:3"], "shape 'rnig:3': there is no shape 'rnig', did you mean 'ring'?")


@case
def a_size_without_meaning_is_refused(box):
    result = box.run("topology", "make", "ring:3", "--ram", "4MB")
    equal(result.returncode, BAD_INPUT, "exit code")
    assert result.stderr.startswith("magicwire: --ram 4MB:1:1: ") and "MiB" in result.stderr, result.stderr


@case
def a_file_is_replaced_only_with_force(box):
    succeeds_quietly = box.run("topology", "make", "ring:4", "--out", "ring.yaml")
    equal((succeeds_quietly.returncode, succeeds_quietly.stdout, succeeds_quietly.stderr), (0, "", ""), "result")
    before = box.read("ring.yaml")
    refuses(box, ["topology", "make", "ring:5", "--out", "ring.yaml"],
            "ring.yaml: exists already and is not replaced; name another file, or replace it with -f")
    equal(box.run("topology", "make", "ring:5", "--out", "ring.yaml", "-f").returncode, 0, "exit code")
    assert box.read("ring.yaml") != before
    equal(box.files(), ["ring.yaml"], "files")


# check


@case
def check_says_what_a_machine_is(box):
    make(box, "torus:3x4")
    text = succeeds(box.run("topology", "check", "machine.yaml"))
    for words in ("torus_3x4 is realisable", "24 between nodes", "4 at every node", "cannot be booted"):
        assert words in text, (words, text)


@case
def check_points_at_what_cannot_be_built(box):
    box.write("bad.yaml", "version: 1\nname: bad\nnodes: {count: 2, ram: 4MiB}\nhost: n0.0\nlinks: [n0.1 - n1.4]\n")
    result = box.run("topology", "check", "bad.yaml")
    equal((result.returncode, result.stdout), (BAD_INPUT, ""), "result")
    assert result.stderr.startswith("magicwire: bad.yaml:5:16: "), result.stderr


# solve


@case
def solve_gives_exactly_the_wanted_network(box):
    for shape, (nodes, edges) in ISSUE_SHAPES.items():
        make(box, shape, "--ram", "64KiB")
        text = succeeds(box.run("topology", "solve", "machine.yaml", "--out", "solved.yaml", "-f"))
        assert f"{nodes} nodes and {edges} edges placed" in text, text
        equal(neighbours(box, "solved.yaml"), neighbours(box, "machine.yaml"), f"network of {shape}")


@case
def solve_prints_places_settings_and_counts(box):
    data = is_json(succeeds(box.run("topology", "solve", "mesh:6x8", "--json")), "magicwire.solve/1")
    equal(len({row["place"] for row in data["placement"]}), 48, "places")
    equal(len(data["edges"]), 83, "edges")
    for switch in data["switches"]:
        equal(switch["used_ways"], 2 * len(switch["connections"]), "used ways")
        equal(switch["used_ways"] + switch["free_ways"], 32, "ways")
    text = succeeds(box.run("topology", "solve", "mesh:6x8"))
    assert "\nPlacement\n" in text and "\nSettings\n" in text and "wired ways used" in text, text


@case
def solve_gives_the_same_bytes_twice_and_others_with_another_seed(box):
    first = succeeds(box.run("topology", "solve", "tree:3:40"))
    equal(succeeds(box.run("topology", "solve", "tree:3:40")), first, "second answer")
    assert succeeds(box.run("topology", "solve", "tree:3:40", "--seed", "2")) != first


@case
def solve_reprograms_a_solved_machine_in_place(box):
    succeeds(box.run("topology", "solve", "ring:12", "--out", "ring.yaml"))
    succeeds(box.run("topology", "solve", "chain:12", "--onto", "ring.yaml", "--keep-places", "--out", "chain.yaml"))
    make(box, "chain:12")
    equal(neighbours(box, "chain.yaml"), neighbours(box, "machine.yaml"), "network")
    ring, chain = box.read("ring.yaml"), box.read("chain.yaml")
    equal([line for line in chain.splitlines() if "wires:" in line], [line for line in ring.splitlines() if "wires:" in line], "wires")


@case
def solve_keeps_the_memory_that_a_file_asks_for(box):
    text = succeeds(box.run("topology", "make", "chain:70")).replace("asks: none", "asks: [ram, clock]")
    box.write("machine.yaml", text)
    refuses(box, ["topology", "solve", "machine.yaml"],
            "chain_70: n0 to n65 want at least 4MiB of RAM, 20MHz and 2 links, but ubc_75 has only 65 such nodes; ask for less or for "
            "fewer such nodes")
    succeeds(box.run("topology", "solve", "machine.yaml", "--ram", "1MiB"))
    succeeds(box.run("topology", "solve", "chain:70"))


@case
def a_made_network_asks_for_no_memory_that_nobody_asked_for(box):
    text = succeeds(box.run("topology", "make", "chain:75"))
    assert text.endswith("\nasks: none\n"), text[-100:]
    box.write("machine.yaml", text)
    for options in ([], ["--keep-places"]):
        succeeds(box.run("topology", "solve", "machine.yaml", *options))
    assert "\nasks: [ram]\n" in succeeds(box.run("topology", "make", "chain:75", "--ram", "4MiB"))
    assert "asks:" not in succeeds(box.run("topology", "make", "ubc:75"))


@case
def a_link_speed_that_the_target_does_not_have_is_reported(box):
    text = succeeds(box.run("topology", "make", "chain:5")).replace("20Mbit/s", "5Mbit/s").replace("asks: none", "asks: [link_speed]")
    box.write("slow.yaml", text)
    assert "\nchain_5 wants links of 5Mbit/s; those of ubc_75 run at 20Mbit/s\n" in succeeds(box.run("topology", "solve", "slow.yaml"))
    data = is_json(succeeds(box.run("topology", "solve", "slow.yaml", "--json")), "magicwire.solve/1")
    equal(data["link_bits_per_second"], {"wanted": 5000000, "target": 20000000}, "link speed")
    box.write("fast.yaml", text.replace("5Mbit/s", "20Mbit/s"))
    box.write("ubc.yaml", succeeds(box.run("topology", "make", "ubc:75")).replace("20Mbit/s", "10Mbit/s"))
    refuses(box, ["topology", "solve", "fast.yaml", "--onto", "ubc.yaml"],
            "chain_5: wants links of 20Mbit/s, but those of ubc_75 run at 10Mbit/s; ask for less")


@case
def what_is_proven_impossible_says_so(box):
    result = box.run("topology", "solve", "mesh:6x8", "--keep-places")
    equal((result.returncode, result.stderr), (BAD_INPUT, ""), "result")
    assert result.stdout.startswith("mesh_6x8 on ubc_75: impossible with the places kept"), result.stdout
    data = is_json(box.run("topology", "solve", "mesh:6x8", "--keep-places", "--json").stdout, "magicwire.solve/1")
    equal((data["found"], data["impossible"]), (False, True), "answer")


@case
def solve_changes_nothing_on_a_machine_that_is_set_already(box):
    succeeds(box.run("topology", "solve", "tree:2:16", "--keep-places", "--name", "tree", "--out", "tree.yaml"))
    for options in ([], ["--keep-places"], ["--fewest-changes"], ["--keep-places", "--fewest-changes", "--seed", "5"]):
        succeeds(box.run("topology", "solve", "tree:2:16", "--onto", "tree.yaml", "--name", "tree", "--out", "again.yaml", "-f", *options))
        equal(box.read("again.yaml"), box.read("tree.yaml"), f"machine with {options}")


@case
def solve_says_how_many_connections_change(box):
    succeeds(box.run("topology", "solve", "chain:16", "--keep-places", "--out", "chain.yaml"))
    text = succeeds(box.run("topology", "solve", "ring:16", "--onto", "chain.yaml", "--keep-places", "--fewest-changes"))
    assert "; no solution whose edges pass a switch at most once changes fewer\n" in text, text
    data = is_json(succeeds(box.run("topology", "solve", "ring:16", "--onto", "chain.yaml", "--keep-places", "--fewest-changes", "--json")),
                   "magicwire.solve/1")
    equal(data["least_changes"], data["changes"]["made"] + data["changes"]["taken_away"], "changes")


@case
def solve_takes_the_host_port_that_it_is_told(box):
    data = is_json(succeeds(box.run("topology", "solve", "chain:5", "--host-port", "2", "--json")), "magicwire.solve/1")
    equal([edge["b"] for edge in data["edges"] if edge["b"].startswith("host")], ["host.2"], "host")
    result = box.run("topology", "solve", "chain:5", "--host-port", "4")
    equal(result.returncode, USAGE, "exit code")
    assert "'4' is no connection of the host" in result.stderr, result.stderr
    result = box.run("topology", "solve", "chain:5", "--host-port", "2,2")
    equal(result.returncode, USAGE, "exit code")
    assert "'2' is there twice; leave one out" in result.stderr, result.stderr


@case
def solve_keeps_the_connection_of_the_host_that_is_in_use(box):
    succeeds(box.run("topology", "solve", "ring:8", "--host-port", "2", "--out", "a.yaml"))
    for places in ([], ["--keep-places"]):
        data = is_json(succeeds(box.run("topology", "solve", "a.yaml", "--onto", "a.yaml", *places, "--json")), "magicwire.solve/1")
        equal((data["changes"]["made"], data["changes"]["taken_away"]), (0, 0), "changes")


@case
def solve_stops_after_as_many_steps_as_it_may_take(box):
    result = box.run("topology", "solve", "ring:8", "--steps", "0")
    equal(result.returncode, UNKNOWN, f"exit code ({result.stdout})")
    assert "nothing proves it impossible" in result.stdout, result.stdout


@case
def a_hypercube_of_32_is_refused_with_the_reason(box):
    for command in ("make", "solve"):
        refuses(box, ["topology", command, "hypercube:32"],
                "hypercube: 32 nodes asked for, each of which wants 5 links, but a T800 has 4; ask for 16 nodes or fewer")


@case
def a_search_in_vain_is_unknown_and_writes_no_file(box):
    result = box.run("topology", "solve", "random:75", "--steps", "1000", "--out", "solved.yaml")
    equal((result.returncode, result.stderr), (UNKNOWN, ""), "result")
    assert "of 150 edges could not be placed; nothing proves it impossible" in result.stdout, result.stdout
    data = is_json(box.run("topology", "solve", "random:75", "--steps", "1000", "--json").stdout, "magicwire.solve/1")
    equal(data["found"], False, "found")
    equal(box.files(), [], "files")


@case
def a_seed_that_is_no_number_is_wrong_usage(box):
    for option in ("--seed", "--steps"):
        result = box.run("topology", "solve", "ring:3", option, "-1")
        equal(result.returncode, USAGE, "exit code")
        assert "is no whole number" in result.stderr, result.stderr


@case
def solve_names_the_machine_as_it_is_told(box):
    succeeds(box.run("topology", "solve", "chain:3", "--name", "trio", "--out", "trio.yaml"))
    assert "\nname: trio\n" in "\n" + box.read("trio.yaml"), box.read("trio.yaml")
    refuses(box, ["topology", "solve", "chain:3", "--name", "3"], "--name: '3' is no machine name; begin with a letter and use letters, digits, _, . and -")


@case
def the_solved_machines_that_are_delivered_come_from_their_first_lines(box):
    machines = sorted((box.source / "topologies/machines").glob("ubc_*_*.yaml"))
    assert len(machines) >= 3, machines
    for machine in machines:
        first, text = machine.read_text(encoding="utf-8").split("\n", 1)
        begin = "# Made by: magicwire "
        assert first.startswith(begin) and first.endswith(" --out FILE"), first
        words = first[len(begin):].split()[:-1]
        succeeds(box.run(*(box.source / word if word.startswith("topologies/") else word for word in words), machine.name))
        equal(box.read(machine.name), text, machine.name)


# solve --verify


@simulation
def verify_lets_the_nodes_of_the_model_find_the_wanted_network(box):
    for shape, (nodes, edges) in ISSUE_SHAPES.items():
        last = succeeds(box.run("topology", "solve", shape, "--verify")).splitlines()[-1]
        pattern = rf"programmed with \d+ bytes over 2 control lines in \d+\.\d+ us; {nodes} nodes found exactly the wanted {edges} edges"
        assert re.fullmatch(pattern, last), last


@simulation
def verify_is_told_in_json_too(box):
    data = is_json(succeeds(box.run("topology", "solve", "ring:32", "--verify", "--json")), "magicwire.solve/1")["verified"]
    equal((data["good"], data["control_lines"], data["nodes"], data["edges"], data["differences"]), (True, 2, 32, 33, []), "what was verified")
    assert "verified" not in is_json(succeeds(box.run("topology", "solve", "ring:32", "--json")), "magicwire.solve/1")


@simulation
def verify_takes_any_wanted_machine_and_target(box):
    make(box, "mesh:3x4", "--through-switches", name="mesh.yaml")
    succeeds(box.run("topology", "solve", "mesh.yaml", "--ram", "64KiB", "--out", "first.yaml"))
    text = succeeds(box.run("topology", "solve", "chain:9", "--onto", "first.yaml", "--keep-places", "--verify"))
    assert text.endswith("9 nodes found exactly the wanted 9 edges\n"), text


@simulation
def a_farm_on_nodes_that_the_host_does_not_reach_is_refused(box):
    scenario = "version: 1\nname: cube\nmachine: {}\nfarm: {{nodes: 2, tree: binary, tasks: 1}}\napplication: {{tasks: tasks.dat}}\n"
    box.write("tasks.dat", TASK)
    make(box, "hypercube:16", name="cube.yaml")
    succeeds(box.run("topology", "solve", "cube.yaml", "--out", "solved.yaml"))
    assert "none: a network on its own" in succeeds(box.run("describe", "cube.yaml"))
    assert "connection 0 wired to x0.31" in succeeds(box.run("describe", "solved.yaml"))
    box.write("alone.yaml", scenario.format("cube.yaml"))
    refuses(box, ["run", "alone.yaml"],
            "alone.yaml:3:10: machine 'hypercube_16' is a network without a host, so it cannot be booted; wire it to a host, as in "
            "'host: n0.0', or solve it onto a machine that has one")
    box.write("unwired.yaml", scenario.format("solved.yaml"))
    refuses(box, ["run", "unwired.yaml"],
            "the host cannot reach n0 of machine 'hypercube_16_on_ubc_75', which the farm uses; wire and connect it, or give the farm "
            "fewer nodes; where a shape has no link to spare for the host, 'magicwire topology make --gateway' adds a node for it")


def verify_is_refused_where_there_is_no_model(box):
    """A case of the build without the simulation only."""
    result = box.run("topology", "solve", "ring:32", "--verify", "--out", "ring.yaml")
    equal((result.returncode, result.stdout, box.files()), (USAGE, "", []), "result")
    assert "--verify: this magicwire was built without the modelled machine" in result.stderr, result.stderr


# draw


@case
def draw_prints_dot_with_used_and_free_wires(box):
    text = succeeds(box.run("topology", "draw", box.source / "topologies/machines/btree_8_c004.yaml"))
    assert text.startswith('graph "btree_8_c004" {') and "x0 0-1" in text, text


@case
def draw_takes_a_shape(box):
    assert '"n0" -- "n1"' in succeeds(box.run("topology", "draw", "chain:3"))


@case
def draw_makes_a_picture_of_a_solved_machine(box):
    if shutil.which("dot") is None:
        print("skipped (no graphviz)", end=" ")
        return
    succeeds(box.run("topology", "solve", "mesh:6x8", "--out", "mesh.yaml"))
    equal(box.run("topology", "draw", "mesh.yaml", "--format", "svg", "--out", "mesh.svg").returncode, 0, "exit code")
    picture = box.read("mesh.svg")
    assert picture.startswith("<?xml") and picture.rstrip().endswith("</svg>") and ">n47<" in picture, picture[:200]


@case
def draw_says_what_to_install_when_graphviz_is_missing(box):
    os.mkdir(box.folder / "empty")
    result = box.run("topology", "draw", "chain:3", "--format", "svg", env={"PATH": str(box.folder / "empty")})
    equal((result.returncode, result.stdout), (BAD_INPUT, ""), "result")
    equal(result.stderr, "magicwire: --format svg: graphviz's program 'dot' cannot be run: No such file or directory; install graphviz "
          "(scripts/setup does), or take --format dot\n", "standard error")


# The examples of the documentation


@case
def the_examples_of_the_topologies_page_run(box):
    page = (box.source / "docs/guide/topologies.md").read_text(encoding="utf-8")
    lines = [line for block in page.split("```sh\n")[1:] for line in block.split("```")[0].splitlines()]
    assert len(lines) >= 6, lines
    for line in lines:
        if ("svg" in line and shutil.which("dot") is None) or "--verify" in line:
            continue
        result = box.shell(line)
        equal((result.returncode, result.stderr), (0, ""), line)


@simulation
def the_verified_example_of_the_topologies_page_prints_what_the_page_says(box):
    page = (box.source / "docs/guide/topologies.md").read_text(encoding="utf-8")
    (line,) = re.findall("^magicwire topology solve .*--verify$", page, re.M)
    result = box.shell(line)
    equal((result.returncode, result.stderr), (0, ""), line)
    assert result.stdout.splitlines()[-1] in page.splitlines(), result.stdout.splitlines()[-1]


if __name__ == "__main__":
    if "trace-tools" in sys.argv:
        CASES.append(verify_is_refused_where_there_is_no_model)
    sys.exit(main(__doc__))
