#!/usr/bin/env python3
"""The verdict while the farm runs: the shell's 'verdict' and 'run until verdict' in mid-run, and the bound that is said beforehand.

    streaming_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

Every case works in an empty folder of its own. A NAME picks the cases whose name contains it. A case that fails keeps its
folder and prints where it is; exit code 1.
"""
import json
import re
import sys

from cli_cases import BAD_INPUT, FOUND, equal, is_json, main, simulation, succeeds
from shell_cases import example, typed

sys.dont_write_bytecode = True
BOUND = re.compile(r"^A stop shows within ([\d.]+) ms: unload gap [\d.]+ ms, flight [\d.]+ ms, look [\d.]+ ms\.$", re.M)


def answers(result):
    return [is_json(line, "magicwire.shell/1") for line in result.stdout.splitlines()]


def first_crash_ps(box, scenario):
    """When it happened, from the truth of the same run."""
    box.run("run", scenario, "--out", "truth", "--exit-zero")
    return min(bug["time_ps"] for bug in json.loads(box.read("truth/oracle.json"))["struck"])


def names_the_task_within_the_bound(box, name, task):
    scenario = example(box, name)
    result = typed(box, scenario, ["run until verdict", "quit"], "--json")
    equal(result.returncode, 0, f"exit code ({result.stderr!r})")
    bound = float(BOUND.search(result.stderr)[1])
    stopped = answers(result)[0]
    verdict = stopped["data"]["verdict"]
    equal((verdict["kind"], verdict["task"]), ("likely", task), f"the verdict ({verdict['sentence']})")
    late = (stopped["time_ps"] - first_crash_ps(box, scenario)) / 1e9
    assert 0 < late <= bound, f"named {late} ms after the crash, and the bound is {bound} ms"
    return stopped


@simulation
def dc8_names_task_49_within_the_bound(box):
    stopped = names_the_task_within_the_bound(box, "dc8", 49)
    assert set(place["node"] for place in stopped["data"]["verdict"]["places"]) <= {4, 5, 6, 7}, stopped["data"]["verdict"]
    end = json.loads(box.read("truth/summary.json"))["verdict"]["verdict"]
    equal((end["kind"], end["task"]), ("certain", 49), "the verdict of the end")


@simulation
def dc16_good_names_task_500_within_the_bound(box):
    names_the_task_within_the_bound(box, "dc16_good", 500)


@simulation
def a_look_in_mid_run_says_what_master_and_workers_know(box):
    lines = ["verdict", "run until 735ms", "verdict", "run until 738ms", "verdict", "quit"]
    result = typed(box, example(box, "dc8"), lines)
    text = succeeds(result)
    assert "from the 0 records that the host has:\nmaster    sent 0 of 100 tasks, 0 came back\nn1        no record has come\n" in text, text
    assert re.search(r"at 735ms, from the \d+ records that the host has:\nmaster    sent \d+ of 100 tasks, \d+ came back", text), text
    assert "No stop so far" in text and "Certain" not in text, text


@simulation
def a_run_without_a_fault_goes_on_to_its_end(box):
    text = succeeds(quiet(typed(box, box.scenario(), ["run until verdict", "verdict", "quit"])))
    assert "The run has ended after" in text and "No fault: " in text, text


def quiet(result):
    """Without the bound on standard error."""
    assert result.stderr.startswith("A stop shows "), result.stderr
    result.stderr = ""
    return result


@simulation
def what_cannot_be_said_in_mid_run_is_refused(box):
    unmonitored = box.scenario(monitor="")
    for lines in (["verdict"], ["run until verdict"]):
        result = typed(box, unmonitored, lines)
        assert result.returncode == BAD_INPUT and "the scenario is not monitored, so there are no records; add a 'monitor:' to it" in result.stderr, result
    result = typed(box, box.source / "topologies/machines/btree_8.yaml", ["run until verdict"])
    assert result.returncode == BAD_INPUT and "there is no farm, and so no task" in result.stderr, result
    result = typed(box, example(box, "dc8"), ["run", "run until verdict"])
    assert result.returncode == BAD_INPUT and "the run has ended" in result.stderr, result


@simulation
def top_tells_of_the_stop_before_the_end(box):
    text = succeeds(box.run("top", example(box, "dc8"), "--interval", "20ms", "--lines"), FOUND)
    lines = [line for line in text.splitlines() if "s/s" in line]
    kinds = ["likely stop: task 49" in line for line in lines if " run " in line]
    assert kinds and not kinds[0] and any(kinds), lines
    assert "no stop so far" in lines[0], lines[0]


if __name__ == "__main__":
    sys.exit(main(__doc__))
