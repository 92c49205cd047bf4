#!/usr/bin/env python3
"""A scenario of phases: several farms one after the other on one machine, each on a network of its own."""
import json
import re
import sys

from cli_cases import BAD_INPUT, DONE, UNKNOWN, case, equal, is_json, main, refuses, succeeds

TASK = "0  20 10 0  3000 1000 0  10 10 0  100 10 0  100 10 0\n"
STUCK = TASK + "20  20 10 0  3000 1000 2  10 10 0  100 10 0  100 10 0\n21  20 10 0  3000 1000 0  10 10 0  100 10 0  100 10 0\n"
PINNED = "5cae4cf524c0cd9f"  # of the example


def example(box):
    return box.source / "examples/phases/tree_then_ring.yaml"


def phases(box, second="{name: ring, network: ring:16, farm: {nodes: 16, tree: chain, tasks: 60}, application: {tasks: tasks.dat}}", head="", first_tasks="tasks.dat",
           machine=None):
    box.write("tasks.dat", TASK)
    box.write("stuck.dat", STUCK)
    machine = machine or box.source / "topologies/machines/ubc_75.yaml"
    return box.write("p.yaml", f"version: 1\nname: two\nmachine: {machine}\n{head}phases:\n"
                               f"  - {{name: tree, network: 'tree:2:16', farm: {{nodes: 16, tree: binary, tasks: 60}}, application: {{tasks: {first_tasks}}}}}\n  - {second}\n")


@case
def a_tree_and_then_a_ring_in_one_session(box):
    run = is_json(succeeds(box.run("run", example(box), "--json")), "magicwire.phases/1")
    equal([phase["name"] for phase in run["phases"]], ["tree", "ring"], "names")
    tree, ring = run["phases"]
    for phase in (tree, ring):
        equal((phase["begun"], phase["run"]["results"], phase["run"]["completed"], phase["run"]["finished"]), (True, 60, 60, True), phase["name"])
        equal(sum(phase["run"]["distribution"]), 60, "tasks computed")
    assert tree["run"]["verdict"] and "verdict" not in ring["run"], "the first is monitored, the second is not"
    moments = [tree["times"][key] for key in ("began_us", "loaded_us", "farm_over_us", "collected_us")]
    moments += [ring["times"][key] for key in ("began_us", "cleared_us", "switched_us", "routed_us", "loaded_us", "farm_over_us", "collected_us")]
    equal(moments, sorted(moments), "moments, one after the other")
    equal(tree["times"]["collected_us"], ring["times"]["began_us"], "one clock")
    assert ring["times"]["cleared_us"] > ring["times"]["began_us"] and ring["times"]["loaded_us"] > ring["times"]["routed_us"], "each takes time"
    equal(run["run_hash"], PINNED, "run hash")
    again = is_json(succeeds(box.run("run", example(box), "--json")), "magicwire.phases/1")
    equal(again, run, "the same run")
    other = is_json(succeeds(box.run("run", example(box), "--json", "--seed", "2")), "magicwire.phases/1")
    assert other["run_hash"] != run["run_hash"], "another seed"


@case
def the_time_of_the_reconfiguration_is_that_of_the_control_connections(box):
    run = json.loads(succeeds(box.run("run", example(box), "--json")))
    ring = run["phases"][1]
    done = ring["reconfiguration"]
    # By hand: messages 1 and 6 have three bytes, message 3 has one for each switch that gets a connection; 64 bytes of enquiries.
    changes, switches = ring["connections_made"] + ring["connections_taken_away"], done["switches"]
    least_bytes, most_bytes = 3 * changes + 64 * switches, 3 * changes + 65 * switches
    assert least_bytes <= done["configuration_bytes"] <= most_bytes, done
    byte_us = 0.6125  # one way over no switch: docs/model/timing_model.md, data packet, acknowledge and both turn-rounds
    spent_us = (done["switched_ps"] - done["began_ps"]) / 1e6
    # Two connections work at once. The longer has half of the bytes at least; all bytes on one would be the most. A byte goes over
    # the line and then over the configuration link; each switch has two requests with a header of 4 bytes, 20 us of the host and
    # three controllers of 15 us at most, and answers of 36 bytes that go back.
    least_us = done["configuration_bytes"] / 2 * 0.55
    most_us = 2 * done["configuration_bytes"] * byte_us + switches * (2 * (4 * byte_us + 20) + 36 * byte_us) + 6 * 15 + 3 * 36 * byte_us
    assert least_us < spent_us < most_us, (least_us, spent_us, most_us)
    equal(ring["times"]["switched_us"], done["switched_ps"] // 1000000, "end of the work")
    equal(done["began_ps"] // 1000000, ring["times"]["cleared_us"], "it begins when the programs have ended")
    equal((done["nodes_told"], done["nodes_silent"]), (16, 0), "nodes with a new table")
    equal(ring["connections_made"] + ring["connections_taken_away"], ring["least_changes"], "fewest changes")


@case
def the_second_farm_is_that_of_a_machine_wired_so(box):
    both = json.loads(succeeds(box.run("run", phases(box), "--json")))
    succeeds(box.run("topology", "solve", "tree:2:16", "--keep-places", "--fewest-changes", "--host-port", "any", "--out", "tree.yaml"))
    succeeds(box.run("topology", "solve", "ring:16", "--onto", "tree.yaml", "--keep-places", "--fewest-changes", "--host-port", "any", "--out", "ring.yaml"))
    alone = box.write("alone.yaml", "version: 1\nname: alone\nmachine: ring.yaml\nfarm: {nodes: 16, tree: chain, tasks: 60}\napplication: {tasks: tasks.dat}\n")
    wired = json.loads(succeeds(box.run("run", alone, "--json")))
    ring = both["phases"][1]["run"]
    for key in ("tasks", "results", "issued", "completed", "distribution", "unexpected_results", "end"):
        equal(ring[key], wired[key], key)
    times = [run["farm_ended_us"] - run["farm_began_us"] for run in (ring, wired)]
    assert abs(times[0] - times[1]) <= 0.002 * times[1], f"clocks and timers stand elsewhere: {times}"
    # Totals of links are of the phase alone: the same application traffic.
    def traffic(run):
        return sorted((link["from"], link["to"], link["application_bytes"]) for link in run["links"] if link["application_bytes"] > 0)
    equal(traffic(ring), traffic(wired), "traffic of the farm")


@case
def each_phase_has_its_files(box):
    out = succeeds(box.run("run", example(box), "--out", "out"))
    assert "Phase 1 of 2: tree" in out and "Phase 2 of 2: ring" in out and "All phases:" in out, out
    assert re.search(r"between +programs ended in .*, switches set in .* us, routes sent in .*, next programs loaded in ", out), out
    files = {name for name in box.files() if name.startswith("out/")}
    for name in ("summary.json", "phase-1/data.mwt", "phase-1/data.all", "phase-1/oracle.json", "phase-1/summary.json", "phase-2/oracle.json", "phase-2/console.txt"):
        assert f"out/{name}" in files, files
    assert "out/phase-2/data.mwt" not in files, files
    told = json.loads(box.read("out/summary.json"))
    equal(json.loads(box.read("out/phase-2/summary.json")), told["phases"][1]["run"], "summary of the second")
    succeeds(box.run("detrek", "-p", "out/phase-1/data"))
    for phase in (1, 2):
        equal(json.loads(box.read(f"out/phase-{phase}/oracle.json"))["conservation"]["unexplained"], 0, "tasks without a cause")
    result = box.run("run", example(box), "--out", "out")
    equal(result.returncode, BAD_INPUT, "an existing folder")
    succeeds(box.run("run", example(box), "--out", "out", "--force"))
    repeat = re.search(r"repeat +(.*)\n*$", out)[1]
    equal(re.findall(r"run hash +(\w+)", box.shell(repeat).stdout), re.findall(r"run hash +(\w+)", out), "repetition")


@case
def a_phase_behind_a_farm_that_stands_still_is_not_begun(box):
    result = box.run("run", phases(box, first_tasks="stuck.dat"), "--json")
    equal(result.returncode, UNKNOWN, "exit code")
    tree, ring = json.loads(result.stdout)["phases"]
    assert tree["run"]["results"] < 60, tree["run"]["results"]
    equal((ring["begun"], ring["why"]), (False, "the farm before it had not ended"), "the second")
    text = box.run("run", phases(box, first_tasks="stuck.dat"))
    assert "not begun    the farm before it had not ended" in text.stdout, text.stdout
    equal(box.run("run", phases(box, first_tasks="stuck.dat"), "--exit-zero").returncode, DONE, "exit code with --exit-zero")


@case
def the_network_may_stay_or_be_given_link_by_link(box):
    text = phases(box, second="{name: again, farm: {nodes: 8, tree: chain, tasks: 20}, application: {tasks: tasks.dat}, monitor: {unload: [[1000s, 8, 32]]}}")
    run = json.loads(succeeds(box.run("run", text, "--json")))
    again = run["phases"][1]
    equal((again["network"], again["reconfiguration"], again["connections_made"], again["run"]["results"]), ("as before", None, 0, 20), "the second")
    # Links of the crossbars, one by one: the same ends that the solver has joined for a chain.
    found = json.loads(succeeds(box.run("topology", "solve", "chain:3", "--keep-places", "--json")))
    ends = [f"{edge['a']} - {edge['b']}" for edge in found["edges"]]
    text = phases(box, second="{name: by_hand, network: [" + ", ".join(ends) + "], farm: {nodes: 3, tree: chain, tasks: 20}, application: {tasks: tasks.dat}}")
    run = json.loads(succeeds(box.run("run", text, "--json")))
    equal(run["phases"][1]["run"]["results"], 20, "results on links by hand")


@case
def a_program_runs_in_two_phases_as_if_each_were_the_first(box):
    succeeds(box.run("farm", "new", "pi"))
    one = "farm: {nodes: 4, tree: chain, tasks: 6}, application: {farm: pi/pi.farm}"
    ring, tree = "{name: b, network: ring:4, " + one + "}", "{name: a, network: 'chain:4', " + one + "}"
    file = box.write("q.yaml", f"version: 1\nname: two\nmachine: {box.source / 'topologies/machines/ubc_75.yaml'}\nphases:\n  - {tree}\n  - {ring}\n")
    first, second = json.loads(succeeds(box.run("run", file, "--json", "--set", "farm.tasks=20")))["phases"]
    said = [re.sub(r"Execution time.*|Node .*", "", phase["run"]["console"]) for phase in (first, second)]
    equal(said[1], said[0], "output of the program")
    equal(second["run"]["results"], 20, "results")


@case
def settings_go_to_every_phase(box):
    run = json.loads(succeeds(box.run("run", phases(box), "--json", "--set", "farm.tasks=10", "--set", "seed=3")))
    equal([phase["run"]["tasks"] for phase in run["phases"]], [10, 10], "tasks")
    equal([run["seed"]] + [phase["run"]["seed"] for phase in run["phases"]], [3, 3, 3], "seeds")


@case
def mistakes_are_refused_before_anything_runs(box):
    farm = "farm: {nodes: 4, tree: chain, tasks: 9}, application: {tasks: tasks.dat}"
    for second, message in (
            (f"{{name: a, network: rung:4, {farm}}}", "p.yaml:6:24: 'rung:4' is neither a machine file nor a shape: there is no shape 'rung', did you mean 'ring'?"),
            (f"{{name: a, network: ring:80, {farm}}}", "p.yaml:6:24: ring_80: wants 80 nodes"),
            (f"{{name: a, network: ring:3, {farm}}}", "p.yaml:6:5: the farm uses n3, which the host cannot reach on the network of this phase; give it a larger network, or fewer nodes"),
            (f"{{name: a, network: ring:20, {farm}}}", "p.yaml:6:5: the network of this phase has n16 to n19, which the first phase's network does not reach"),
            (f"{{name: a, netwrok: ring:4, {farm}}}", "p.yaml:6:15: unknown key 'netwrok', did you mean 'network'?"),
            (f"{{network: ring:4, {farm}}}", "p.yaml:6:5: key 'name' is missing in an entry of 'phases'; add 'name: ...'"),
            (f"{{name: a, network: [n0.1], {farm}}}", "p.yaml:6:25: 'n0.1' names no link; write two ends, as in 'n0.1 - n3.2'"),
            (f"{{name: a, network: [n0.1 - n0.2], {farm}}}", "p.yaml:6:25: n0.2: is a link of n0 as well"),
            ("{name: a, network: ring:4, farm: {nodes: 4, tree: best, tasks: 9}, application: {tasks: tasks.dat}}", "p.yaml:6:5: a phase needs its tree in words"),
            ("{name: a, network: ring:4}", "application"),
            (f"{{name: a, faults: x, {farm}}}", "unknown key 'faults'")):
        result = box.run("run", phases(box, second))
        equal((result.returncode, result.stdout), (BAD_INPUT, ""), second)
        assert message in result.stderr, (message, result.stderr)
    for head, message in (("farm: {nodes: 2, tree: chain, tasks: 1}\n", "'farm' stands beside 'phases', and each phase has its own; move it into a phase"),
                          ("monitor: {unload: adaptive}\n", "'monitor' stands beside 'phases'"), ("reconfigure: []\n", "does not go with 'phases': the host sets the switches between"),
                          ("fault: die n5\n", "does not go with 'phases'")):
        result = box.run("run", phases(box, head=head))
        equal(result.returncode, BAD_INPUT, head)
        assert message in result.stderr, (message, result.stderr)
    refused = box.run("run", phases(box, machine=box.source / "topologies/machines/btree_16.yaml"))
    assert "the machine 'btree_16' has no switches, so its network cannot change" in refused.stderr, refused.stderr


@case
def what_shows_one_farm_is_refused(box):
    file = phases(box)
    for option in ("--report text", "--predict", "--oracle o.json", "--vcd v.vcd --watch n0.1", "--fork-at 1ms --what-if seed=2"):
        result = box.run("run", file, *option.split())
        equal(result.returncode, BAD_INPUT, option)
        assert "is for one farm, and the scenario has phases with a farm each" in result.stderr, result.stderr
    for command in ("shell", "top", "predict", "overhead"):
        result = box.run(command, file, input="")
        equal(result.returncode, BAD_INPUT, command)
        assert "has phases, several farms one after the other, which only 'magicwire run' can do" in result.stderr, result.stderr
    refuses(box, ["run", file, "--bugs", "p.yaml"], "p.yaml:5:3: '--faults' and '--bugs' do not go with phases, which are several farms; leave them out")


if __name__ == "__main__":
    sys.exit(main(__doc__))
