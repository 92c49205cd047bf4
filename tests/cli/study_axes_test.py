#!/usr/bin/env python3
"""Axes of magicwire study: over everything that a point may differ in, ranges, templates with places, and draws that stay."""
import re
import sqlite3
import sys

from cli_cases import TASK, case, equal, main, refuses, specification, succeeds

FARM = "version: 1\nname: f\nmachine: chain:3\nfarm: {nodes: 3, tree: chain, tasks: 5}\napplication: {tasks: t.dat}\n"
PROGRAM = """#include <string.h>
#include <trek_kernel/trek.h>
void data_generator(void) { unsigned task = 1; for (unsigned i = 0; i < total_tasks(); ++i) do_task(&task, sizeof task); }
void comp_function(const void* data, unsigned bytes) { for (volatile int i = 0; i < LOOPS; ++i) {} return_result(data, bytes); }
void compute_fn(const void* data, unsigned bytes) { comp_function(data, bytes); }
void result_receiver(void) { for (unsigned i = 0; i < total_tasks(); ++i) get_result(0); }
"""


def points(box, axes, more="", measures="  us: execution_us\n  end: end\n", scenario="scenario: farm.yaml\n", name="s"):
    """The axes' values and the measures of each point."""
    if scenario:
        box.write("farm.yaml", FARM)
        box.write("t.dat", TASK)
    file = box.write(f"{name}.yaml", f"version: 1\nname: s\n{scenario}axes:\n{axes}{more}measures:\n{measures}")
    (box.folder / f"{name}.db").unlink(missing_ok=True)
    succeeds(box.run("study", file, "--progress", "never"))
    with sqlite3.connect(box.folder / f"{name}.db") as database:
        names = [row[0] for row in database.execute("SELECT name FROM axes ORDER BY axis")]
        names += [row[0] for row in database.execute("SELECT name FROM measure_names ORDER BY measure")]
        return list(database.execute("SELECT " + ", ".join(f'"{name}"' for name in names) + " FROM results ORDER BY point"))


@case
def fault_plans_and_bug_lists_are_axes(box):
    box.write("dies.faults", "version: 1\nfaults: [{die: n1, at: 90ms}]\n")
    box.write("late.faults", "version: 1\nfaults: [{die: n1, at: 50s}]\n")
    rows = points(box, "  faults: [dies.faults, late.faults]\n")
    equal([(file, end == "the program ended") for file, _, end in rows], [("dies.faults", False), ("late.faults", True)], "plans")
    box.write("ends.bugs", "version: 1\nbugs: [{kind: early-end, task: 2, process: compute}]\n")
    box.write("slow.bugs", "version: 1\nbugs: [{kind: slow, task: 2, process: compute, factor: 9}]\n")
    rows = points(box, "  bugs: [ends.bugs, slow.bugs]\n")
    equal([(file, end == "the program ended") for file, _, end in rows], [("ends.bugs", False), ("slow.bugs", True)], "bug lists")


@case
def templates_have_every_combination_of_their_places(box):
    rows = points(box, "  fault: {template: 'die {node} at {at}', places: {node: n1..n2, at: [90ms, 50s]}}\n")
    equal([(fault, end == "the program ended") for fault, _, end in rows],
          [("die n1 at 90ms", False), ("die n1 at 50s", True), ("die n2 at 90ms", False), ("die n2 at 50s", True)], "faults")
    rows = points(box, "  bug: {template: 'kind: {kind}, task: {task}, process: compute', places: {kind: [early-end, never-sent], task: 1..2}}\n")
    equal([bug for bug, _, end in rows if end != "the program ended"],
          [f"kind: {kind}, task: {task}, process: compute" for kind in ("early-end", "never-sent") for task in (1, 2)], "bugs")
    # Several faults at once, as a plan has them, and any other setting.
    rows = points(box, "  fault: {template: '[{slow: {node}, factor: 9, at: 1ms}, {die: n2, at: 50s}]', places: {node: [n1, n2]}}\n")
    assert all(end == "the program ended" for _, _, end in rows) and rows[0][1] != rows[1][1], rows
    equal([machine for machine, *_ in points(box, "  machine: {template: '{shape}:{nodes}', places: {shape: [chain, ring], nodes: 3..4}}\n")],
          ["chain:3", "chain:4", "ring:3", "ring:4"], "machines")


@case
def drawn_places_stay_when_more_are_drawn(box):
    axis = "  fault: {{template: 'die {{node}} at {{at}}', places: {{node: n1..n2, at: {{from: 1ms, to: 20s}}}}, draw: {}, seed: {}}}\n"
    few, many = points(box, axis.format(4, 7)), points(box, axis.format(9, 7))
    equal(many[:4], few, "the first four")
    equal(len({fault for fault, *_ in many}), 9, "different ones")
    assert {fault for fault, *_ in points(box, axis.format(4, 8))}.isdisjoint(fault for fault, *_ in few), "another seed"
    # The line that repeats a point has what was drawn.
    with sqlite3.connect(box.folder / "s.db") as database:
        (line, value, us) = database.execute("SELECT repeat, fault, us FROM results WHERE point = 3").fetchone()
    assert f"--set 'fault={value}'" in line, line
    alone = succeeds(box.shell(line + " --exit-zero --json"))
    assert f'"execution_us": {us:.0f},' in alone, alone
    # All values of small places can be drawn.
    all_of_them = points(box, "  fault: {template: 'die {node} at 50s', places: {node: n1..n2}, draw: 2}\n")
    equal(sorted(fault for fault, *_ in all_of_them), ["die n1 at 50s", "die n2 at 50s"], "both")


@case
def random_points_stay_when_there_are_more(box):
    axes = "  farm.tasks: [1, 2, 3, 4, 5, 6]\n  farm.buffers: [5, 6, 7, 8]\n"
    few, many = points(box, axes, "combine: {random: 5, seed: 3}\n"), points(box, axes, "combine: {random: 12, seed: 3}\n")
    equal(many[:5], few, "the first five")
    assert points(box, axes, "combine: {random: 5, seed: 4}\n") != few
    # Another axis does not move what is drawn of these.
    more = points(box, axes + "  seed: {from: 1, to: 9}\n", "combine: {random: 5, seed: 3}\n")
    equal([row[:2] for row in more], [row[:2] for row in few], "the two axes")


@case
def ranges_are_of_numbers_times_and_costs(box):
    def values(axis, name="application.grain"):
        return [row[0] for row in points(box, f"  {name}: {axis}\n")]

    equal(values("{from: 1ms, to: 100ms, steps: 5, scale: log}"), ["1ms", "3162us", "10ms", "31623us", "100ms"], "logarithmic times")
    equal(values("{from: 1ms, to: 3ms, step: 500us}"), ["1ms", "1500us", "2ms", "2500us", "3ms"], "times by a step")
    equal(values("{from: 1ms, to: 2ms, steps: 4}"), ["1ms", "1333us", "1667us", "2ms"], "linear times")
    equal(values("{from: 1, to: 1000, steps: 4, scale: log}", "farm.tasks"), ["1", "10", "100", "1000"], "whole numbers")
    equal(values("{from: 3, to: 9, step: 3}", "farm.tasks"), ["3", "6", "9"], "whole numbers by a step")
    equal(values("3..5", "farm.tasks"), ["3", "4", "5"], "a span")
    costs = values("{from: 1, to: 2, steps: 4}", "kernel.rendezvous")
    equal(costs, ["1", "1.33333", "1.66667", "2"], "a cost")
    equal(values("{from: 0.5, to: 2, step: 0.5}", "kernel.rendezvous"), ["0.5", "1", "1.5", "2"], "a cost by a step")
    equal(values("[2.50, 3]", "kernel.rendezvous"), ["2.5", "3"], "the usual spelling")
    equal(values("[0020, 3]", "farm.tasks"), ["20", "3"], "the usual spelling")


@case
def scenarios_costs_seeds_and_programs_are_axes(box):
    for number, tasks in (("one", 5), ("two", 9)):
        box.write(f"{number}.yaml", FARM.replace("tasks: 5", f"tasks: {tasks}"))
    box.write("t.dat", TASK)
    rows = points(box, "  scenario: [one.yaml, ./two.yaml]\n  seed: [1, 2]\n", measures="  tasks: tasks\n  seed_of_run: seed\n", scenario="")
    equal(rows, [("one.yaml", "1", 5, 1), ("one.yaml", "2", 5, 2), ("two.yaml", "1", 9, 1), ("two.yaml", "2", 9, 2)], "scenarios and seeds")
    table = (box.source / "topologies/costs/t800.yaml").read_text(encoding="utf-8")
    box.write("cheap.yaml", table)
    box.write("dear.yaml", re.sub(r"(kernel.rendezvous: *\{value: )[0-9.]+", r"\g<1>200", table))
    cheap, dear = points(box, "  costs: [cheap.yaml, dear.yaml]\n")
    assert cheap[1] < dear[1], (cheap, dear)
    equal(points(box, "  kernel.rendezvous: [1, 200]\n")[1][1], dear[1], "the cost alone")
    for name, loops in (("a", 100), ("b", 20000)):
        box.write(f"{name}.c", PROGRAM.replace("LOOPS", str(loops)))
        box.write(f"{name}.farm", specification(f"{name}.c", tasks=9, nodes=3, cost="estimated"))
    rows = points(box, "  scenario: [a.farm, b.farm]\n", measures="  us: execution_us\n  tasks: tasks\n", scenario="")
    assert [row[2] for row in rows] == [9, 9] and rows[0][1] < rows[1][1], rows
    box.write("p.yaml", "version: 1\nname: p\napplication: {farm: a.farm}\n")
    rows = points(box, "  application.farm: [a.farm, b.farm]\n", scenario="scenario: p.yaml\n")
    equal([row[0] for row in rows], ["a.farm", "b.farm"], "programs")
    assert rows[0][1] < rows[1][1], rows


@case
def exclusions_match_by_a_star(box):
    rows = points(box, "  farm.tasks: [1, 2]\n  fault: {template: 'die {node} at {at}', places: {node: n1..n2, at: [30s, 50s]}}\n",
                  "exclude: [{farm.tasks: 01, fault: 'die n2 *'}, {fault: '*50s'}]\n")
    equal([row[:2] for row in rows], [("1", "die n1 at 30s"), ("2", "die n1 at 30s"), ("2", "die n2 at 30s")], "points")


@case
def an_expression_without_a_value_fails_its_point(box):
    box.write("farm.yaml", FARM)
    box.write("t.dat", TASK)
    file = box.write("s.yaml", "version: 1\nname: s\nscenario: farm.yaml\naxes: {farm.tasks: [3, 5, 4]}\nmeasures: {us: execution_us, tasks: tasks, rate: = us / (tasks - 5), more: = rate + 1}\n")
    result = box.run("study", file, "--progress", "never")
    equal((result.returncode, result.stderr), (4, ""), "exit code and errors")
    with sqlite3.connect(box.folder / "s.db") as database:
        rows = list(database.execute("SELECT tasks, rate IS NULL, more IS NULL, failure, exit_code FROM results ORDER BY point"))
    equal(rows, [(3, 0, 0, "", 0), (5, 1, 1, "'rate' is 'us / (tasks - 5)', which has no finite value here; change it, as 'b != 0 ? a / b : 0'", 0), (4, 0, 0, "", 0)], "rows")
    # What a run does not have is no failure.
    rows = points(box, "  fault: [die n1 at 90ms, die n1 at 50s]\n", measures="  why: diagnosis\n  ps: faults.0.first_ps\n  ms: = ps * 1e-9\n")
    assert rows[0][1] and rows[0][3] == 90 and rows[1][1:] == (None, None, None), rows


@case
def a_group_sets_several_settings_at_once(box):
    box.write("farm.yaml", "version: 1\nname: f\nmachine: chain:3\nfarm: {nodes: 3, tree: chain, tasks: 5}\napplication: {tasks: t.dat}\n")
    box.write("t.dat", TASK)

    def study(axes):
        return box.write("g.yaml", f"version: 1\nname: g\nscenario: farm.yaml\naxes: {{{axes}}}\nmeasures: {{tasks: tasks}}\n")

    groups = "farms: {few: {farm.tasks: 2, farm.buffers: 1}, many: {farm.tasks: 7, application.tasks: t.dat}}"
    succeeds(box.run("study", study(groups + ", seed: [1, 2]"), "--progress", "never"))
    with sqlite3.connect(box.folder / "g.db") as database:
        equal(list(database.execute("SELECT farms, seed, tasks FROM results ORDER BY point")), [("few", "1", 2), ("few", "2", 2), ("many", "1", 7), ("many", "2", 7)], "rows")
        (line,) = database.execute("SELECT repeat FROM results WHERE point = 1").fetchone()
    equal(line, "magicwire run farm.yaml --set farm.tasks=2 --set farm.buffers=1 --set seed=1", "the line")
    kept = box.run("study", f"../{box.folder.name}/g.yaml", "-o", "g.db", "--progress", "never")
    assert "4 of them from before" in succeeds(kept), "from another folder the groups are the same"
    out = succeeds(box.run("study", study(groups.replace("2,", "3,") + ", seed: [1, 2]"), "--progress", "never"))
    assert "4 rows from before no longer held" in out, out

    def told(axes, message):
        refuses(box, ["study", study(axes)], "g.yaml:4:" + message)

    told("farm.tasks: {few: {seed: 2}}", "8: 'farm.tasks' has groups of settings, so it needs a name of its own, as 'farms': letters, digits and '_', and no setting")
    told("farms: {few: {farm.tasks: 2}, many: 7}", "44: 'many' has no settings; write them as {farm.tasks: 9, farm.buffers: 1}")
    told("farms: {few: {}}", "21: 'few' has no settings; write them as {farm.tasks: 9, farm.buffers: 1}")
    told("farms: {2: {farm.tasks: 2}}", "16: '2' is a number; give the group a name")
    told("farms: {few: {scenario: farm.yaml}}", "22: 'scenario' is no setting; it can only be an axis of its own")
    told("farms: {few: {farm.tasks: 2}}, farm.tasks: [3]", "16: 'farms' and 'farm.tasks' both set 'farm.tasks'; leave it out in one")
    told("farms: {few: {farm.tusks: 2}}", "16: point 1, with 'farms: few', is refused: --set farm.tusks=2: there is no setting or cost 'farm.tusks', did you mean 'farm.tasks'?")


if __name__ == "__main__":
    sys.exit(main(__doc__))
