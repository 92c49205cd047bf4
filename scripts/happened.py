"""Reconstructs a run from its oracle.json: the last place of each part of each task, the parts that stopped on their own,
and the parts that only wait. It reads the accounts (`account`, `struck`, `faults`, `dropped`, `lost_transfers`, `given_up`,
`nodes`) and none of the tool's conclusions: neither `fault_list` nor `conservation` nor `planted`. For scripts/judge.py.

A part of a task is a sub-task at a level of the tree: (number, level). A processor farm has one part a task. The last state
of a part is one of

  on the way    sent by a node, not received by its neighbour
  lying         received, and no function has begun with it there
  inside        a function has begun with it and has not ended
  made          a function has ended with it, and the function's product has not left the node
  back          its result was received by a node, or at the manager, and went no further
  split         its parts are elsewhere

A part stopped on its own when no other part keeps it there. The function that has it never returns, or kept its product; or
its node failed; or the link or neighbour on its way failed or lost it. Otherwise it waits."""
import collections

GENERATOR, RECEIVER = "data_generator()", "result_receiver()"
COMPUTE, SPLIT, JOIN = "comp_fn()", "split_fn()", "join_fn()"
KEEPS = {"never-sent", "wrong-order", "wrong-identity"}  # what the function made did not leave it as what it should be
ENDED = ("returned", "ended")
DEAD_LINK = {"cut", "stick", "switch_stuck", "miswire"}

# task; sub-task and level of the part; node; function when it has to do with it; the neighbour to which it could not go;
# cause: "function", "node" or "link"; `struck`: it was hit itself, and does not only wait for a neighbour or a link that failed.
Stop = collections.namedtuple("Stop", "task subtask node process towards cause struck", defaults=[True])
# `functions`: of those that began with it at `node`, the last one, and whether it ended.
Place = collections.namedtuple("Place", "state node towards process")


def numbers(ranges):
    return {number for first, last in ranges for number in range(first, last + 1)}


class Happened:
    def __init__(self, oracle):
        account = oracle["account"]
        self.tasks, self.granularity, self.degree = account["tasks"], account["granularity"], account["degree"]
        self.survives = "given_up" in oracle
        self.parent = dict(account["parents"])
        self.children = collections.defaultdict(list)
        for child, above in sorted(self.parent.items()):
            self.children[above].append(child)
        self.missing, self.not_taken = numbers(account["missing"]), numbers(account["not_taken"])
        self.generator, self.receiver = account["generator"], account["receiver"]
        self.left_out_from = account.get("left_out_from", self.tasks)
        self.strikes = collections.defaultdict(set)  # by (task, sub-task, node, process): names of bugs
        self.never_created = set()
        for strike in oracle["struck"]:
            if strike["name"] == "never-started":
                self.never_created.add((strike["node"], strike["process"]))
            self.strikes[strike["task"], int(strike["subtask"], 16), strike["node"], strike["process"]].add(strike["name"])
        self.find_failures(oracle)
        self.find_losses(oracle, account)
        self.vague = {loss["node"] for loss in oracle["dropped"] if "task" not in loss}  # nodes that dropped a message of an unknown task
        self.units = {unit["task"]: unit for unit in account["unfinished"]}
        self.given_up = oracle.get("given_up", [])
        self.parts = {}  # by task
        self.open_at = self.find_open()

    # ---- the machine ----

    def find_failures(self, oracle):
        """Nodes that failed, and pairs of neighbours whose link carries nothing at the end."""
        self.failed = {node["node"] for node in oracle["nodes"] if node["crashed"]}
        mute = {node["node"] for node in oracle["nodes"] if not node["answers"]}
        self.dead_links = set()
        for fault in oracle["faults"]:
            if not fault["happened"]:
                continue
            if fault["verb"] in ("die", "halt") or (fault["verb"] == "slow" and fault["node"] in mute):  # so slow that it is as good as dead
                self.failed.add(fault["node"])
            if fault["verb"] in DEAD_LINK and "ended_ps" not in fault:
                self.dead_links |= {frozenset(pair) for pair in fault.get("links", [])}
        self.dead_links |= {frozenset(pair) for pair in oracle["account"]["cut"]}
        self.silent_links = set(self.dead_links)  # and those on which something of the farm was lost

    def find_losses(self, oracle, account):
        """Parts that a link or the neighbour's kernel kept: by task's message and sub-task, the neighbours or the node."""
        self.lost = collections.defaultdict(list)  # (task of the message, sub-task) -> frozenset of neighbours, or of one node
        for loss in account["lost"] + oracle.get("lost_transfers", []) + oracle["dropped"]:
            where = frozenset(loss["between"]) if "between" in loss else frozenset([loss["node"]]) if "node" in loss else frozenset()
            if "from" in loss:
                ends = [end[1:].split(".")[0] for end in (loss["from"], loss["to"]) if end.startswith("n")]
                where = frozenset(int(end) for end in ends)
            if len(where) == 2:
                self.silent_links.add(where)
            if "task" in loss:
                self.lost[loss["task"], int(loss["subtask"], 16)].append(where)

    def link_failed(self, one, other):
        return frozenset((one, other)) in self.dead_links

    def way_up(self, node):
        """The node and those above it, the manager last."""
        while node is not None:
            yield node
            node = self.parent.get(node)

    def is_below(self, node, top):
        return top in self.way_up(node)

    def depth(self, node):
        return sum(1 for _ in self.way_up(node)) - 1

    def cut_off(self, node):
        """Whether a failure lies on its way to the manager, itself included: then nothing from it arrives any more."""
        above = self.parent.get(node)
        while True:
            if node in self.failed:
                return True
            if above is None:
                return False
            if frozenset((node, above)) in self.silent_links:
                return True
            node, above = above, self.parent.get(above)

    # ---- functions that never ended ----

    def find_open(self):
        """By node: what it is inside of."""
        found = collections.defaultdict(list)
        for unit in self.units.values():
            for line in unit["functions"]:
                if line["ended_ps"] is None:
                    found[line["node"]].append((line["task"], int(line["subtask"], 16), line["process"]))
        return found

    # ---- parts ----

    def bundle(self, task):
        return task - task % self.granularity

    def level(self, node):
        return max(1, self.depth(node)) if self.degree > 1 else 1

    def events(self, task, unit):
        """In true order: (time in us, order within it, kind, node, peer or process, sub-task)."""
        arrived = collections.Counter((move["received_from"], move["node"], move["what"], move["subtask"]) for move in unit["moves"] if "received_from" in move)
        for move in unit["moves"]:
            sent = "sent_to" in move
            kind = ("send " if sent else "get ") + move["what"]
            if sent:  # one that arrived is no news, and may be told after its arrival
                way = move["node"], move["sent_to"], move["what"], move["subtask"]
                arrived[way] -= 1
                if arrived[way] >= 0:
                    continue
            yield move["time_us"], 3 if sent else 0, kind, move["node"], move["sent_to" if sent else "received_from"], int(move["subtask"], 16)
        for line in unit["functions"]:
            if line["task"] != task:
                continue
            yield line["began_ps"] / 1e6, 1, "begin", line["node"], line["process"], int(line["subtask"], 16)
            if line["ended_ps"] is not None:
                yield line["ended_ps"] / 1e6, 2, "end", line["node"], line["process"], int(line["subtask"], 16)
        for line in self.given_up:
            for again in line["issued_again"]:
                if again["task"] == task:
                    yield line["time_ps"] / 1e6, 4, "again", line["by"], line["node"], int(again["subtask"], 16)

    def parts_of(self, task):
        """Where each part of a missing task was last: by (sub-task, level)."""
        if task in self.parts:
            return self.parts[task]
        parts = self.parts[task] = {}
        unit = self.units.get(self.bundle(task))
        for event in sorted(self.events(task, unit)) if unit else []:
            self.follow(parts, *event[2:])
        return parts

    def follow(self, parts, kind, node, peer, subtask):
        if kind == "again":
            for key in [key for key, place in parts.items() if self.is_below(place.node, peer)]:
                del parts[key]
            parts[subtask, self.level(peer)] = Place("lying", node, None, None)
            return
        ends = [node, peer] if isinstance(peer, int) else [node]
        key = subtask, max(self.level(end) for end in ends)
        now = parts.get(key)
        if kind == "send task":
            if now is None or now.node == node or now.state == "lying":
                parts[key] = Place("on the way", node, peer, None)
        elif kind == "get task":
            parts[key] = Place("lying", node, None, None)
        elif kind == "begin":
            parts[key] = Place("inside", node, None, peer)
        elif kind == "end":
            parts[key] = Place("split" if peer == SPLIT else "made", node, None, peer)
        elif now is not None and now.state in ("made", "back", "on the way", "on the way up"):  # a result; what is inside a function is in none
            parts[key] = Place("on the way up", node, peer, now.process) if kind == "send result" else Place("back", node, None, now.process)

    def under(self, key, node):
        """Keys of the parts of one that was split on this node, with the child that each goes to."""
        subtask, level = key
        below = self.children[node]
        return [((subtask | branch << 4 * level, level + 1), below[branch % len(below)]) for branch in range(self.degree if below else 0)]

    # ---- stops ----

    def stops(self, task):
        """Where this missing task stopped by its own; empty when it only waits."""
        parts = self.parts_of(task)
        if not parts:
            return self.stops_at_the_manager(task)
        found = []
        for key, place in sorted(parts.items()):
            found += self.stops_of_part(task, key, place, parts)
        return found

    def stops_at_the_manager(self, task):
        """No record of it: it never left n0."""
        stop = Stop(task, 0, 0, GENERATOR, None, "function")
        if self.strikes[task, 0, 0, GENERATOR] - {"slow", "wild-write", "wrong-result"} or 0 in self.failed:
            return [stop] if 0 not in self.failed else [stop._replace(cause="node", process=None)]
        last = self.generator["task"]
        stopped = self.master_stopped(self.generator["state"], GENERATOR) or self.generator["state"] == "returned"
        next_one = 0 if last is None else last + 1
        if stopped and self.bundle(task) <= next_one <= task:
            return [stop]
        if stopped and self.bundle(task) == self.bundle(next_one) and self.granularity > 1:
            return [stop]  # the bundle that it had open
        if last is not None and task <= last:
            return self.lost_of(task, 0, 0) or self.offered(task, 0, 0)
        return []

    def offered(self, task, subtask, node):
        """It lies here and there are children that cannot take it."""
        return [Stop(task, subtask, node, None, child, cause, False) for child in self.children[node] for cause in [self.unreachable(node, child)] if cause]

    def unreachable(self, node, neighbour):
        if neighbour in self.failed:
            return "node"
        return "link" if frozenset((node, neighbour)) in self.silent_links else None

    def lost_of(self, task, subtask, node):
        """Losses of a message of it on a link of this node or in a kernel beside it."""
        near = {node, self.parent.get(node), *self.children[node]}
        found = []
        for where in self.lost[self.bundle(task), subtask]:
            other = next(iter(where - {node}), None)
            if where and where <= near:
                found.append(Stop(task, subtask, node, None, other, "link"))
        return found

    def stops_of_part(self, task, key, place, parts):
        subtask, node = key[0], place.node
        stop = Stop(task, subtask, node, place.process, None, "function")
        if place.state == "split":
            return self.stops_of_split(task, key, place, parts)
        if place.state != "on the way" and place.process and self.strikes[task, subtask, node, place.process] & KEEPS:
            return [stop]
        struck_by = self.maker_that_kept(task, subtask)
        if struck_by:
            return [Stop(task, subtask, *struck_by, None, "function")]
        if place.state in ("on the way", "on the way up"):
            if not self.kept_on_link(task, subtask, node, place.towards):
                return []  # its neighbour has no room yet
            return [Stop(task, subtask, node, place.process, place.towards, self.cause_on_link(node, place.towards))]
        if node in self.failed:
            return [stop._replace(cause="node")]
        if place.state == "inside":
            return [stop]
        if place.state == "lying":
            return self.stops_of_lying(task, subtask, node)
        if node == 0:  # the manager has it; what is no whole result it throws away
            return [stop._replace(process=None)] if subtask != 0 or self.lost[self.bundle(task), subtask] else []
        return self.stops_on_the_way_up(task, key, place, parts)

    def kept_on_link(self, task, subtask, node, towards):
        if self.unreachable(node, towards) or node in self.failed or {node, towards} & self.vague:
            return True
        return any(where and where <= {node, towards} for where in self.lost[self.bundle(task), subtask])

    def cause_on_link(self, node, towards):
        return "node" if node in self.failed or towards in self.failed else "link"

    def maker_that_kept(self, task, subtask):
        """Node and function that should have sent it and was struck so that it did not, where its part has seen no more."""
        for (struck, number, node, process), names in self.strikes.items():
            if struck == task and number == subtask and names & KEEPS:
                return node, process
        return None

    def stops_of_lying(self, task, subtask, node):
        functions = (COMPUTE, SPLIT) if self.degree > 1 and self.children[node] else (COMPUTE,)
        absent = [Stop(task, subtask, node, process, None, "function") for process in functions if (node, process) in self.never_created]
        if absent:
            return absent
        lost = self.lost_of(task, subtask, node)
        if lost:
            return lost
        if self.open_at[node] or self.ended_at(node):
            return []  # behind another
        return self.offered(task, subtask, node) or self.held_by_link(task, subtask, node)

    def held_by_link(self, task, subtask, node):
        """Nothing is at work here, and still it did not begin: the link to the parent is dead, and a process waits for that, as one does whose record
        finds no room in a full buffer."""
        above = self.parent.get(node)
        dead = frozenset((node, above)) in self.silent_links
        return [Stop(task, subtask, node, None, above, "link", False)] if dead else []

    def ended_at(self, node):
        """A process of this node ended, or its function waits for ever: what lies here waits for it."""
        return any(where == node and names & {"early-end", "out-of-memory", "endless-loop", "waits-for-ever"} for (_, _, where, _), names in self.strikes.items())

    def stops_on_the_way_up(self, task, key, place, parts):
        """Its result is here, made here or come from below, and did not leave."""
        subtask, node = key[0], place.node
        above = self.parent[node]
        lost = [stop._replace(process=place.process) for stop in self.lost_of(task, subtask, node) if stop.towards == above]
        if lost:
            return lost
        cause = self.unreachable(node, above)
        if self.degree > 1 and place.state == "back":  # waits to be joined, which is the affair of the whole
            return []
        return [Stop(task, subtask, node, place.process, above, cause, False)] if cause else []

    def stops_of_split(self, task, key, place, parts):
        """A part that was split: what was not sent on, and what should have been joined. Parts that were sent speak for themselves."""
        subtask, node = key[0], place.node
        if self.strikes[task, subtask, node, SPLIT] & KEEPS:
            return [Stop(task, subtask, node, SPLIT, None, "function")]
        if node in self.failed:
            return [Stop(task, subtask, node, SPLIT, None, "node")]
        found, all_back = [], True
        for part, child in self.under(key, node):
            now = parts.get(part)
            all_back = all_back and now is not None and now.state == "back" and now.node == node
            if now is None:
                cause = self.unreachable(node, child)
                found += self.lost_of(task, part[0], node) or ([Stop(task, part[0], node, None, child, cause, False)] if cause else [])
        if all_back and (node, JOIN) in self.never_created:
            found.append(Stop(task, subtask, node, JOIN, None, "function"))
        return found

    def arrived(self, task):
        """Its result lies at the manager, which has not come to it yet, or never will since its node has failed."""
        place = self.parts_of(task).get((0, 1))
        thrown_away = self.lost[self.bundle(task), 0]
        only_failed = all((stop.node, stop.cause) == (0, "node") for stop in self.stops(task))
        return place is not None and place[:2] == ("back", 0) and only_failed and not thrown_away

    def came_back(self, first):
        """Something of the bundle: a task of it, or a message with its number."""
        if any(task not in self.missing for task in range(first, min(first + self.granularity, self.tasks))):
            return True
        unit = self.units.get(first, {"moves": []})
        return any(move["node"] == 0 and move["what"] == "result" and "received_from" in move for move in unit["moves"])

    def struck_below(self, task):
        """The lowest task below this one that was struck itself."""
        return next((low for low in sorted(self.missing) if low < task and any(stop.struck for stop in self.stops(low))), None)

    def first_stops(self):
        """Every place where the lowest task that was struck itself stopped; when none was, the lowest that could not go on."""
        known = [task for task in sorted(self.missing) if task < self.left_out_from]
        for struck in (True, False):
            for task in known:
                found = [stop for stop in self.stops(task) if stop.struck or not struck]
                if found:
                    return found
        return []

    def receiver_stopped(self):
        return self.master_stopped(self.receiver["state"], RECEIVER) or self.receiver["state"] == "returned"

    def master_stopped(self, state, process):
        """One that never began is to blame only when a bug kept it from that: else the farm was never begun."""
        return state in ("began", "in its own code", "ended") or (state == "never began" and (0, process) in self.never_created)

    def healthy(self):
        """Every task is home, taken, and the program's own functions returned."""
        return not self.missing and not self.not_taken and self.generator["state"] == self.receiver["state"] == "returned"
