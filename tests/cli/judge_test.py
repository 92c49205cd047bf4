#!/usr/bin/env python3
"""scripts/judge.py, the judge of all campaigns: hand-written accounts of what happened, with right and wrong verdicts on them.

  judge_test.py --source FOLDER [NAME]"""
import copy
import sys

sys.dont_write_bytecode = True

import judge_cases

CHAIN = [[1, 0], [2, 1], [3, 2]]


def move(time, node, peer, sent, what="task", subtask="0000"):
    return {"time_us": time, "node": node, "sent_to" if sent else "received_from": peer, "what": what, "subtask": subtask}


def way(time, *nodes, what="task", subtask="0000"):
    """Sent and received along these nodes."""
    moves = []
    for one, other in zip(nodes, nodes[1:]):
        moves += [move(time, one, other, True, what, subtask), move(time + 1, other, one, False, what, subtask)]
        time += 10
    return moves


def function(task, node, began, ended, process="comp_fn()", subtask="0000"):
    return {"task": task, "subtask": subtask, "node": node, "process": process, "began_ps": began * 10**6, "ended_ps": None if ended is None else ended * 10**6}


def oracle(units=(), tasks=10, parents=CHAIN, missing=None, **more):
    """Of a farm in which only these units, (task, moves, functions), are not home."""
    ranges = [[unit[0], unit[0]] for unit in units] if missing is None else missing
    account = {"tasks": tasks, "granularity": 1, "degree": 1, "parents": parents, "missing": ranges, "not_taken": [],
               "generator": {"state": "returned", "task": tasks - 1, "done": tasks},
               "receiver": {"state": "in get_result()" if ranges else "returned", "task": 0, "done": 0},
               "unfinished": [{"task": task, "missing": [[task, task]], "moves": moves, "functions": functions} for task, moves, functions in units],
               "lost": [], "cut": []}
    if "left_out_from" in more:
        account["left_out_from"] = more.pop("left_out_from")
    account.update({key: more.pop(key) for key in list(more) if key in account})
    nodes = [{"node": node, "crashed": node in more.get("dead", ()), "answers": True} for node in range(len(parents) + 1)]
    more.pop("dead", None)
    return {"struck": [], "faults": [], "dropped": [], "nodes": nodes, "account": account, **more}


def strike(name, task, node, process, subtask="0000"):
    return {"time_ps": 5, "task": task, "subtask": subtask, "node": node, "process": process, "name": name}


def fault(verb, **more):
    return {"fault": 1, "verb": verb, "happened": True, **more}


def verdict(kind="certain", task=3, node=2, process="comp_fn()", subtask="0000", finished_below=None, **more):
    said = {"certain": "Certain: no record tells whether the function, a node or a link failed.", "likely": "Likely: x", "unknown": "Unknown: x", "none": "No fault: x"}[kind]
    return {"kind": kind, "sentence": said, "finished_below": (task or 0) if finished_below is None else finished_below, "task": task, "process": process,
            "places": [{"subtask": subtask, "node": node}], "silent": [], "arrival_seen": True, **more}


HUNG = (3, way(100, 0, 1, 2), [function(3, 2, 200, None)])  # comp_fn() of n2 began with task 3 and never ended
DIED_BEFORE = (3, way(100, 0, 1, 2), [])                    # n2 has it and no function began
OFFERED = (3, way(100, 0, 1, 2), [])                        # as the issue's: n2 could not pass it on
RESULT_LOST = (3, way(100, 0, 1, 2) + [move(300, 2, 1, True, "result")], [function(3, 2, 200, 290)])
STUCK = fault("stick", links=[[2, 3]])


def a_function_that_never_returned(judge):
    happened = oracle([HUNG], struck=[strike("endless-loop", 3, 2, "comp_fn()")])
    right(judge, verdict(), happened)
    wrong(judge, verdict(node=1), happened, "not in sub-task 0000 on n1")
    wrong(judge, verdict(process="join_fn()"), happened, "not in sub-task")
    wrong(judge, verdict(task=4, finished_below=3), happened, "task 4 came back")
    wrong(judge, verdict(finished_below=4), happened, "finished_below is 4, and task 3 is missing")
    right(judge, verdict(where="in or before", arrival_seen=False), happened)


def a_function_that_never_began(judge):
    happened = oracle([OFFERED], faults=[STUCK])
    wrong(judge, verdict(), happened, "towards n3")
    right(judge, verdict(behind=[3]), happened)
    wrong(judge, verdict(behind=[3]), happened | {"faults": [], "struck": [strike("slow", 1, 1, "comp_fn()")]}, "only waits")
    wrong(judge, verdict(behind=[2], node=1), happened | {"faults": [fault("die", node=0)]}, "only waits")
    died = oracle([DIED_BEFORE], dead=(2,))
    wrong(judge, verdict(), died, "no function on n2")
    right(judge, verdict(arrival_seen=False), died)


def the_cause_is_among_those_that_the_sentence_leaves_open(judge):
    died = oracle([HUNG], dead=(2,))
    right(judge, verdict(), died)
    wrong(judge, verdict(sentence="Certain: no record tells whether the function or a link failed."), died, "the cause is another")


def a_result_that_a_link_lost(judge):
    happened = oracle([RESULT_LOST], dropped=[{"node": 1, "task": 3, "subtask": "0000"}])
    right(judge, verdict(), happened)
    wrong(judge, verdict(sentence="Certain: no record tells whether the function failed."), happened, "the cause is another")


def a_task_that_only_waits(judge):
    waits = (5, way(150, 0, 1, 2), [])
    happened = oracle([HUNG, waits], struck=[strike("endless-loop", 3, 2, "comp_fn()")])
    wrong(judge, verdict(task=5, arrival_seen=False, finished_below=3), happened, "only waits")
    right(judge, verdict(), happened)


def a_task_that_its_nodes_dead_link_holds(judge):
    """Under `stop` a process of n2 waits for room in a buffer, and the buffer for the link: the task lies there and never begins."""
    waits = (3, way(100, 0, 1, 2), [])
    stuck = [{"time_ps": 110, "why": "stuck", "between": [1, 2]}]
    about = verdict(sentence="Certain: in comp_fn(), or before or behind it: on node 2, which fell silent", in_process=False)
    right(judge, about, oracle([waits], lost=stuck))
    wrong(judge, about, oracle([waits]), "only waits")
    wrong(judge, about, oracle([waits], lost=[{**stuck[0], "between": [0, 1]}]), "only waits")
    wrong(judge, verdict(), oracle([waits], lost=stuck), "not in sub-task 0000 on n2")


def a_lower_task_stopped_first(judge):
    other = (5, way(150, 0, 1), [function(5, 1, 200, None)])
    happened = oracle([HUNG, other], struck=[strike("endless-loop", 3, 2, "comp_fn()"), strike("early-end", 5, 1, "comp_fn()")])
    wrong(judge, verdict(task=5, node=1, finished_below=3), happened, "task 3 stopped by its own before it")
    likely = verdict("likely", task=5, node=1, finished_below=3)
    assert judge.judge(likely, happened).outcome == "right"


def bundles(judge):
    """Granularity 2: task 3 was never sent, and its bundle came back without it."""
    omitted = (2, way(100, 0, 1) + way(300, 1, 0, what="result"), [function(2, 1, 200, 210), function(3, 1, 210, 220)])
    happened = oracle([omitted, (8, way(100, 0, 1, 2), [function(8, 2, 200, None)])], granularity=2, missing=[[3, 3], [8, 9]],
                      struck=[strike("never-sent", 3, 1, "comp_fn()"), strike("waits-for-ever", 8, 2, "comp_fn()")])
    wrong(judge, verdict(task=8, last_task=9, finished_below=8), happened, "finished_below is 8, and task 3 is missing")
    wrong(judge, verdict(task=8, last_task=9, finished_below=2), happened, "task 3 stopped by its own before it")
    wrong(judge, verdict(task=2, last_task=3, node=1, finished_below=2), happened, "task 2 came back")
    right(judge, verdict(task=3, node=1, finished_below=3), happened)
    assert judge.judge(verdict("unknown", finished_below=4), happened).outcome == "wrong"


def divide_and_conquer(judge):
    """Binary tree of 4; task 3 was split on n1, its second part hangs in comp_fn() of n3."""
    part = way(120, 1, 2) + way(125, 1, 3, subtask="0010") + way(300, 2, 1, what="result")
    functions = [function(3, 1, 110, 115, "split_fn()"), function(3, 2, 140, 290), function(3, 3, 150, None, subtask="0010")]
    happened = oracle([(3, way(100, 0, 1) + part, functions)], parents=[[1, 0], [2, 1], [3, 1]], degree=2, struck=[strike("endless-loop", 3, 3, "comp_fn()", "0010")])
    right(judge, verdict(node=3, subtask="0010"), happened)
    wrong(judge, verdict(node=2), happened, "not in sub-task 0000 on n2")
    wrong(judge, verdict(node=1, process="split_fn()/comp_fn()"), happened, "not in sub-task 0000 on n1")
    right(judge, verdict(node=1, behind=[3]), happened)
    wrong(judge, verdict(node=1, behind=[2]), happened, "not in sub-task 0000 on n1")
    right(judge, verdict(node=1, sentence="Certain: in comp_fn(), or before or behind it: on node 1, which fell silent"), happened)


def masters(judge):
    ended = oracle(missing=[[4, 9]], generator={"state": "ended", "task": 4, "done": 4}, struck=[strike("early-end", 4, 0, "data_generator()")])
    right(judge, verdict(task=4, process="data_generator()", node=0), ended)
    waits = oracle(missing=[[0, 9]], generator={"state": "in do_task()", "task": 1, "done": 1}, faults=[fault("stick", links=[[1, 0]])])
    wrong(judge, verdict(task=0, process="data_generator()", node=0), waits, "data_generator() did not stop there")
    never = {"state": "never began", "task": None, "done": 0}
    never_began = oracle(missing=[[0, 9]], generator=never, receiver=never, struck=[strike("never-started", 0, 3, "comp_fn()")])
    wrong(judge, verdict(task=0, process="data_generator()", node=0), never_began, "data_generator() did not stop there")
    right(judge, verdict(task=0, process="data_generator()", node=0), never_began | {"struck": [strike("never-started", 0, 0, "data_generator()")]})
    took = oracle(missing=[[4, 9]], receiver={"state": "returned", "task": 3, "done": 4}, struck=[strike("early-end", 3, 0, "result_receiver()")])
    right(judge, verdict(task=None, process="result_receiver()", node=0, finished_below=4, not_taken=4), took)
    wrong(judge, verdict(task=None, process="result_receiver()", node=0, finished_below=10), oracle(), "nothing failed")


def a_result_that_lies_at_the_manager(judge):
    lies = (3, way(100, 0, 1) + way(300, 1, 0, what="result"), [function(3, 1, 200, 290)])
    happened = oracle([lies, (5, way(150, 0, 1, 2), [function(5, 2, 200, None)])], struck=[strike("endless-loop", 5, 2, "comp_fn()")])
    right(judge, verdict(task=5, finished_below=5), happened)
    wrong(judge, verdict(task=5, finished_below=5), happened | {"dropped": [{"node": 0, "task": 3, "subtask": "0000"}]}, "finished_below is 5, and task 3")


def a_result_that_lies_at_a_manager_that_failed(judge):
    lies = (3, way(100, 0, 1) + way(300, 1, 0, what="result"), [function(3, 1, 200, 290)])
    failed = oracle([lies], faults=[fault("die", node=0, links=[])], struck=[strike("node-crash", 2, 0, "result_receiver()")])
    said = verdict("unknown", finished_below=4)
    assert judge.judge(said, failed).outcome == "fault", "n0 had it"
    thrown = {"dropped": [{"node": 0, "task": 3, "subtask": "0000"}]}
    assert judge.judge(said, failed | thrown).outcome == "wrong", "n0 threw it away before it died"
    coming = oracle([(3, way(100, 0, 1), [function(3, 1, 200, 290)])], faults=[fault("die", node=0, links=[])])
    assert judge.judge(said, coming).outcome == "wrong", "it never came to n0"


def no_fault(judge):
    right(judge, verdict("none", task=None, finished_below=10, places=[]), oracle())
    happened = oracle([HUNG])
    wrong(judge, verdict("none", task=None, finished_below=0, places=[]), happened, "1 tasks are missing")
    bundle = (2, way(100, 0, 1) + way(300, 1, 0, what="result"), [function(2, 1, 200, 210), function(3, 1, 210, 220)])
    short = oracle([bundle], granularity=2, missing=[[3, 3]], receiver={"state": "returned", "task": 9, "done": 9})
    said = "No fault: every bundle of the 10 tasks was seen to finish; no record tells whether every task of a bundle came back with it."
    right(judge, verdict("none", task=None, places=[], sentence=said, bundles_back_below=10), short)
    wrong(judge, verdict("none", task=None, places=[]), short, "1 tasks are missing")
    lost = oracle([(2, [], [])], granularity=2, missing=[[2, 3]], receiver={"state": "returned", "task": 9, "done": 9})
    wrong(judge, verdict("none", task=None, places=[], sentence=said), lost, "nothing of bundle 2 came back")
    hangs = oracle(receiver={"state": "in its own code", "task": 9, "done": 10})
    wrong(judge, verdict("none", task=None, finished_below=10, places=[]), hangs, "did not return")
    none = verdict("none", task=None, finished_below=10, places=[])
    wrong(judge, none, oracle(not_taken=[[9, 9]]), "1 results were not taken, the first is that of task 9")
    wrong(judge, none, oracle(not_taken=[[9, 9]], receiver={"state": "ended", "task": 8, "done": 9}), "1 results were not taken")
    right(judge, none, oracle(receiver={"state": "ended", "task": 9, "done": 10}))
    wrong(judge, none | {"sentence": "No fault: all came back; 3 records contradict each other."}, oracle(), "says itself that records contradict")


def likely_and_its_alternatives(judge):
    happened = oracle([HUNG], struck=[strike("endless-loop", 3, 2, "comp_fn()")])
    assert judge.judge(verdict("likely", node=1), happened).outcome == "wrong"
    assert judge.judge(verdict("likely"), happened).outcome == "right"
    other = {"task": 3, "subtask": "0000", "node": 2, "process": "comp_fn()"}
    assert judge.judge(verdict("likely", node=1, also_possible=[other]), happened).outcome == "among the others"
    assert judge.judge(verdict("likely", node=1, also_possible=[other | {"node": 3}]), happened).outcome == "wrong"
    receiver = {"task": None, "subtask": "0000", "node": 0, "process": "result_receiver()"}
    assert judge.judge(verdict("likely", node=1, also_possible=[receiver]), happened).outcome == "wrong"
    assert judge.certain_and_wrong(verdict("likely", node=1), happened) == ""


def a_generator_that_hangs_after_its_last_task(judge):
    hangs = oracle(generator={"state": "in its own code", "task": 9, "done": 10})
    said = verdict("likely", task=None, node=0, process="result_receiver()", finished_below=10, sentence="Likely: result_receiver() on node 0 did not return")
    other = {"task": None, "subtask": "0000", "node": 0, "process": "data_generator()"}
    assert judge.judge(said | {"also_possible": [other]}, hangs).outcome == "among the others"
    assert judge.judge(said, hangs).outcome == "wrong"
    assert judge.judge(said | {"also_possible": [other]}, oracle()).outcome == "wrong"
    assert judge.judge(verdict("unknown", finished_below=0), hangs).outcome == "fault", "a generator that never returned is no health"


def a_generator_that_returned_too_early(judge):
    """After 9 of 10 tasks; the farm waits for the last."""
    short = oracle(missing=[[9, 9]], generator={"state": "returned", "task": 8, "done": 9})
    right(judge, verdict(task=9, process="data_generator()", node=0, finished_below=9), short)


def contradictions(judge):
    """Task 3 was given on twice by n2."""
    happened = oracle(struck=[strike("duplicated", 3, 2, "comp_fn()")])
    said = verdict("likely", finished_below=10, contradiction={"node": 2})
    assert judge.judge(said, happened).outcome == "right"
    for part in ({"task": 4}, {"places": [{"subtask": "0000", "node": 1}]}, {"process": "data_generator()"}):
        assert judge.judge(said | part, happened).outcome == "wrong", part
        other = {"task": 3, "subtask": "0000", "node": 2, "process": "comp_fn()"}
        assert judge.judge(said | part | {"also_possible": [other]}, happened).outcome == "among the others", part
    link = said | {"process": "Collecting", "task": 3, "places": [{"subtask": "0000", "node": 1}]}
    assert judge.judge(link, oracle(dropped=[{"node": 1, "task": 3, "subtask": "0000"}])).outcome == "right"
    assert judge.judge(link, happened).outcome == "wrong"


def a_neighbour_without_room_stops_nothing(judge):
    """n1 has sent task 4 towards n2, which is busy with task 3."""
    hangs = (3, way(100, 0, 1, 2), [function(3, 2, 200, None)])
    offered = (4, way(150, 0, 1) + [move(170, 1, 2, True)], [])
    happened = oracle([hangs, offered], struck=[strike("endless-loop", 3, 2, "comp_fn()")])
    said = verdict(task=4, arrival_seen=False, finished_below=3)
    wrong(judge, said, happened, "only waits")
    for more in ({"faults": [STUCK | {"links": [[1, 2]]}]}, {"dropped": [{"node": 2}]}, {"dropped": [{"node": 2, "task": 4, "subtask": "0000"}]}):
        assert judge.judge(verdict("likely", task=4, arrival_seen=False, finished_below=3), happened | more).outcome == "right", more


def what_the_account_leaves_out_is_not_judged(judge):
    left = oracle([HUNG], missing=[[3, 9]], left_out_from=4)
    assert judge.judge(verdict(task=5, finished_below=3), left)[:2] == ("failed", "")
    assert judge.judge(verdict(task=3, finished_below=3), left).outcome == "right"


def likely_of_a_node_that_fell_silent(judge):
    """n2 died; task 3 was in n3 below it, which lives."""
    below = (3, way(100, 0, 1, 2, 3), [function(3, 3, 200, 250)])
    happened = oracle([below], dead=(2,), faults=[fault("die", node=2)])
    silent = verdict("likely", sentence="Likely: node 2 fell silent, and task 3 stopped there: on node 2, last seen in comp_fn()", fell_silent=[2])
    assert judge.judge(silent, happened).outcome == "right"
    assert judge.judge(silent | {"places": [{"subtask": "0000", "node": 1}], "fell_silent": [1]}, happened).outcome == "wrong"
    assert judge.judge(silent | {"places": [{"subtask": "0000", "node": 1}]}, happened).outcome == "half right"


def unknown_claims_nothing(judge):
    assert judge.judge(verdict("unknown", finished_below=0), oracle([HUNG])).outcome == "fault"
    assert judge.judge(verdict("unknown", finished_below=0), oracle()).outcome == "healthy"


def right(judge, said, happened):
    found = judge.judge(copy.deepcopy(said), copy.deepcopy(happened))
    assert found.outcome == "right", (said, found)


def wrong(judge, said, happened, why):
    found = judge.judge(copy.deepcopy(said), copy.deepcopy(happened))
    assert found.outcome == "wrong" and why in found.why, (said, found)
    assert judge.certain_and_wrong(said, happened) == found.why


CASES = [a_function_that_never_returned, a_function_that_never_began, the_cause_is_among_those_that_the_sentence_leaves_open, a_result_that_a_link_lost,
         a_task_that_only_waits, a_task_that_its_nodes_dead_link_holds, a_lower_task_stopped_first, bundles, divide_and_conquer, masters, a_result_that_lies_at_the_manager, no_fault, likely_and_its_alternatives,
         a_generator_that_hangs_after_its_last_task, a_generator_that_returned_too_early, contradictions, a_neighbour_without_room_stops_nothing,
         what_the_account_leaves_out_is_not_judged, likely_of_a_node_that_fell_silent, unknown_claims_nothing]


if __name__ == "__main__":
    sys.exit(judge_cases.run(CASES, "judge"))
