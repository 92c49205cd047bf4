#!/usr/bin/env python3
"""magicwire overhead --sweep and magicwire schedule as a user runs them: tables, files, refusals, exit codes.

    schedule_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import csv
import io
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from cli_cases import BAD_INPUT, FOUND, UNKNOWN, USAGE, case, equal, is_json, main, processes_of, refuses, succeeds, wait_until

INTERRUPTED = 130
SWEEP = ["overhead", "s.yaml", "--sweep", "monitor.buffer=4,64", "--sweep", "monitor.unload=1000s/0/0;1ms/8/8,1000s/0/0"]


@case
def a_sweep_has_a_row_for_every_combination_in_every_form(box):
    box.scenario()
    text = succeeds(box.run(*SWEEP, "--csv", "t.csv"))
    rows = list(csv.DictReader(io.StringIO(box.read("t.csv"))))
    equal([(row["monitor.buffer"], row["monitor.unload"]) for row in rows],
          [(b, u) for b in ("4", "64") for u in ("1000s/0/0", "1ms/8/8,1000s/0/0")], "points")
    points = is_json(succeeds(box.run(*SWEEP, "--json")), "magicwire.overhead_sweep/1")["points"]
    equal([int(row["records"]) for row in rows], [point["records"] for point in points], "records")
    assert all(row["slow_down_percent"] in text for row in rows), text


@case
def a_sweep_is_listed_without_a_run(box):
    box.scenario()
    lines = succeeds(box.run(*SWEEP, "--dry-run", "--seed", "7")).splitlines()
    points = is_json(succeeds(box.run(*SWEEP, "--dry-run", "--json", "--seed", "7")), "magicwire.overhead_sweep/1")["points"]
    equal(points[1], {"settings": {"monitor.buffer": "4", "monitor.unload": "1ms/8/8,1000s/0/0"}, "state": "not run"}, "second run")
    equal(len(points), 4, "points")
    equal(lines[1], "magicwire overhead s.yaml --seed 7 --set monitor.buffer=4 --set monitor.unload=1ms/8/8,1000s/0/0", "second run")
    equal(len(lines), 4, "runs")


@case
def no_process_of_a_killed_comparison_is_left(box):
    box.scenario(("tasks: 20", "tasks: 200000"), tasks="")
    for arguments, processes in ((["overhead", "s.yaml"], 3), (SWEEP, 4)):
        for end in (signal.SIGTERM, signal.SIGKILL):
            work = subprocess.Popen([box.magicwire, *arguments], cwd=box.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(lambda: len(processes_of(box.folder)) >= processes)
            work.send_signal(end)
            # A sweep ends by SIGTERM as by Ctrl-C: with what it has.
            equal(work.wait(timeout=30), INTERRUPTED if arguments is SWEEP and end is signal.SIGTERM else -end, "what ended it")
            wait_until(lambda: not processes_of(box.folder))


@case
def a_sweep_says_what_is_wrong_before_it_begins(box):
    box.scenario()
    refuses(box, ["overhead", "s.yaml", "--sweep", "monitor.bufer=4"], "--set monitor.bufer=4: there is no setting or cost 'monitor.bufer', "
            "did you mean 'monitor.buffer'?")
    box.write("t.csv", "mine\n")
    refuses(box, [*SWEEP, "--csv", "t.csv"], "t.csv: exists already and is not replaced; name another file, or replace it with -f")
    equal(box.run("overhead", "s.yaml", "--csv", "u.csv").returncode, USAGE, "exit code")


@case
def a_comparison_that_fails_says_why_once(box):
    box.scenario()
    result = box.run("overhead", "s.yaml", "--set", "monitor.buffer=65536", "--set", "monitor.record=80")
    equal(result.returncode, BAD_INPUT, "exit code")
    equal(result.stdout, "", "standard output")
    equal(len(result.stderr.splitlines()), 1, f"lines on standard error ({result.stderr!r})")
    assert result.stderr.startswith("magicwire: ") and "too little memory for the monitor's buffers" in result.stderr, result.stderr


@case
def a_point_that_fails_is_a_row_and_the_exit_code_says_so(box):
    box.scenario()
    result = box.run("overhead", "s.yaml", "--sweep", "monitor.buffer=16,65536", "--set", "monitor.record=80")
    equal(result.returncode, UNKNOWN, "exit code")
    assert "too little memory for the monitor's buffers" in result.stdout, result.stdout


@case
def a_sweep_is_drawn(box):
    if not shutil.which("gnuplot"):
        print("skipped (no gnuplot)", end=" ")
        return
    box.scenario()
    succeeds(box.run(*SWEEP, "--picture", "t.svg"))
    assert "monitor.buffer" in box.read("t.svg") and "Slow-down of" in box.read("t.svg")


@case
def an_interrupted_sweep_keeps_what_is_done(box):
    box.scenario()
    seeds = ",".join(str(seed) for seed in range(1, 501))
    with subprocess.Popen([box.magicwire, "overhead", "s.yaml", "--sweep", "seed=" + seeds], cwd=box.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        while not Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii"):
            time.sleep(0.05)  # once a child runs, the signal is awaited
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=60)
        equal(process.returncode, INTERRUPTED, "exit code")
    assert "not run: interrupted" in stdout, stdout


NO_TIME = ("{nodes: 8, tree: binary, tasks: 20}", "{nodes: 2, tree: chain, tasks: 1}")


@case
def where_there_is_no_time_to_compare_nothing_is_divided_by_it(box):
    box.scenario(NO_TIME, tasks="0  0 10 0  0 10 0  0 10 0  0 10 0  0 10 0\n")
    text = succeeds(box.run("overhead", "s.yaml", "--set", "farm.tasks=0"))
    assert "no result came back in both runs, so there is nothing to compare" in text and "critical path" not in text, text
    data = is_json(succeeds(box.run("overhead", "s.yaml", "--set", "farm.tasks=0", "--json")), "magicwire.overhead/2")
    equal((data["compared_results"], data["slow_down"]), (0, None), "slow-down")
    assert not re.search(r"\b(nan|inf)\b", text, re.I), text
    text = succeeds(box.run("overhead", "s.yaml", "--sweep", "farm.tasks=0,1", "--csv", "t.csv"))
    rows = list(csv.DictReader(io.StringIO(box.read("t.csv"))))
    equal([row["twin_ms"] == "" for row in rows], [True, False], "times without a result, and with one")
    equal([row["slow_down_percent"] == "" for row in rows], [True, False], "slow-down without a result, and with one")
    assert re.search(r"^ +0 +- +- +- ", text, re.M), text
    points = is_json(succeeds(box.run("overhead", "s.yaml", "--sweep", "farm.tasks=0,1", "--json")), "magicwire.overhead_sweep/1")["points"]
    equal([point["twin_ps"] is None for point in points], [True, False], "times of the twins")
    assert points[1]["twin_ps"] > 0, points[1]


def interrupted(box, children, *arguments):
    """What a command says that gets Ctrl-C when at least so many of its children have run: one is seen when it lives 2 ms or longer."""
    seen = set()
    with subprocess.Popen([box.magicwire, *arguments], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while len(seen) < children:
            assert process.poll() is None, process.communicate()
            time.sleep(0.002)
            seen |= set(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split())
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        equal((process.returncode, stderr), (INTERRUPTED, ""), "exit code and standard error")
    return stdout


@case
def an_interrupted_search_concludes_nothing_from_what_it_did_not_try(box):
    box.scenario(("tasks: 20", "tasks: 2000"), tasks="")  # so long that no run of the search is over between two looks at it
    for children in (1, 6):
        text = interrupted(box, children, "schedule", "s.yaml", "--max-overhead", "0.001%", "--run", "-o", "s.unload")
        assert "the search was interrupted before a sequence kept the slow-down within 0.001 %" in text, text
        assert "No sequence" not in text and "Ask for" not in text and "45 sequences" not in text, text
        text = interrupted(box, children, "schedule", "s.yaml", "--no-loss", "--set", "monitor.buffer=2")
        assert "not known" in text and "Likely" not in text and "larger buffer" not in text, text
    equal("s.unload" in box.files(), False, "a sequence was written")


@case
def a_low_limit_of_open_files_changes_nothing(box):
    box.scenario()
    command = [str(box.magicwire), "schedule", "s.yaml", "--max-overhead", "60%"]
    few = subprocess.run(command, cwd=box.folder, capture_output=True, text=True, check=False,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24)))
    equal(few.stdout, succeeds(box.run(*command[1:])), f"output with 24 open files ({few.stderr!r})")


@case
def buffers_without_room_are_refused(box):
    box.scenario()
    result = box.run("schedule", "s.yaml", "--no-loss", "--set", "monitor.buffer=0", "-o", "s.unload")
    assert "cost 'monitor.buffer' is 0, but must be 1 to 65536 records" in result.stderr, result.stderr
    equal("s.unload" in box.files(), False, "a sequence was written")


@case
def a_schedule_is_printed_written_and_run(box):
    box.scenario()
    text = succeeds(box.run("schedule", "s.yaml", "--max-overhead", "60%", "--run", "-o", "s.unload"))
    assert "As expected: the limit of 60 % is kept; no more records were lost than expected." in text, text
    numbers = [line.split() for line in box.read("s.unload").splitlines() if not line.startswith("#")]
    assert all(len(line) == 3 for line in numbers), numbers
    command = text.split("to use")[1].split("\n")[0].strip()
    succeeds(box.shell(command + " --exit-zero"))
    refuses(box, ["schedule", "s.yaml", "--max-overhead", "60%", "-o", "s.unload"],
            "s.unload: exists already and is not replaced; name another file, or replace it with -f")


@case
def a_limit_that_nothing_keeps_is_said(box):
    box.scenario()
    result = box.run("schedule", "s.yaml", "--max-overhead", "0.001", "--json")
    equal(result.returncode, FOUND, "exit code")
    equal(is_json(result.stdout, "magicwire.schedule/1")["chosen"], None, "chosen")


@case
def no_loss_answers_both_questions(box):
    box.scenario()
    text = succeeds(box.run("schedule", "s.yaml", "--no-loss"))
    assert "a sequence that loses nothing exists" in text and "none exists. Certain:" in text, text
    is_json(succeeds(box.run("schedule", "s.yaml", "--no-loss", "--json")), "magicwire.no_loss/1")


@case
def schedule_wants_to_know_what_to_choose_by(box):
    box.scenario()
    for options in ([], ["--no-loss", "--max-overhead", "5%"], ["--no-loss", "--run"], ["--max-overhead", "much"], ["--max-overhead", "-1"]):
        equal(box.run("schedule", "s.yaml", *options).returncode, USAGE, f"exit code of {options}")


if __name__ == "__main__":
    sys.exit(main(__doc__))
