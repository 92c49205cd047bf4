"""Compares the verdict on a halo (docs/model/halo.md) with what happened, from oracle.json: as judge.py for farms. It shares no code with the
analysis, and derives the true places itself, from the next step of each node.

  finished_below N   in every kind of answer: every node has done all exchanges with a smaller number
  none               every node is done
  certain, likely    task, node and process are those of a place: the node stands there, and for no other node's sake. A certain answer names
                     the first one, or one that was struck itself
  among the others   likely, and one of `also_possible` is such a place
  half right         likely, and the node was struck: by a bug or a crash, or it is an end of a link that failed or lost a message

Unknown claims nothing but `finished_below`; it is counted."""
import collections
import re

from judge import Judgement

FUNCTIONS = {0: "initial_fn()"}  # before an exchange; of every other one step_fn()
NEXT = re.compile(r"(?:(initial_fn)|step_fn (\d+)|(send|receive) (\d+) (?:to|from) n(\d+)|(done))$")

Place = collections.namedtuple("Place", "node task process")
# `act`: function, send, receive or done. `exchange`: in which it is, or which the function precedes.
Next = collections.namedtuple("Next", "act exchange peer")


def parsed(text):
    first, step, act, exchange, peer, done = NEXT.match(text).groups()
    if done:
        return Next("done", None, None)
    if act:
        return Next(act, int(exchange), int(peer))
    return Next("function", 0 if first else int(step) + 1, None)


class HaloTruth:
    def __init__(self, oracle):
        halo = oracle["halo"]
        self.neighbours = collections.defaultdict(list)
        for child, parent in halo["parents"]:
            self.neighbours[child].append(parent)
            self.neighbours[parent].append(child)
        self.next = {node["node"]: parsed(node["next"]) for node in halo["nodes"]}
        self.whole = {node["node"]: node["exchanges"] for node in halo["nodes"]}
        self.places = sorted(filter(None, map(self.place, self.next)), key=lambda place: (place.task, place.node))
        self.bugs = [bug for bug in halo["bugs"] if bug["struck_ps"] is not None]
        self.struck = set(halo["crashed"]) | {node for pair in halo["cut"] for node in pair}
        for bug in self.bugs:
            self.struck |= {bug["node"], bug.get("to", bug["node"])}
        self.struck |= {fault["node"] for fault in oracle["faults"] if fault["happened"] and "node" in fault}

    def has_sent(self, node, exchange, to):
        """Sends go to the neighbours in ascending order, and before the receives."""
        now = self.next[node]
        if now.act == "done" or now.exchange > exchange:
            return True
        if now.exchange < exchange or now.act == "function":
            return False
        return now.act == "receive" or to < now.peer

    def place(self, node):
        """None when it is done, or stands for another's sake."""
        now = self.next[node]
        if now.act == "done" or (now.act == "receive" and not self.has_sent(now.peer, now.exchange, node)):
            return None
        unsent = now.act == "function" or (now.act == "send" and now.peer == min(self.neighbours[node]))
        return Place(node, now.exchange, FUNCTIONS.get(now.exchange, "step_fn()") if unsent else "Exchanging")

    def healthy(self):
        return not self.places and not self.bugs

    def text(self):
        return "; ".join(f"exchange {place.task}, {place.process} on n{place.node}" for place in self.places[:3])


def claimed(verdict):
    """The places of a verdict, one for each node and process that it names."""
    def ways(place):
        text = place.get("process", verdict.get("process", ""))
        return [Place(place["node"], verdict["task"], process) for process in sorted(set(text.split(" or ")) - {""})]

    return [ways(place) for place in verdict.get("places", [])]


def wrong_place(truth, verdict):
    if not truth.places:
        return "every node is done"
    named = claimed(verdict)
    if not named:
        return "no place is named"
    for ways in named:
        if not set(ways) & set(truth.places):
            return f"not {' or '.join(sorted(way.process for way in ways)) or 'there'} on n{ways[0].node if ways else '?'} in exchange {verdict['task']}: {truth.text()}"
    return ""


def wrong_contradiction(oracle, truth):
    changed = any(strike.get("effect") == "byte changed" for fault in oracle["faults"] for strike in fault["strikes"])
    return "" if changed or truth.bugs else "no message was changed"


def wrong_certain(oracle, truth, verdict):
    if verdict.get("contradiction"):
        return wrong_contradiction(oracle, truth)
    error = wrong_place(truth, verdict)
    first = truth.places[0].task if truth.places else None
    if not error and verdict["task"] != first and not {ways[0].node for ways in claimed(verdict)} & truth.struck:
        return f"a node stopped by itself before it: {truth.text()}"
    return error


def judge_likely(oracle, truth, verdict):
    error = wrong_contradiction(oracle, truth) if verdict.get("contradiction") else wrong_place(truth, verdict)
    if not error:
        return Judgement("likely", "right", "")
    for other in verdict.get("also_possible", []):
        if other["node"] is not None and not wrong_place(truth, {**other, "places": [other]}):
            return Judgement("likely", "among the others", error)
    half = {node for ways in claimed(verdict) for node in {way.node for way in ways}} | set(verdict.get("silent", []))
    return Judgement("likely", "half right" if truth.places and half & truth.struck else "wrong", error)


def judge(verdict, oracle):
    truth, kind = HaloTruth(oracle), verdict["kind"]
    least = min(truth.whole.values())
    if (verdict.get("finished_below") or 0) > least:
        behind = min(node for node, whole in truth.whole.items() if whole == least)
        return Judgement(kind, "wrong", f"finished_below is {verdict['finished_below']}, and n{behind} has done {least} exchanges")
    if kind == "none":
        error = f"not every node is done: {truth.text()}" if truth.places else ""
        return Judgement(kind, "wrong" if error else "right", error)
    if kind == "certain":
        error = wrong_certain(oracle, truth, verdict)
        return Judgement(kind, "wrong" if error else "right", error)
    if kind == "unknown":
        return Judgement(kind, "healthy" if truth.healthy() else "fault", "")
    return judge_likely(oracle, truth, verdict)


def certain_and_wrong(verdict, oracle):
    """Why the answer is one that must not be; empty when it is not."""
    found = judge(verdict, oracle)
    hard = found.kind in ("certain", "none") or found.why.startswith("finished_below")
    return found.why if found.outcome == "wrong" and hard else ""


def disagreement(oracle):
    """The oracle's own places, as text, where they are others than the judge's: a defect of one of the two. Empty: they agree."""
    told = [Place(place["node"], place["task"], place["process"]) for place in oracle["halo"]["places"]]
    return "" if told == HaloTruth(oracle).places else f"the oracle has {told}, and its nodes stand at {HaloTruth(oracle).places}"
