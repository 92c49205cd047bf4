#!/usr/bin/env python3
"""magicwire study with a command of the user's own as the measure: what it sees, how it may fail, and when points run again."""
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time

from cli_cases import TASK, UNKNOWN, case, equal, main, processes_with, refuses, succeeds

FARM = "version: 1\nname: f\nmachine: chain:3\nfarm: {nodes: 3, tree: chain, tasks: 5}\napplication: {tasks: t.dat}\n"
JUDGE = """import json, sys
run, oracle = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("summary", "oracle"))
print(json.dumps({"kind": "whole" if run["finished"] else "broken", "us": run["execution_us"], "faults": len(oracle["faults"])}))
"""


def study(box, command, axes="  farm.tasks: [1, 2]\n", measures="  kind: judge.kind\n", more="", name="s"):
    box.write("farm.yaml", FARM)
    box.write("t.dat", TASK)
    return box.write(f"{name}.yaml", f"version: 1\nname: s\nscenario: farm.yaml\naxes:\n{axes}commands:\n  judge: {command}\nmeasures:\n{measures}{more}")


def results(box, name="s.db"):
    with sqlite3.connect(box.folder / name) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute("SELECT * FROM results ORDER BY point")]


def fails(box, script, more="", measures="  kind: judge.kind\n"):
    """The only row of a study whose command is this script."""
    box.write("bad.py", script)
    (box.folder / "s.db").unlink(missing_ok=True)
    file = study(box, "python3 bad.py {out}", "  farm.tasks: [1]\n", measures, more)
    result = box.run("study", file, "--progress", "never")
    equal((result.returncode, result.stderr), (UNKNOWN, ""), "exit code and errors")
    (row,) = results(box)
    equal(row["kind"], None, "the measure")
    return row["exit_code"], row["failure"]


@case
def a_command_sees_the_run_and_its_json_is_measured(box):
    box.write("judge.py", JUDGE)
    file = study(box, "python3 judge.py {out}", "  fault: [die n1 at 20s, die n2 at 30ms]\n", "  kind: judge.kind\n  faults: judge.faults\n  us: judge.us\n  own: execution_us\n  none: = us - own\n")
    succeeds(box.run("study", file, "--progress", "never"))
    rows = results(box)
    equal([(row["kind"], row["faults"], row["none"]) for row in rows], [("whole", 1, 0), ("broken", 1, None)], "rows; a farm that does not finish has no time")
    # The line that repeats a point includes the command.
    again = box.shell(rows[1]["repeat"])
    equal(json.loads(again.stdout[again.stdout.rindex("{"):])["kind"], "broken", "the point alone")


@case
def only_a_changed_judge_runs_points_again(box):
    box.write("judge.py", JUDGE)
    box.write("facts.txt", "one\n")
    command = "{run: 'python3 judge.py {out}', files: [facts.txt]}"
    file = study(box, command)
    first = succeeds(box.run("study", file, "--progress", "never"))
    assert first.startswith("study s: 2 of 2 points are in s.db\n"), first
    kept = "study s: 2 of 2 points are in s.db, 2 of them from before\n"
    equal(succeeds(box.run("study", file, "--progress", "never")), kept, "nothing to do")
    box.write("judge.py", JUDGE.replace("whole", "entire"))
    out = succeeds(box.run("study", file, "--progress", "never"))
    assert "2 rows from before no longer held" in out, out
    equal([row["kind"] for row in results(box)], ["entire", "entire"], "kinds")
    box.write("facts.txt", "two\n")
    assert "2 rows from before no longer held" in succeeds(box.run("study", file, "--progress", "never"))
    # Another command is another study.
    study(box, command.replace("{out}", "{out} --more"))
    assert "2 rows from before no longer held" in succeeds(box.run("study", file, "--progress", "never"))
    # Seen from another folder, the files are the same.
    moved = box.run("study", f"../{box.folder.name}/s.yaml", "-o", "s.db", "--progress", "never")
    equal(succeeds(moved), kept, "from another folder")


@case
def other_commands_of_magicwire_are_measures(box):
    file = study(box, "magicwire predict {scenario} {settings} --json", "  farm.tasks: [300, 400]\n", "  predicted: judge.total_s\n  us: execution_us\n")
    succeeds(box.run("study", file, "--progress", "never"))
    for row in results(box):
        assert abs(row["predicted"] * 1e6 / row["us"] - 1) < 0.1, row
        assert row["repeat"].endswith(f"; magicwire predict farm.yaml --set farm.tasks={row['farm.tasks']} --json"), row["repeat"]


@case
def the_bill_is_beside_the_run_when_it_is_measured(box):
    box.write("judge.py", "import json, sys\nprint(json.dumps({'slow_down': json.load(open(sys.argv[1] + '/bill.json'))['slow_down']}))\n")
    file = study(box, "python3 judge.py {out}", "  monitor.buffer: [16, 128]\n", "  one: judge.slow_down\n  other: bill.slow_down\n")
    box.write("farm.yaml", FARM + "monitor: {unload: [[1000s, 0, 0]]}\n")
    succeeds(box.run("study", file, "--progress", "never"))
    assert all(row["one"] == row["other"] > 1 for row in results(box)), results(box)


@case
def a_command_that_fails_is_a_row(box):
    equal(fails(box, "import sys\nfor i in range(9): print('line', i, file=sys.stderr)\nsys.exit(7)\n"),
          (7, "the command 'judge' ended with exit code 7: line 6 | line 7 | line 8"), "exit code and last lines")
    equal(fails(box, "import os\nos.kill(os.getpid(), 11)\n"), (139, "the command 'judge' ended with signal 11 (Segmentation fault)"), "a signal")
    equal(fails(box, "print('{\"kind\":\\n  3 4}')\n"),
          (3, "the command 'judge' printed no JSON: line 2, column 5 of its output: there it is wrong; print one value, as {\"kind\": \"none\"}"), "no JSON")
    equal(fails(box, ""), (3, "the command 'judge' printed no JSON: line 1, column 1 of its output: it printed nothing; print one value, as {\"kind\": \"none\"}"), "nothing")
    equal(fails(box, "while True: print('x' * 100000)\n"), (71, "the command 'judge' printed more than 16 MiB; print what is measured only"), "too much")
    equal(fails(box, "import sys\nsys.stderr.buffer.write(b'caf\\xe9\\x00\\n')\nsys.exit(1)\n"), (1, "the command 'judge' ended with exit code 1: caf??"), "bytes that are no text")


@case
def limits_hold_for_a_command(box):
    code, why = fails(box, "while True: pass\n", "limits: {time: 1s}\n")
    equal((code, why), (71, "the command 'judge' took more processor time than its point had left; raise limits.time"), "failure")
    code, why = fails(box, "x = bytearray(400 << 20)\nimport time\ntime.sleep(60)\n", "limits: {memory: 200MiB}\n")
    equal((code, why), (71, "needed more than 200 MiB of memory; raise limits.memory"), "memory")
    # Together with what it has started, even what hides in a session of its own.
    word = f"hidden{time.monotonic_ns()}"
    box.write("child.py", "import time, sys\nx = bytearray(150 << 20)\ntime.sleep(300)\n")
    script = f"import subprocess, sys, time\nfor i in range(2): subprocess.Popen([sys.executable, 'child.py', '{word}'], start_new_session=True)\ntime.sleep(300)\n"
    code, why = fails(box, script, "limits: {memory: 200MiB}\n")
    equal((code, why), (71, "needed more than 200 MiB of memory; raise limits.memory"), "memory of its children")
    equal(processes_with(word), [], "what is left of them")
    began = time.monotonic()
    code, why = fails(box, "import time\ntime.sleep(300)\n", "limits: {time: 100ms}\n")
    assert code == 71 and why.startswith("the command 'judge' did not end within "), why
    assert time.monotonic() - began < 200, "it was waited for"


@case
def nothing_of_a_command_stays(box):
    word = f"left{time.monotonic_ns()}"
    box.write("judge.py", f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)', '{word}'], start_new_session=True)\n"
              "open(sys.argv[1] + '/more.txt', 'w').write('x')\nprint('\"done\"')\n")
    places = box.folder / "places"
    places.mkdir()
    file = study(box, "python3 judge.py {out}", measures="  kind: judge\n")
    succeeds(box.run("study", file, "--progress", "never", env={**os.environ, "TMPDIR": str(places)}))
    equal([row["kind"] for row in results(box)], ["done", "done"], "what it printed")
    equal(processes_with(word), [], "processes")
    equal(list(places.iterdir()), [], "folders")


@case
def an_interruption_leaves_nothing_either(box):
    word = f"slept{time.monotonic_ns()}"
    box.write("judge.py", "import os, sys, time\nif os.path.exists('slow'):\n    open('begun', 'w').close()\n    time.sleep(300)\nprint(1)\n")
    places = box.folder / "places"
    places.mkdir()
    file = study(box, f"python3 judge.py {{out}} {word}", measures="  kind: judge\n", axes="  farm.tasks: 1..8\n")

    def stopped(how):
        (box.folder / "slow").touch()
        (box.folder / "begun").unlink(missing_ok=True)
        running = subprocess.Popen([box.magicwire, "study", file, "--progress", "never"], cwd=box.folder, env={**os.environ, "TMPDIR": str(places)}, stdout=subprocess.DEVNULL)
        while not (box.folder / "begun").exists():
            time.sleep(0.01)
        running.send_signal(how)
        running.wait(60)
        (box.folder / "slow").unlink()
        deadline = time.monotonic() + 20
        while processes_with(word) and time.monotonic() < deadline:
            time.sleep(0.05)
        equal(processes_with(word), [], "processes")
        return list(places.iterdir())

    equal(stopped(signal.SIGINT), [], "folders after Ctrl-C")
    assert len(stopped(signal.SIGKILL)) > 0, "nobody could remove the folders"
    succeeds(box.run("study", file, "--progress", "never", env={**os.environ, "TMPDIR": str(places)}))
    equal(list(places.iterdir()), [], "folders after the next study")
    equal(len(results(box)), 8, "points")


@case
def mistakes_of_commands_are_told_before_the_first_run(box):
    box.write("judge.py", JUDGE)

    def told(command, message, measures="  kind: judge.kind\n"):
        refuses(box, ["study", study(box, command, measures=measures)], message)

    told("pithon3 {out}", "s.yaml:7:10: there is no program 'pithon3'; name one that is installed, or a file beside the study that may be run")
    told("python3 judge.py", "s.yaml:7:10: the command never sees the run; write {out}, the folder of its files, as in 'python3 judge.py {out}'")
    told("python3 judge.py {run}", "s.yaml:7:10: '{run}' stands for nothing here; there are {out}, {scenario}, {settings} and {folder}")
    told("python3 judge.py {out} x{settings}", "s.yaml:7:10: '{settings}' must be a word of its own")
    told("python3 'judge.py {out}", "s.yaml:7:10: python3 'judge.py {out} has no second '; write it, or leave both out")
    told("{run: 'python3 judge.py {out}', files: [none.txt]}", "s.yaml:7:50: there is no file 'none.txt'; paths are relative to the study")
    told("{run: 'python3 judge.py {out}', file: none.txt}", "s.yaml:7:42: unknown key 'file', did you mean 'files'?")
    told("python3 judge.py {out}", "s.yaml:9:9: 'judge.kid': there is no 'kid' in 'judge', did you mean 'kind'?; there are kind, us, faults", "  kind: judge.kid\n")
    told("python3 judge.py {out}\n  end: python3 judge.py {out}", "s.yaml:8:3: 'end' is a part of the run's own JSON already; give the command another name")
    told("python3 judge.py {out}\n  bill: python3 judge.py {out}", "s.yaml:8:3: 'bill' is no name of a command; use letters, digits and '_', and not oracle or bill")


if __name__ == "__main__":
    sys.exit(main(__doc__))
