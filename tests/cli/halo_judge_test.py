#!/usr/bin/env python3
"""scripts/halo_judge.py, the judge of verdicts on halos: hand-written states of the nodes, with right and wrong verdicts on them.

  halo_judge_test.py --source FOLDER"""
import sys

sys.dont_write_bytecode = True

import judge_cases

CHAIN = [[1, 0], [2, 1], [3, 2]]


def oracle(*steps, parents=CHAIN, bugs=(), crashed=(), cut=(), faults=(), places=()):
    """`steps`: (whole exchanges, next) of n0, n1, ..."""
    nodes = [{"node": node, "exchanges": whole, "next": text, "since_us": 1} for node, (whole, text) in enumerate(steps)]
    return {"halo": {"parents": parents, "nodes": nodes, "bugs": list(bugs), "crashed": list(crashed), "cut": list(cut), "places": list(places)},
            "faults": list(faults), "struck": [], "dropped": []}


def bug(node, kind="hang", **more):
    return {"process": "step_fn", "node": node, "step": 3, "kind": kind, "struck_ps": 5, **more}


def verdict(kind="certain", task=4, node=2, process="step_fn()", finished_below=0, **more):
    return {"kind": kind, "sentence": f"{kind}: x", "finished_below": finished_below, "task": task, "process": process, "places": [{"subtask": "0000", "node": node}],
            "silent": [], **more}


# n2 hangs in step 3; each neighbour waits for it, and n0 for n1.
HUNG = oracle((5, "receive 5 from n1"), (4, "receive 4 from n2"), (4, "step_fn 3"), (4, "receive 4 from n2"), bugs=[bug(2)])
# The message of exchange 4 from n1 to n2 was lost.
LOST = oracle((6, "receive 6 from n1"), (5, "receive 5 from n2"), (4, "receive 4 from n1"), (5, "receive 5 from n2"), bugs=[bug(1, "lose", process="exchange", to=2)])
# The link between n1 and n2 was cut: n1 cannot send the second message of exchange 5, and n2 has not got the one of exchange 4.
CUT = oracle((6, "receive 6 from n1"), (5, "send 5 to n2"), (4, "receive 4 from n1"), (5, "receive 5 from n2"), cut=[[1, 2]])
DONE = oracle(*[(7, "done")] * 4)


def a_function_that_hangs(judge):
    right(judge, verdict(), HUNG)
    right(judge, verdict(finished_below=4), HUNG)
    wrong(judge, verdict(finished_below=5), HUNG, "finished_below is 5, and n1 has done 4 exchanges")
    wrong(judge, verdict(node=1), HUNG, "not step_fn() on n1 in exchange 4")
    wrong(judge, verdict(task=5), HUNG, "in exchange 5")
    wrong(judge, verdict(process="Exchanging"), HUNG, "not Exchanging on n2")
    right(judge, verdict(process="step_fn() or Exchanging"), HUNG)
    wrong(judge, verdict("none"), HUNG, "not every node is done")


def the_first_function(judge):
    happened = oracle((0, "receive 0 from n1"), (0, "initial_fn"), (0, "receive 0 from n1"), (1, "receive 1 from n2"))
    right(judge, verdict(task=0, node=1, process="initial_fn()"), happened)
    wrong(judge, verdict(task=0, node=1), happened, "not step_fn() on n1")


def a_node_that_sent_nothing_is_before_its_exchange(judge):
    """No record tells a function that does not end from a first send that does not."""
    happened = oracle((5, "receive 5 from n1"), (4, "send 4 to n0"), (4, "receive 4 from n1"), (5, "receive 5 from n2"))
    right(judge, verdict(node=1), happened)
    later = oracle((4, "receive 4 from n1"), (4, "send 4 to n2"), (4, "receive 4 from n1"), (5, "receive 5 from n2"))
    right(judge, verdict(node=1, process="Exchanging"), later)
    wrong(judge, verdict(node=1), later, "not step_fn() on n1")


def a_lost_message(judge):
    right(judge, verdict(process="Exchanging"), LOST)
    wrong(judge, verdict(node=1, process="Exchanging"), LOST, "not Exchanging on n1")
    assert judge.judge(verdict("likely", node=1, process="Exchanging"), LOST).outcome == "half right"
    assert judge.judge(verdict("likely", node=3, process="Exchanging"), LOST).outcome == "wrong"
    others = [{"task": 4, "node": 2, "process": "Exchanging", "subtask": "0000"}]
    assert judge.judge(verdict("likely", node=3, also_possible=others), LOST).outcome == "among the others"


def a_link_that_was_cut(judge):
    right(judge, verdict(process="Exchanging"), CUT)
    right(judge, verdict(task=5, node=1, process="Exchanging"), CUT)  # later, but an end of that link
    wrong(judge, verdict(task=5, node=1, process="Exchanging"), oracle(*[(node["exchanges"], node["next"]) for node in CUT["halo"]["nodes"]]),
          "a node stopped by itself before it")


def no_fault(judge):
    right(judge, verdict("none", task=None, process=""), DONE)
    wrong(judge, verdict(), DONE, "every node is done")
    assert judge.judge(verdict("unknown"), DONE).outcome == "healthy"
    assert judge.judge(verdict("unknown"), HUNG).outcome == "fault"


def the_oracle_is_held_against_its_nodes(judge):
    assert judge.disagreement(DONE) == ""
    assert "the oracle has []" in judge.disagreement(HUNG)
    told = [{"node": 2, "task": 4, "process": "step_fn()", "since_us": 1}]
    assert judge.disagreement({**HUNG, "halo": {**HUNG["halo"], "places": told}}) == ""


def right(judge, said, happened):
    found = judge.judge(said, happened)
    assert found.outcome == "right", (said, found)
    assert judge.certain_and_wrong(said, happened) == ""


def wrong(judge, said, happened, why):
    found = judge.judge(said, happened)
    assert found.outcome == "wrong" and why in found.why, (said, found)
    assert judge.certain_and_wrong(said, happened) == found.why


CASES = [a_function_that_hangs, the_first_function, a_node_that_sent_nothing_is_before_its_exchange, a_lost_message, a_link_that_was_cut, no_fault,
         the_oracle_is_held_against_its_nodes]


if __name__ == "__main__":
    sys.exit(judge_cases.run(CASES, "halo_judge"))
