#!/usr/bin/env python3
"""'magicwire story' and 'magicwire why' held against the truth of the run, and what they refuse.

    story_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

Every case works in an empty folder of its own. A NAME picks the cases whose name contains it. A case that fails keeps its
folder and prints where it is; exit code 1.
"""
import json
import shutil
import sys
from pathlib import Path

from cli_cases import DONE, UNKNOWN, USAGE, equal, is_json, main, refuses, simulation, succeeds

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "scripts"))
import happened  # noqa: E402


class Truth:
    """Whether what a story says is what happened."""

    def __init__(self, folder):
        self.oracle = json.loads((folder / "oracle.json").read_text(encoding="utf-8"))
        self.run = happened.Happened(self.oracle)
        self.moves = {unit["task"]: {(move["node"], move.get("sent_to"), move.get("received_from"), move["what"], int(move["subtask"], 16))
                                     for move in unit["moves"]} for unit in self.oracle["account"]["unfinished"]}

    def key(self, subtask, node):
        return int(subtask, 16), self.run.level(node)

    def is_back(self, task):
        """Node 0 received its result."""
        if task not in self.run.missing:
            return True
        return any(node == 0 and source is not None and what == "result" for node, _, source, what, _ in self.moves.get(self.run.bundle(task), ()))

    def record(self, task, subtask, node, peer, what, sent):
        """The oracle has no account of tasks whose result was taken."""
        return task not in self.moves or (node, peer if sent else None, None if sent else peer, what, int(subtask, 16)) in self.moves[task]

    def below(self, node, top):
        return self.run.is_below(node, top)

    def places(self, task, subtask, node):
        """Where the part that this node had is now, or where its own parts are."""
        number, level = self.key(subtask, node)
        return [place for (other, deep), place in self.run.parts_of(task).items()
                if deep >= level and other & ((1 << 4 * level) - 1) == number & ((1 << 4 * level) - 1)]

    def holds(self, task, now, part):
        """Whether a place that is said to be certain is the true one."""
        subtask, node = part["subtask"], part["node"]
        place = self.run.parts_of(task).get(self.key(subtask, node))
        if now["where"] == "not-sent":
            return place is None and not self.moves.get(task)
        if now["where"] == "on-the-way":
            return place is not None and place.state in ("on the way", "on the way up") and (place.node, place.towards) == (now["from"], now["node"])
        if now["where"] in ("at-or-below", "on-or-behind"):
            links = [(found.node, found.towards) for found in self.places(task, subtask, node)]
            return bool(links) and all(self.below(at, node) or (towards is not None and self.below(towards, node)) for at, towards in links)
        if now["kind"] == "branch-not-sent":
            return self.run.parts_of(task).get((int(now["subtask"], 16), self.run.level(node) + 1)) is None
        if now["kind"] in ("join-ready", "join-waiting"):
            return place is not None and place.node == node and place.state in ("split", "inside", "made")
        if now["kind"] == "forward-pending":
            return place is not None and place.node == node and place.state == "back"
        return place is not None and place.node == node and place.state in ("lying", "inside", "made", "split")


def check_story(truth, story):
    """Returns the number of places that are certain, and true."""
    task = story["task"]
    if story["finished"]:
        assert truth.is_back(task), f"task {task} is said to be finished"
        return 0
    for part in story["parts"]:
        for move in part["moves"]:
            what = "result" if move["what"] == "result" else "task"
            for end, sent in (("sent", True), ("received", False)):
                node, peer = (move["from"], move["to"]) if sent else (move["to"], move["from"])
                assert move[end] is None or truth.record(task, part["subtask"], node, peer, what, sent), (task, part["subtask"], move)
    certain = 0
    for now in story["now"]:
        part = story["parts"][now["part"]] if now["part"] is not None else {"subtask": "0000", "node": 1}
        if now["within"] is not None:
            assert not truth.is_back(task), f"task {task} is back, and not in the farm: {now}"
            places = truth.places(task, part["subtask"], part["node"])
            assert all(truth.below(place.node, now["within"]) or (place.towards is not None and truth.below(place.towards, now["within"]))
                       for place in places), (task, now, places)
        if now["certainty"] != "certain":
            continue
        assert not truth.is_back(task), f"task {task} is back, and not where it is said to be: {now}"
        assert truth.holds(task, now, part), (task, now, truth.run.parts_of(task))
        certain += 1
    return certain


def check_chain(truth, chain):
    """Each link that is certain is true: where the part is, and that what it waits for is not there."""
    certain = 0
    for link in chain["links"]:
        if link["place"]["certainty"] == "certain" and link["kind"] != "result-not-taken":
            part = {"subtask": link["subtask"], "node": link["node"]}
            assert truth.holds(link["task"], {**link["place"], "kind": link["kind"], "subtask": link["subtask"]}, part) or \
                link["kind"] in ("branch-not-sent", "given-back", "not-sent-again"), (link, truth.run.parts_of(link["task"]))
        if link["certainty"] != "certain":
            continue
        certain += 1
        if link["wait"] == "for-parts":
            for each in link["awaits"]:
                place = truth.run.parts_of(each["task"])[truth.key(each["subtask"], each["node"])]
                assert not (place.state == "back" and place.node == link["node"]), (link, place)
        if link["wait"] == "root" and link["process"] != happened.RECEIVER:
            stops = truth.run.stops(link["task"])
            assert any(truth.below(stop.node, link["node"]) or stop.towards == link["node"] for stop in stops), (link, stops)
    return certain


def held_against_the_truth(box, folder, tasks):
    truth = Truth(box.folder / folder)
    places = links = 0
    for task in tasks(truth):
        done = box.run("story", folder, task, "--json")
        story = is_json(done.stdout, "magicwire.story/1")
        equal(done.returncode, UNKNOWN if story["certainty"] == "unknown" else DONE, "exit code of story")
        places += check_story(truth, story)
        done = box.run("why", folder, task, "--json")
        chain = is_json(done.stdout, "magicwire.why/1")
        equal(done.returncode, UNKNOWN if chain["certainty"] == "unknown" else DONE, "exit code of why")
        equal(chain["finished"], story["finished"], "whether it is finished")
        links += check_chain(truth, chain)
        if not chain["finished"]:
            equal([link["wait"] for link in chain["links"]].count("root"), 1, f"roots of {task}: {chain['links']}")
            equal(chain["links"][-1]["wait"], "root", "the last link")
    return places, links


def missing_and_one(truth):
    return sorted(truth.run.missing)[:12] + [0]


@simulation
def the_session_of_the_thesis_is_told_step_by_step(box):
    equal(box.run("run", box.source / "examples/thesis/dc8.yaml", "--out", "out").returncode, 1, "exit code of the run")
    places, links = held_against_the_truth(box, "out", missing_and_one)
    assert places == 9 and links >= 10, (places, links)
    truth = Truth(box.folder / "out")
    story = is_json(succeeds(box.run("story", "out", "49", "--json")), "magicwire.story/1")
    told = {(move[end]["record"].split(":")[0], int(part["subtask"], 16), end) for part in story["parts"] for move in part["moves"] for end in ("sent", "received")}
    true = {(f"n{node}", subtask, "sent" if to is not None else "received") for node, to, _, _, subtask in truth.moves[49]}
    equal(told, true, "the steps of task 49")
    equal(sorted((now["subtask"], now["node"], now["certainty"]) for now in story["now"]),
          [("0000", 4, "certain"), ("0010", 6, "certain"), ("0100", 5, "certain"), ("0110", 7, "certain")], "where task 49 is")
    for task in sorted(truth.run.missing):
        chain = is_json(succeeds(box.run("why", "out", task, "--json")), "magicwire.why/1")
        root = chain["links"][-1]
        equal((root["task"], root["wait"], root["certainty"], chain["root_is_the_verdicts"]), (49, "root", "certain", True), f"root of task {task}")
        assert root["node"] in (4, 5, 6, 7) and root["process"] == "comp_fn()", root
    equal(chain["verdict"], json.loads((box.folder / "out/summary.json").read_text(encoding="utf-8"))["verdict"]["verdict"]["sentence"], "verdict")


@simulation
def nothing_certain_is_false_where_records_are_lost(box):
    """Small buffers, on every policy; crashes, hangs and early ends."""
    certain = unknown = 0
    bugs = ("0  20 10 0  10000 1000 0  10 10 0  100 10 0  100 10 0\n7  20 10 0  10000 1000 4  10 10 0  100 10 0  100 10 0\n8  20 10 0  10000 1000 0  10 10 0"
            "  100 10 0  100 10 0\n")
    for farm in ("", ", degree: 2, depth: 3"):
        for when_full in ("drop-newest", "overwrite-oldest", "degrade"):
            for records in (4, 16):
                for seed in (1, 2):
                    folder = f"out{certain}_{unknown}_{when_full}_{records}_{seed}_{len(farm)}"
                    scenario = box.scenario(("tasks: 20", "tasks: 20" + farm), bugs)
                    done = box.run("run", scenario, "--out", folder, "--exit-zero", "--seed", seed, "--set", f"monitor.buffer={records}",
                                   "--set", f"monitor.when_full={when_full}", "--set", f"monitor.unload=1000s/{records // 2}/{records}")
                    equal(done.returncode, DONE, f"exit code of the run ({done.stderr!r})")
                    places, _ = held_against_the_truth(box, folder, lambda truth: range(0, 20, 2))
                    certain += places
    assert certain > 10, certain


@simulation
def what_no_task_has_is_refused(box):
    succeeds(box.run("run", box.scenario(), "--out", "out"))
    more = "\nRun with --help for more information."
    for words, message in (
            (["story", "out", "20"], "there is no task 20; the farm has tasks 0 to 19"), (["why", "out", "99"], "there is no task 99; the farm has tasks 0 to 19"),
            (["story", "out", "x"], "TASK: 'x' is no number; give the number of a task, such as 49"),
            (["why", "out", "-1"], None), (["story", "out", "3", "xx"], "SUBTASK: 'xx' is no number; give it in hexadecimal as in the list of faults, such as 0010"),
            (["graph", "out", "3", "-o", "3.gif"], "-o: '3.gif' does not say the kind of picture; end it in .svg, .png or .dot")):
        result = box.run(*words)
        equal((result.returncode, result.stdout), (USAGE, ""), f"{words}")
        assert message is None or result.stderr == message + more + "\n", result.stderr
    (box.folder / "out/data.spf").rename(box.folder / "out/other.spf")
    refuses(box, ["story", "out", "3"], "out/data.mwt: has no specification of its farm beside it (out/data.spf); copy that from the folder of the run, or write "
            "its numbers: NumProc Topology NumTasks TaskDegree TaskDepth")


@simulation
def a_finished_task_waits_for_nothing(box):
    succeeds(box.run("run", box.scenario(), "--out", "out"))
    text = succeeds(box.run("why", "out", "3"))
    assert text.startswith("Task 3: finished. n0 took the result at ") and text.endswith("It waits for nothing.\n"), text
    chain = is_json(succeeds(box.run("why", "out", "3", "--json")), "magicwire.why/1")
    equal((chain["finished"], chain["links"], chain["trace"]["complete"]), (True, [], True), "the chain")


@simulation
def a_run_that_did_not_finish_is_told_as_far_as_it_goes(box):
    succeeds(box.run("run", box.scenario(), "--out", "out"))
    (box.folder / "killed.incomplete").mkdir()
    data = (box.folder / "out/data.mwt").read_bytes()
    (box.folder / "killed.incomplete/data.mwt.incomplete").write_bytes(data[:len(data) // 2])
    (box.folder / "killed.incomplete/data.spf").write_bytes((box.folder / "out/data.spf").read_bytes())
    for task in range(20):
        done = box.run("story", "killed.incomplete", task)
        assert done.returncode in (DONE, UNKNOWN) and done.stdout.startswith("The trace is incomplete after block "), done
        story = json.loads(box.run("story", "killed.incomplete", task, "--json").stdout)
        assert not any(now["certainty"] == "certain" for now in story["now"]), story["now"]


@simulation
def pictures_tell_states_by_shape(box):
    equal(box.run("run", box.source / "examples/thesis/dc8.yaml", "--out", "out").returncode, 1, "exit code of the run")
    for option in ([], ["--coalesced"], ["--tree"]):
        dot = succeeds(box.run("graph", "out", "49", *option))
        assert dot.startswith('digraph "Task 49" {') and dot.count("shape=octagon") == 5 and "Legend" in dot, dot
        if shutil.which("dot"):
            succeeds_silently(box.run("graph", "out", "49", *option, "-o", f"p{len(option)}{option}.svg"))
    if shutil.which("dot"):
        succeeds_silently(box.run("graph", "out", "49", "-o", "49.png"))
        equal((box.folder / "49.png").read_bytes()[:4], b"\x89PNG", "the picture's first bytes")
    box.run("graph", "out", "49", "-o", "49.dot", check=True)
    refuses(box, ["graph", "out", "49", "-o", "49.dot"], "49.dot: exists already and is not replaced; name another file, or replace it with -f")


def succeeds_silently(result):
    equal((result.returncode, result.stdout, result.stderr), (DONE, "", ""), "a picture that is drawn")


@simulation
def the_shell_tells_of_what_has_come(box):
    scenario = box.source / "examples/thesis/dc8.yaml"
    lines = "run until 743ms\nwhy 49\nstory 49\nrun\nwhy 51\nstory 49 0010\nwhy 100\n"
    done = box.run("shell", scenario, "--json", input=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    texts = [answer.get("text", "") for answer in answers]
    assert "as far as the records reach" in texts[1], texts[1]
    assert any("part 0000 of task 49 is on n4" in text and "comp_fn()" in text for text in texts), texts
    assert any("n3 -> n6  0010 task" in text for text in texts), texts
    assert "there is no task 100; the farm has tasks 0 to 99" in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(main(__doc__))
