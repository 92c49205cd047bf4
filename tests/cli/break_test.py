#!/usr/bin/env python3
"""'break when' and 'back cut' in magicwire shell: predicates over global states.

    break_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

The judge is here: vector clocks from the lines of 'magicwire sort', and cuts by trying. Every case works in an empty folder of its own. A NAME
picks the cases whose name contains it. A case that fails keeps its folder and prints where it is; exit code 1.
"""
import itertools
import json
import re
import sys

from cli_cases import BAD_INPUT, equal, is_json, main, simulation, succeeds
from shell_cases import example, hash_of, typed

sys.dont_write_bytecode = True
ALL = "monitor.events=task+process+usage+user+message"


def answers(result):
    return [is_json(line, "magicwire.shell/1") for line in result.stdout.splitlines()]


def hits(result):
    """The breakpoints of each answer to 'run' that a breakpoint gave."""
    return [(answer["time_ps"], one) for answer in answers(result) if answer["command"] == "run" and "data" in answer
            for one in answer["data"]["breakpoints"]]


class History:
    """The records of a run, with the number of each node's records in the past of each."""

    def __init__(self, box, scenario, *options):
        box.run("run", scenario, *options, "--out", "whole", "--exit-zero", "--sorted", "sorted.jsonl")
        self.nodes, self.arrived = {}, {}
        past = {}
        for text in box.read("sorted.jsonl").splitlines():
            line = json.loads(text)
            if line["what"] != "record":
                continue
            node, own = line["node"], dict(past.get(line["node"], {}))
            if line["source"]:
                for other, count in self.find(line["source"]["id"])["past"].items():
                    own[other] = max(own.get(other, 0), count)
            own[node] = line["seq"] + 1
            past[node] = own
            self.nodes.setdefault(node, []).append({**line, "past": own})
            self.arrived[line["id"]] = line["reported_us"]

    def find(self, name):
        node, number = name[1:].split(":")
        return self.nodes[int(node)][int(number)]

    def cut(self, *names):
        """The least cut with these records."""
        cut = {}
        for name in names:
            for node, count in self.find(name)["past"].items():
                cut[node] = max(cut.get(node, 0), count)
        return cut

    def concurrent(self, one, other):
        """The states behind the two records can be together."""
        a, b = self.find(one), self.find(other)
        return b["past"].get(a["node"], 0) <= a["seq"] + 1 and a["past"].get(b["node"], 0) <= b["seq"] + 1

    def ids(self, node, **wanted):
        return [line["id"] for line in self.nodes[node] if all(line[key] == value for key, value in wanted.items())]


def cut_of(one):
    return {part["node"]: part["records"] for part in one["cut"] if part["records"] > 0}


@simulation
def an_event_stops_the_run_when_its_record_is_reported(box):
    scenario = example(box, "dc8")
    history = History(box, scenario)
    result = typed(box, scenario, ["break when receive(n4, task=49)", "run", "quit"], "--json")
    (time_ps, one), = hits(result)
    event, = history.ids(4, kind="receive", task=49)
    equal((one["truth"], one["certainty"], one["records"], one["told_by"]), ("holds", "certain", [event], event), "the answer")
    equal(cut_of(one), history.cut(event), "the cut")
    equal(time_ps // 1_000_000, history.arrived[event], "the moment of the stop, in us")


@simulation
def possibly_has_the_earliest_cut_and_the_moment_of_the_last_record(box):
    scenario = example(box, "dc8")
    history = History(box, scenario)
    lines = ["break when possibly(receive(n4, task=49) and receive(n5, task=49))", "break when possibly(receive(n4) and send(n6, result=yes) and receive(n2))",
             "run", "run", "quit"]
    seen = {one["number"]: (time_ps, one) for time_ps, one in hits(typed(box, scenario, lines, "--json"))}
    both = history.ids(4, kind="receive", task=49) + history.ids(5, kind="receive", task=49)
    equal((sorted(seen[1][1]["records"]), cut_of(seen[1][1])), (sorted(both), history.cut(*both)), "two nodes")
    equal(seen[1][0] // 1_000_000, max(history.arrived[name] for name in both), "the moment of the stop, in us")
    three = [history.ids(4, kind="receive"), history.ids(6, kind="send", is_result=True), history.ids(2, kind="receive")]
    together = [names for names in itertools.product(*three) if all(history.concurrent(a, b) for a, b in itertools.combinations(names, 2))]
    cuts = [history.cut(*names) for names in together]
    least = {node: min(cut.get(node, 0) for cut in cuts) for node in range(8)}
    equal(cut_of(seen[2][1]), {node: count for node, count in least.items() if count > 0}, "three nodes")


@simulation
def what_follows_is_in_the_order_of_the_messages(box):
    scenario = example(box, "dc8")
    history = History(box, scenario)
    lines = ["break when receive(n4, task=3) -> receive(n0, result=yes, task=3)", "break when receive(n5, task=3) -> receive(n4, task=3)", "run", "run", "break", "quit"]
    result = typed(box, scenario, lines, "--json")
    (_, one), = hits(result)
    first, last = one["records"]
    equal(first, history.ids(4, kind="receive", task=3)[0], "the first")
    assert last in history.ids(0, kind="receive", task=3, is_result=True) and history.find(last)["past"][4] > history.find(first)["seq"], one
    never = answers(result)[-2]["data"]["breakpoints"][1]
    equal((never["truth"], never["certainty"]), ("never", "unknown"), "what did not happen on nodes that fell silent")
    assert "end without an end mark" in never["why"], never


@simulation
def breakpoints_change_no_run(box):
    scenario = example(box, "dc8")
    plain = hash_of(succeeds(typed(box, scenario, ["run", "summary", "quit"])))
    asleep = ["break when count(receive(n0)) >= 100000", "break when possibly(user(n1) and user(n2))", "break when unread(n1) >= 1000"]
    equal(hash_of(succeeds(typed(box, scenario, asleep + ["run", "summary", "quit"]))), plain, "run hash with breakpoints that are not hit")
    hit = ["break when receive(n4, task=49)", "run until 700ms", "break when in_flight(n1, n3) >= 2", "run", "run", "run", "summary", "quit"]
    equal(hash_of(succeeds(typed(box, scenario, hit))), plain, "run hash with breakpoints that are hit")


@simulation
def back_cut_shows_the_predicate_true_on_the_machine(box):
    cases = [("dc8", (), "possibly(receive(n4, task=49) and receive(n5, task=49))"),
             ("dc8", (), "in_flight(n1, n3) >= 1"),
             ("dc8", (), "unread(n0) >= 1"),
             ("dc8", (), "between(receive(n2, task=20, result=no), send(n2, task=20, result=yes))"),
             ("dc8", (), "definitely(count(receive(n4)) >= 3 and count(receive(n7)) >= 3)"),
             ("dc8", (), "receive(n4, task=3) -> receive(n0, result=yes, task=3)")]
    for name, options, predicate in cases:
        if predicate.startswith("between"):
            predicate = f"possibly({predicate} and receive(n3))"
        lines = [f"break when {predicate}", "run", "back cut", "state at now", "quit"]
        result = typed(box, example(box, name), lines, *options, "--json")
        back = answers(result)[2]
        assert back["ok"] and "it holds in this state, in which no node is past its part" in back["text"], back["text"]
        rows = re.findall(r"^  n(\d) +(\d+) +(\d+) +(\d+)  (.*)$", back["text"], re.M)
        equal({(row[1] == row[2], row[4]) for row in rows}, {(True, "the same")}, f"parts of {predicate}")
        equal(len(rows), 8, "nodes")


@simulation
def back_cut_says_what_the_machine_does_not_do(box):
    """By the records two tasks can be on their way; on the machine a link takes the second when the first is received."""
    back = answers(typed(box, example(box, "dc8"), ["break when in_flight(n1, n3) >= 2", "run", "back cut", "quit"], "--json"))[2]
    assert not back["ok"] and "it is not shown to hold here" in back["text"] and "n1" in back["text"], back["text"]
    assert "it has not come there" in back["text"], back["text"]


@simulation
def back_cut_holds_messages_of_programs_too_and_says_when_it_cannot(box):
    scenario = box.source / "examples/tmon/all_events.yaml"
    for predicate, exact in (("unread(n2, messages) >= 2", True), ("message-receive(n1) -> message-receive(n3)", True),
                             ("possibly(message-receive(n1) and message-receive(n2))", False)):
        text = answers(typed(box, scenario, [f"break when {predicate}", "run", "back cut", "quit"], "--set", ALL, "--json"))[2]["text"]
        assert "it holds in this state" in text, text
        equal("in which no node is past its part" in text, exact, predicate)
        if not exact:
            assert "nodes that the predicate does not name went on" in text and "the same, and it went on" in text, text


@simulation
def the_line_that_repeats_the_run_goes_to_the_cut_too(box):
    lines = ["break when receive(n4, task=49)", "run", "back cut", "release", "run", "summary", "quit"]
    out = succeeds(typed(box, example(box, "dc8"), lines))
    again = box.shell(re.search(r"repeat +((?:.|\n)*?--seed 1)", out)[1])
    equal(hash_of(succeeds(again)), hash_of(out), "run hash of the repetition")


@simulation
def back_cut_makes_again_what_was_typed_behind_the_snapshot(box):
    lines = ["run until 700ms", "break when receive(n1, task=20)", "set end.quiet=400ms", "run until 722ms", "tping -c1 n3", "run until 750ms", "set monitor.heartbeat=20ms",
             "run", "set end.quiet=300ms", "back cut", "status", "release", "run", "summary", "quit"]
    often = ("--set", "monitor.unload=1000s/4/8")
    out = succeeds(typed(box, example(box, "dc8"), lines, *often))
    for line in ("  typed behind the snapshot, and made again here: set end.quiet=400ms; tping -c1 n3\n",
                 "  left out, since the nodes came to the cut before: set monitor.heartbeat=20ms\n",
                 "  left out, since it was typed behind the breakpoint: set end.quiet=300ms\n",
                 "  changed   at 700ms: end.quiet=400ms\n  command   at 722ms: tping -c1 n3\nnote: 'back cut' holds processes of "):
        assert line in out, f"{line!r} is missing in\n{out}"
    assert "it holds in this state, in which no node is past its part" in out, out
    again = box.shell(re.search(r"repeat +((?:.|\n)*?4/8)", out)[1])
    equal(hash_of(succeeds(again)), hash_of(out), "run hash of the repetition")


@simulation
def breakpoints_stay_when_the_run_goes_back(box):
    lines = ["break when receive(n1, task=20)", "break when receive(n4, task=49)", "run", "run", "back break1", "break", "break delete 2", "run", "back", "break", "break when user", "quit"]
    told = answers(typed(box, example(box, "dc8"), lines, "--json"))
    assert told[4]["text"].endswith("\nbreakpoint 2, given later, waits here, too"), told[4]["text"]
    equal([(one["number"], one["truth"]) for one in told[5]["data"]["breakpoints"]], [(1, "not-so-far"), (2, "not-so-far")], "the list at the snapshot")
    equal([one["number"] for one in told[7]["data"]["breakpoints"]], [1], "those that stop the second run")
    equal([one["number"] for one in told[9]["data"]["breakpoints"]], [1], "a deleted one stays so")
    equal([one["number"] for one in told[10]["data"]["breakpoints"]], [3], "the next number")


@simulation
def a_verdict_is_not_said_of_processes_that_are_held(box):
    lines = ["break when possibly(receive(n4, task=49) and receive(n5, task=49))", "run", "back cut", "verdict", "run for 500ms", "run for 90ms", "verdict", "why 44", "run until verdict"]
    result = typed(box, example(box, "dc8"), lines, "--json")
    told = answers(result)
    note = "note: 'back cut' holds processes of n0, n1, n2, n3; 'release' lets them go on\n"
    for place, kind in ((3, "none"), (6, "unknown")):
        equal((told[place]["text"].startswith(note), told[place]["data"]["verdict"]["kind"]), (True, kind), f"verdict {place}")
    assert told[7]["text"].startswith(note), told[7]["text"]
    assert "first type 'release'" in told[8]["text"] and result.returncode == BAD_INPUT, told[8]
    lines[7:] = ["run for 500ms", "verdict", "summary", "quit"]
    told = answers(typed(box, example(box, "dc8"), lines, "--json"))
    verdict = told[8]["data"]["verdict"]
    assert told[8]["text"].startswith("note: up to the end 'back cut' held processes of n0, n1, n2, n3\n"), told[8]["text"]
    equal((verdict["kind"], verdict["task"], verdict["places"]), ("unknown", None, []), "the end of a run that is held")
    equal(told[9]["data"]["verdict"]["verdict"]["kind"], "unknown", "the same in the summary")
    lines[4:] = ["release", "run", "verdict", "quit"]
    told = answers(typed(box, example(box, "dc8"), lines, "--json"))
    assert told[6]["text"].startswith("note: up to 744ms 'back cut' held processes"), told[6]["text"]
    equal((told[6]["data"]["verdict"]["kind"], told[6]["data"]["verdict"]["task"]), ("likely", 49), "the verdict of a run that went on")


@simulation
def a_held_process_that_dies_is_held_no_longer(box):
    at_cut = ["break when receive(n4, task=49)", "run", "back cut"]
    state = succeeds(typed(box, example(box, "dc8"), at_cut + ["state -g n3 at now", "quit"]))
    slave = re.search(r"^n3 +\[\d+\] +(\d+) .* slave$", state, re.M)[1]
    told = answers(typed(box, example(box, "dc8"), at_cut + ["verdict", f"doom n3 p{slave}", "verdict", "quit"], "--json"))
    assert "n3" in told[3]["text"].splitlines()[0] and "n3" not in told[-2]["text"].splitlines()[0], (told[3]["text"], told[-2]["text"])


@simulation
def a_breakpoint_without_a_snapshot_says_so(box):
    lines = [line for number in range(64) for line in ("snapshot", "run for 1ms")] + ["break when receive(n1, task=20)", "quit"]
    out = succeeds(typed(box, example(box, "dc8"), lines))
    assert "  note: no snapshot, since there are 64 already, which is the limit; 'back cut' begins at '64' or before it\n" in out, out[-400:]


@simulation
def a_breakpoint_in_mid_run_looks_at_what_came_before(box):
    lines = ["run until 800ms", "break when receive(n4, task=49)", "break when count(receive(n0)) >= 96", "break", "run", "break", "break delete 2", "break delete all", "break", "quit"]
    told = answers(typed(box, example(box, "dc8"), lines, "--json"))
    equal(told[1]["data"]["breakpoints"][0]["truth"], "holds", "a record that came before")
    equal([one["truth"] for one in told[3]["data"]["breakpoints"]], ["holds", "not-so-far"], "the list")
    end = told[5]["data"]["breakpoints"][1]
    equal((end["truth"], end["certainty"]), ("never", "certain"), "node 0 gave its end mark, and lost nothing")
    equal(told[8]["text"], "none", "the list when all are deleted")


@simulation
def what_cannot_be_waited_for_is_refused(box):
    for line, message in (
            ("break when recieve(n3)", "break when:1:1: expected possibly, definitely, count, in_flight, unread, send, receive, send-call, message-send, "
             "receive-call, message-receive, process-start, process-end, node-usage, synchronise or user (did you mean 'receive'?), found 'recieve'"),
            ("break when possibly(receive(n9))", "break when:1:18: there is no node n9; the last one is n7"),
            ("break when", "expected a predicate, for example 'break when receive(n3, task=49)'; docs/guide/predicates.md has all"),
            ("break delete 3", "there is no breakpoint 3; 'break' lists them"),
            ("break delete x", "expected the number of a breakpoint, or 'all'; 'break' lists them"),
            ("break at main", "expected 'break', 'break when PREDICATE' or 'break delete NUMBER', and got 'break at'"),
            ("break list all", "'break list' takes no argument, and got 'all'"),
            ("back cut", "no predicate has become true so far, so there is no cut to go back to; give 'break when PREDICATE' and 'run'"),
            ("back cut 7", "there is no breakpoint '7'; 'break' lists them"),
            ("release now", "'release' takes no argument, and got 'now'")):
        result = typed(box, example(box, "dc8"), [line])
        equal((result.returncode, result.stderr), (BAD_INPUT, f"magicwire: standard input:1: {message}\n"), line)
    result = typed(box, box.source / "topologies/machines/btree_8.yaml", ["break when receive(n3)"])
    assert "there is no farm, and so no records" in result.stderr, result.stderr


if __name__ == "__main__":
    sys.exit(main(__doc__))
