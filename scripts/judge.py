"""Compares a verdict (the `verdict` object of a run's JSON) with the facts of that run (scripts/happened.py, from
oracle.json). It shares no code with the analysis, and all campaigns judge with it.

Each answer claims the following, and is wrong when the claim is false:

  finished_below N   in every kind of answer: the manager has the result of every task with a smaller number.
                     `bundles_back_below`: something of every bundle came back
  none               the manager accepted every result, result_receiver() took each and came to its end, and the answer
                     reports no contradictory records. An answer about bundles only: something of each came back
  certain            the first fault: the lowest task that stopped on its own
    task             every task of the bundle is missing; no task with a lower number was struck itself
    places           at each of them a part of the task stopped on its own, in the way that `where` says:
      in             the named function began there with this sub-task, and its product did not reach the parent; or it never
                     began because its process was never created
      in or before   or the part was on its way into that node, or lay there and had not begun (no `arrival_seen`)
      in or behind   as in, or it was on its way to one of the children `behind`, or below them
      about          (not `in_process`) on that node, below it or on one of its links, and the cause of the stop lies there,
                     too
      Distributing   it was on its way into that node, or lay there and had not begun
      Collecting     its result was on its way into that node, or lay there
    the cause        where the sentence names causes that no record distinguishes, the true one is among them: the function,
                     a node, a link
    data_generator() the task never left n0, and data_generator() itself stopped there; waiting in do_task() is no stop
    result_receiver() ended early: it does not wait in get_result(), and has not taken that result
    contradiction    that function was struck in that task on that node; where a link is named, a link of the node changed or
                     lost something
    dropped_by       that node dropped a message of this task, or of an unknown task
  likely             as certain, except for the process where it is only the last one seen, and except for lower tasks. The
                     place must be one where that task stopped; or the node must be silent and the task cut off with it
    half right       right task, and the node that failed or lies behind the failed link, but not the place
  alternatives       the first that is right counts
  not judged         a certain answer about a task that the bounded account of the oracle leaves out: counted as failed
  a fault            something is missing, or was struck

Unknown claims nothing but `finished_below`; it is counted."""
import collections

import happened
from happened import GENERATOR, RECEIVER

# kind; outcome: "right", "wrong", for a likely answer also "half right" and "among the others", for an unknown one "fault" or "healthy"; why it is wrong.
Judgement = collections.namedtuple("Judgement", "kind outcome why")
OF_BUNDLES = "no record tells whether every task of a bundle came back"
TELLS_NOT = "no record tells whether the function"
MAKES_NO_MESSAGE = {"slow", "wild-write", "wrong-result"}


class Claim:
    """One place that a verdict names, or one of its alternatives."""

    def __init__(self, verdict, sentence, task=None):
        self.task = verdict["task"] if task is None else task
        self.last = verdict.get("last_task", self.task)
        self.processes = set(verdict.get("process", "").replace("/", " or ").split(" or ")) - {""}
        self.places = [(int(place["subtask"], 16), place["node"]) for place in verdict.get("places", [])]
        self.behind = verdict.get("behind", [])
        self.where = self.how(verdict, sentence)
        self.silent = set(verdict.get("silent", [])) | set(verdict.get("fell_silent", []))
        self.last_seen = "last seen in" in sentence
        self.sentence = sentence

    def how(self, verdict, sentence):
        if self.behind:
            return "in or behind"
        if "before or behind" in sentence:
            return "about"
        return verdict.get("where") or ("in" if verdict.get("arrival_seen", True) else "in or before")


def text_of(stop):
    where = f" towards n{stop.towards}" if stop.towards is not None else ""
    return f"task {stop.task}, sub-task {stop.subtask:04x}, {stop.process or 'no function'} on n{stop.node}{where} ({stop.cause})"


def matches(truth, claim, subtask, node, stop):
    """Whether this stop is what is claimed of this place."""
    here, into = stop.node == node, stop.towards == node
    if claim.where == "about":
        return truth.is_below(stop.node, node) or into
    if claim.where == "in or behind" and ((here and stop.towards in claim.behind) or any(truth.is_below(stop.node, child) for child in claim.behind)):
        return True
    if claim.last_seen and node in claim.silent and (truth.is_below(stop.node, node) or into) and truth.cut_off(node):
        return True
    if stop.subtask != subtask:
        return False
    if "Collecting" in claim.processes and (into or (here and stop.process is not None)):
        return True
    if "Distributing" in claim.processes and (into or (here and stop.process is None)):
        return True
    if here and stop.process in claim.processes:
        return True
    unbegun = stop.process is None and (into or (here and stop.towards is None))
    return claim.where == "in or before" and unbegun


def cause_is_said(claim, stop):
    if TELLS_NOT not in claim.sentence:
        return True
    return {"function": "function", "node": "a node", "link": "a link"}[stop.cause] in claim.sentence


def wrong_place(truth, claim):
    """Of a claim that names a task and places."""
    bundle = range(claim.task, claim.last + 1)
    back = [task for task in bundle if task not in truth.missing]
    if back:
        return f"task {back[0]} came back"
    if claim.task >= truth.left_out_from:
        return ""
    stops = [stop for task in bundle for stop in truth.stops(task)]
    if claim.processes == {GENERATOR}:
        return "" if any(stop.process == GENERATOR for stop in stops) else f"data_generator() did not stop there: {describe(truth, stops, claim.task)}"
    if not claim.places:
        return "no place is named"
    for subtask, node in claim.places:
        fitting = [stop for stop in stops if matches(truth, claim, subtask, node, stop)]
        if not fitting:
            return f"not in sub-task {subtask:04x} on n{node}: {describe(truth, stops, claim.task)}"
        if not any(cause_is_said(claim, stop) for stop in fitting):
            return f"the cause is another: {text_of(fitting[0])}"
    return ""


def describe(truth, stops, task):
    if stops:
        return "; ".join(text_of(stop) for stop in stops[:3])
    parts = truth.parts_of(task)
    lies = ", ".join(f"{number:04x} {place.state} on n{place.node} {place.process or ''}".strip() for (number, _), place in sorted(parts.items())[:4])
    return f"task {task} only waits: " + (lies or f"not sent; generator {truth.generator['state']}, task {truth.generator['task']}")


def wrong_receiver(truth, verdict):
    if "did not return" in verdict["sentence"]:  # it may wait for a result that it has thrown away
        if truth.missing:
            return f"task {min(truth.missing)} is missing"
        return "result_receiver() returned" if truth.receiver["state"] in happened.ENDED else ""
    if not truth.receiver_stopped():
        return "result_receiver() waits for a result"
    return "" if truth.missing | truth.not_taken else "every result was taken"


def wrong_master(truth):
    """Node 0 is silent: it failed, or its programs, or the host does not hear it."""
    host_lost = any(0 in pair and not pair <= truth.parent.keys() | {0} for pair in truth.silent_links)
    fine = 0 in truth.failed or host_lost or truth.receiver_stopped() or truth.master_stopped(truth.generator["state"], GENERATOR)
    return "" if fine else "n0 lives, and so do its programs"


def wrong_contradiction(truth, oracle, verdict):
    """A finding of records that contradict each other: this function, or a link of this node, made what should not be there."""
    if made_it(truth, oracle, Claim(verdict, verdict["sentence"])):
        return ""
    return "that was not made in " + " on ".join([verdict["process"] or "any function", *(f"n{place['node']}" for place in verdict["places"][:1])])


def made_it(truth, oracle, claim):
    """Whether what was struck is the function, task and node of this claim; where it names a link, whether a link of the node changed or lost something."""
    nodes = {node for _, node in claim.places}
    if claim.processes & {"Collecting", "Distributing"} and on_its_links(truth, oracle, nodes):
        return True
    return any(strike["name"] not in MAKES_NO_MESSAGE and strike["node"] in nodes and strike["process"] in claim.processes
               and claim.task is not None and claim.task <= strike["task"] <= claim.last for strike in oracle["struck"])


def on_its_links(truth, oracle, nodes):
    near = {*nodes, *(truth.parent.get(node) for node in nodes), *(child for node in nodes for child in truth.children[node])}
    return any(pair & nodes for pair in truth.silent_links) or any({*loss.get("between", []), loss.get("node")} & near for loss in oracle["dropped"])


def wrong_drop(truth, oracle, verdict, claim):
    bundle = range(claim.task, claim.last + 1)
    if not truth.missing & set(bundle):
        return f"task {claim.task} came back"
    dropped = any(loss["node"] == verdict["dropped_by"] and loss.get("task", claim.task) in bundle for loss in oracle["dropped"])
    return "" if dropped else f"n{verdict['dropped_by']} threw away nothing of task {claim.task}"


def wrong_claim(truth, oracle, verdict, claim):
    if verdict.get("contradiction"):
        return wrong_contradiction(truth, oracle, verdict)
    if verdict.get("dropped_by") is not None and claim.task is not None:
        return wrong_drop(truth, oracle, verdict, claim)
    if truth.healthy() and not oracle["struck"] and not any(fault["happened"] for fault in oracle["faults"]):
        return "nothing failed"
    if claim.processes == {RECEIVER}:
        return wrong_receiver(truth, verdict)
    if claim.processes == {GENERATOR, RECEIVER}:
        return wrong_master(truth)
    if claim.task is None:
        if truth.missing:
            return f"task {min(truth.missing)} is missing"
        return "" if any(truth.cut_off(node) for node in claim.silent) else "no node failed"
    return wrong_place(truth, claim)


def wrong_none(truth, verdict):
    if OF_BUNDLES in verdict["sentence"]:
        empty = [first for first in range(0, truth.tasks, truth.granularity) if not truth.came_back(first)]
        if empty:
            return f"nothing of bundle {empty[0]} came back"
    elif truth.missing:
        return f"{len(truth.missing)} tasks are missing, the first is {min(truth.missing)}"
    if truth.not_taken:
        return f"{len(truth.not_taken)} results were not taken, the first is that of task {min(truth.not_taken)}"
    if "contradict" in verdict["sentence"]:
        return "it says itself that records contradict"
    # One that ended after it had taken every result did all that anybody can see: the program ended, and its report has them all.
    return "" if truth.receiver["state"] in happened.ENDED else f"result_receiver() did not return, it is {truth.receiver['state']}"


def wrong_finished_below(truth, verdict):
    below = [task for task in sorted(truth.missing) if task < verdict["finished_below"] and not truth.arrived(task)]
    bundles = range(0, verdict.get("bundles_back_below", 0), truth.granularity)
    empty = [first for first in bundles if not truth.came_back(first)]
    if empty and not below:
        return f"finished_below: bundles_back_below is {verdict['bundles_back_below']}, and nothing of bundle {empty[0]} came back"
    return f"finished_below is {verdict['finished_below']}, and task {below[0]} is missing" if below else ""


def wrong_certain(truth, oracle, verdict):
    claim = Claim(verdict, verdict["sentence"])
    error = wrong_claim(truth, oracle, verdict, claim)
    if error or claim.task is None or verdict.get("contradiction"):
        return error
    lower = truth.struck_below(claim.task)
    return f"task {lower} stopped by its own before it: {text_of(truth.stops(lower)[0])}" if lower is not None else ""


def judge(verdict, oracle):
    """What the verdict is worth."""
    truth = happened.Happened(oracle)
    kind = verdict["kind"]
    error = wrong_finished_below(truth, verdict)
    if error:
        return Judgement(kind, "wrong", error)
    if kind == "none":
        error = wrong_none(truth, verdict)
        return Judgement(kind, "wrong" if error else "right", error)
    if kind == "certain":
        if verdict["task"] is not None and verdict["task"] >= truth.left_out_from:
            return Judgement("failed", "", f"not judged: the account ends before task {verdict['task']}; shorten the case")
        error = wrong_certain(truth, oracle, verdict)
        return Judgement(kind, "wrong" if error else "right", error)
    if kind == "unknown":
        return Judgement(kind, "healthy" if truth.healthy() and not oracle["struck"] else "fault", "")
    return judge_likely(truth, oracle, verdict)


def right_alternative(truth, oracle, verdict, other):
    """One of `also_possible`: a task, a sub-task, a node and a process; of the receiver and of a generator that hangs after its last task no task, and of
    some task of a bundle nothing."""
    if other["node"] is None:
        return bool(truth.missing)
    claim = Claim({**other, "places": [other], "where": "in or before"}, "")
    if verdict.get("contradiction"):
        return made_it(truth, oracle, claim)
    if RECEIVER in claim.processes:
        return truth.receiver["state"] not in happened.ENDED and (truth.receiver_stopped() or not truth.missing)
    if claim.processes == {GENERATOR} and other["task"] is None:
        return truth.master_stopped(truth.generator["state"], GENERATOR)
    if other["task"] is None:
        return False
    return not wrong_place(truth, claim)


def judge_likely(truth, oracle, verdict):
    error = wrong_claim(truth, oracle, verdict, Claim(verdict, verdict["sentence"]))
    if not error:
        return Judgement("likely", "right", "")
    if any(right_alternative(truth, oracle, verdict, other) for other in verdict.get("also_possible", [])):
        return Judgement("likely", "among the others", error)
    first = [stop for stop in truth.first_stops() if truth.bundle(stop.task) == verdict["task"]]
    silent = set(verdict.get("fell_silent", [])) | set(verdict["silent"])
    half = any({stop.node, stop.towards} & silent for stop in first if stop.cause != "function")
    return Judgement("likely", "half right" if half else "wrong", error)


def certain_and_wrong(verdict, oracle):
    """Why the answer is one that must not be; empty when it is not: a certain one that is wrong, a fault denied, or tasks said to have finished that have not."""
    found = judge(verdict, oracle)
    hard = found.kind in ("certain", "none") or found.why.startswith("finished_below")
    return found.why if found.outcome == "wrong" and hard else ""
