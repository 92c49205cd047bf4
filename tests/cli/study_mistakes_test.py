#!/usr/bin/env python3
"""Bad study files: file, line, column and remedy, before the first point runs."""
import sys

from cli_cases import TASK, case, main, refuses

FARM = "version: 1\nname: f\nmachine: chain:3\nfarm: {nodes: 3, tree: chain, tasks: 5}\napplication: {tasks: t.dat}\n"
MEASURES = "measures: {us: execution_us}\n"


def told(box, rest, message, name="s.yaml"):
    box.write("farm.yaml", FARM)
    box.write("t.dat", TASK)
    refuses(box, ["study", box.write(name, f"version: 1\nname: s\nscenario: farm.yaml\n{rest}")], message)


@case
def a_value_stands_there_once_in_any_spelling(box):
    told(box, "axes: {farm.tasks: [20, 020]}\n" + MEASURES, "s.yaml:4:25: 'farm.tasks' has the value '20' twice, here as '020'; leave one out")
    told(box, "axes: {application.grain: [1ms, 1000us]}\n" + MEASURES, "s.yaml:4:33: 'application.grain' has the value '1ms' twice, here as '1000us'; leave one out")
    told(box, "axes: {kernel.rendezvous: [1, 1.0]}\n" + MEASURES, "s.yaml:4:31: 'kernel.rendezvous' has the value '1' twice, here as '1.0'; leave one out")
    told(box, "axes: {application.tasks: [t.dat, ./t.dat]}\n" + MEASURES, "s.yaml:4:35: 'application.tasks' has the value 't.dat' twice, here as './t.dat'; leave one out")
    told(box, "axes: {farm.tasks: [20, 30, 20], seed: [1, 2, 01]}\ncombine: zip\n" + MEASURES, "s.yaml:4:29: points 1 and 3 have the same values; leave one out")
    told(box, "axes: {farm.tasks: [20, 0x14]}\n" + MEASURES,
         "s.yaml:4:25: point 2, with 'farm.tasks: 0x14', is refused: --set farm.tasks=0x14: expected a whole number from 0 to 268435456 and got '0x14'")


@case
def a_bill_needs_a_monitor(box):
    told(box, "axes: {farm.tasks: [1, 2]}\nmeasures: {slow: bill.slow_down}\n",
         "s.yaml:5:18: 'bill.slow_down' is part of the bill of monitoring, and point 1, with 'farm.tasks: 1', has no monitor; add 'monitor:' to its scenario, or leave the "
         "measure out")


@case
def expressions_are_told_at_their_characters(box):
    def expression(text, column, why):
        inner = text.strip("'\"")[1:].lstrip()
        told(box, f"axes: {{seed: [1]}}\nmeasures: {{us: execution_us, b: {text}}}\n", f"s.yaml:5:{column}: '{inner}' is no expression over the measures before it: {why}")

    expression("= us = 3", 38, "'=' sets a value; compare with '=='")
    expression("= us += 3", 39, "'=' sets a value; compare with '=='")
    expression("'= us, 3'", 38, "',' makes several values; write one, and a point in numbers")
    expression("'= min(us, 3), 4'", 46, "',' makes several values; write one, and a point in numbers")
    expression("= us + (3 * uz)", 45, "Unexpected token \"uz\", did you mean 'us'?")
    expression("= sqr(us)", 35, "Unexpected token \"sqr\", did you mean 'sqrt'?")
    expression("= (us", 38, "Missing parenthesis")


@case
def ranges_lead_somewhere(box):
    def told_of(axis, place, message):
        told(box, f"axes: {{{axis}}}\n{MEASURES}", f"s.yaml:4:{place}: {message}")

    told_of("seed: {from: 1, to: 1000000000}", 14, "more than 1000000 values; take a longer step")
    told_of("seed: {from: 1, to: 900000}, farm.tasks: {from: 1, to: 900000}", 37, "with these the axes have more than 1000000 values; leave some out")
    told_of("seed: {from: 1, to: 1001}, farm.tasks: {from: 1, to: 1001}", 8, "the axes make more than 1000000 points; leave out values, or draw some by 'combine: {latin: NUMBER}'")
    told_of("seed: {a: 1}", 15, "unknown key 'a'; the keys here are from, to, step, steps, scale")
    told_of("seed: 7", 14, "'7' is no list of values; write [a, b], n1..n7, or {from: 1, to: 9}")
    told_of("seed: 9..7", 14, "'9..7' is no list of values; write [a, b], n1..n7, or {from: 1, to: 9}")
    told_of("application.grain: {from: 1ms, to: 100ms}", 27, "a range of times needs 'step: TIME', or 'steps: NUMBER' for so many values")
    told_of("application.grain: {from: 1ms, to: 100ms, scale: log}", 57, "a 'scale' needs 'steps', the number of values, as 'steps: 5'")
    told_of("application.grain: {from: 0ms, to: 100ms, steps: 3, scale: log}", 34, "a logarithmic scale needs a value above 0")
    told_of("application.grain: {from: 10ms, to: 1ms, steps: 3}", 44, "'to' is '1ms', which is less than 'from'; exchange the two")
    told_of("application.grain: {from: 1ms, to: 2ms, step: 1ms, steps: 3}", 54, "'step' and 'steps' are given; leave one of the two out")
    told_of("farm.tasks: {from: 1, to: 3, steps: 7}", 44, "two of the values are '1'; take fewer steps")


@case
def templates_and_their_places_fit(box):
    def told_of(axis, place, message):
        told(box, f"axes: {{fault: {{{axis}}}}}\n{MEASURES}", f"s.yaml:4:{place}: {message}")

    told_of("template: 'die {nod}', places: {node: n1..n2}", 31, "'places' has no 'nod'; add 'nod: [a, b]' there")
    told_of("template: 'die {node}', places: {node: n1..n2, a: [1]}", 66, "the template has no '{a}'; write it where the value belongs, or leave 'a' out")
    told_of("template: 'die {node}', places: {node: n1..n9}", 26, "point 3, with 'fault: die n3', is refused: --set fault=die n3: machine 'chain_3' has no node 'n3': it has n0 to n2; name one of these")
    told_of("template: 'die {node}', places: {node: n1..n2}, draw: 3", 70, "the places make 2 different values; draw at most so many")
    told_of("template: 'die {node}', places: {node: n1..n2}, seed: 3", 70, "nothing is drawn here; write 'draw: NUMBER', or leave 'seed' out")
    told_of("template: 'die {node}', places: {node: []}", 55, "the place 'node' has no value; give at least one")
    told_of("template: 'die n1', places: {}", 44, "a template needs a place, as 'node: n1..n7'")
    told_of("template: 'die {node} at {at}', places: {node: n1..n999999, at: {from: 1ms, to: 10s}}", 56, "the places make more than 1000000 values; draw some by 'draw: NUMBER'")


@case
def the_file_itself_is_strict(box):
    told(box, "axes: {seed: &a [1, 2], farm.tasks: *a}\n" + MEASURES, "s.yaml:4:14: anchors are not supported; write the value out where it is needed")
    told(box, "axes: {seed: [1], seed: [2]}\n" + MEASURES, "s.yaml:4:19: key 'seed' is already at line 4; keep one of the two")
    told(box, "axes: {seed: []}\n" + MEASURES, "s.yaml:4:14: the axis 'seed' has no value; give at least one")
    told(box, "axes: {seed: [[1]]}\n" + MEASURES, "s.yaml:4:15: an entry of 'seed' must be one value, but is a list; write a single word or number")
    told(box, "axes: [seed]\n" + MEASURES, "s.yaml:4:7: 'axes' must be a map, but is a list; write lines of 'key: value', or '{key: value}'")
    told(box, "axes: {seed: [1, 2]}\ncombine: {random: 1000000000}\n" + MEASURES,
         "s.yaml:5:19: 'random' is '1000000000', but must be a whole number from 1 to 1000000; write a number in that range")
    told(box, "axes: {seed: [1, 2]}\nexclude: [{seed: '3*'}]\n" + MEASURES, "s.yaml:5:18: 'seed' never has the value '3*'")
    told(box, "axes: {seed: [1]}\nlimits: {time: 0s}\n" + MEASURES, "s.yaml:5:16: a point needs some time")
    told(box, f"axes: {{seed: {'[' * 100000}\n", "s.yaml:5:1: not valid YAML: bad file; check brackets, quotes and indentation here")


@case
def one_more_bug_or_fault_is_checked_as_in_a_list(box):
    box.write("farm.yaml", FARM)
    box.write("t.dat", TASK)

    def refused(value, why, *more):
        refuses(box, ["run", "farm.yaml", *more, "--set", value], f"--set {value}: {why}")

    refused("bug=", "the bug is empty; write an entry of a bug list, as in 'kind: early-end, task: 3, process: compute'")
    refused("bug=[{}]", "the bug is empty; write an entry of a bug list, as in 'kind: early-end, task: 3, process: compute'")
    refused("bug=kind: slow", "key 'process' is missing in an entry of 'bugs'; add 'process: ...'")
    refused("bug=kind: early-end, task: 99, process: compute", "the farm has tasks 0 to 4, and no task 99; name one of these")
    refused("bug=kind: never-sent, task: 1, process: compute",
            "this entry (never-sent in compute of task 1) and an earlier one (early-end in compute of task 1) strike the same step, and a stopped process sends nothing; "
            "remove one of the two, or change what they select", "--set", "bug=kind: early-end, task: 1, process: compute")
    refused("fault=[]", "the fault is empty; write a verb and its target, as in 'die n5'")
    refused("fault=[{die: n9, at: 1ms}]", "machine 'chain_3' has no node 'n9': it has n0 to n2; name one of these")


if __name__ == "__main__":
    sys.exit(main(__doc__))
