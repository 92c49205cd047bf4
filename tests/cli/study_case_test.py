#!/usr/bin/env python3
"""Scenarios that a command of the study makes, from the number of a case, and points that commands alone look at."""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

from cli_cases import TASK, UNKNOWN, case, equal, main, refuses, succeeds

MAKE = """import json, pathlib, sys
number, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
(folder / "t.dat").write_text(open("t.dat").read())
(folder / "case.yaml").write_text(f"version: 1\\nname: f\\nmachine: chain:3\\nfarm: {{nodes: 3, tree: chain, tasks: {number}}}\\napplication: {{tasks: t.dat}}\\n")
print(json.dumps({"kind": "odd" if number % 2 else "even"}))
"""
SCENARIO = "scenario: {command: 'python3 make.py {number} {folder}', file: case.yaml}\n"


def study(box, rest, scenario=SCENARIO, name="s.yaml"):
    box.write("t.dat", TASK)
    return box.write(name, f"version: 1\nname: s\n{scenario}{rest}")


def results(box, name="s.db"):
    with sqlite3.connect(box.folder / name) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute("SELECT * FROM results ORDER BY point")]


def same_rows(box, one, other):
    """Every table but the times, row by row."""
    def rows(name):
        with sqlite3.connect(box.folder / name) as database:
            return {table: list(database.execute(f"SELECT * FROM {table} ORDER BY 1, 2")) for table in
                    ("study", "axes", "measure_names", "points", "settings", "measures", "input_files")}
    equal(rows(one), rows(other), f"rows of {one} and {other}")


@case
def a_command_makes_each_scenario_from_its_number(box):
    box.write("make.py", MAKE)
    box.write("judge.py", "import json, os, sys\nprint(json.dumps({'files': ' '.join(sorted(os.listdir(sys.argv[1]))), 'number': int(sys.argv[2])}))\n")
    file = study(box, "axes: {number: 2..4, farm.buffers: [1, 2]}\ncommands: {judge: 'python3 judge.py {folder} {number}'}\n"
                 "measures: {tasks: tasks, kind: made.kind, files: judge.files, same: judge.number}\n")
    succeeds(box.run("study", file, "--progress", "never"))
    rows = results(box)
    equal([(row["number"], row["farm.buffers"], row["tasks"], row["kind"], row["same"]) for row in rows],
          [(str(n), str(b), n, "odd" if n % 2 else "even", n) for n in (2, 3, 4) for b in (1, 2)], "rows")
    equal(rows[0]["files"], "case.yaml t.dat", "the folder")
    line = "mkdir -p case-3 && python3 make.py 3 case-3 && magicwire run case-3/case.yaml --set farm.buffers=2 --out point --force; python3 judge.py case-3 3"
    equal(rows[3]["repeat"], line, "the line that repeats a point")
    again = box.shell(line)
    equal((again.returncode, json.loads(again.stdout.splitlines()[-1])["number"]), (0, 3), "it makes the case, runs and judges it")
    dry = succeeds(box.run("study", file, "--dry-run"))
    assert dry.startswith("study s: 6 points, "), dry


@case
def what_fails_to_be_made_is_a_row(box):
    box.write("make.py", MAKE + "if number == 2: sys.exit('no two')\nif number == 3: (folder / 'case.yaml').unlink()\n"
              "if number == 4: (folder / 'case.yaml').write_text('version: 1\\nnonsense: 2\\n')\nif number == 5:\n    while True: pass\n")
    file = study(box, "axes: {number: 1..5}\nmeasures: {tasks: tasks}\nlimits: {time: 1s}\n")
    equal(box.run("study", file, "--progress", "never").returncode, UNKNOWN, "exit code")
    rows = results(box)
    equal([(row["exit_code"], row["tasks"]) for row in rows], [(0, 1), (1, None), (3, None), (3, None), (71, None)], "rows")
    told = [row["failure"] for row in rows]
    equal(told[1], "the command 'made' ended with exit code 1: no two", "it ends with an error")
    equal(told[2], "the command 'made' wrote no 'case.yaml' into its folder; that is the scenario, as 'file' says", "it writes nothing")
    assert told[3].startswith("case-4/case.yaml:2:1: unknown key 'nonsense'"), told[3]
    equal(told[4], "the command 'made' took more processor time than its point had left; raise limits.time", "failure")
    # The reasons do not depend on where the folders were, or on the number of points at once.
    places = box.folder / "places"
    places.mkdir()
    box.run("study", file, "--progress", "never", "--jobs", "1", "-o", "other.db", env={**os.environ, "TMPDIR": str(places)})
    same_rows(box, "s.db", "other.db")
    equal(list(places.iterdir()), [], "folders")


@case
def only_what_the_command_is_made_of_makes_points_run_again(box):
    box.write("make.py", MAKE)
    box.write("facts.txt", "one\n")
    scenario = SCENARIO.replace("case.yaml}", "case.yaml, files: [facts.txt]}")
    file = study(box, "axes: {number: 1..3}\nmeasures: {tasks: tasks}\n", scenario)
    succeeds(box.run("study", file, "--progress", "never"))
    with sqlite3.connect(box.folder / "s.db") as database:
        equal(sorted(database.execute("SELECT role, path FROM input_files WHERE role = 'made'")), [("made", "facts.txt"), ("made", "make.py")], "inputs")
    kept = "study s: 3 of 3 points are in s.db, 3 of them from before\n"
    equal(succeeds(box.run("study", file, "--progress", "never")), kept, "nothing to do")
    for name, text in (("make.py", MAKE + "\n"), ("facts.txt", "two\n")):
        box.write(name, text)
        assert "3 rows from before no longer held" in succeeds(box.run("study", file, "--progress", "never")), name
    study(box, "axes: {number: 1..4}\nmeasures: {tasks: tasks}\n", scenario)
    out = succeeds(box.run("study", file, "--progress", "never"))
    assert out.startswith("study s: 4 of 4 points are in s.db, 3 of them from before\n"), out


@case
def commands_alone_may_look_at_a_point(box):
    box.write("look.py", "import json, os, subprocess, sys\nnumber, folder = sys.argv[1:3]\nopen(folder + '/x', 'w').close()\n"
              "if number == '2': sys.exit('two is wrong')\nversion = subprocess.run([os.environ['MAGICWIRE'], '--version'], capture_output=True, text=True).stdout\n"
              "print(json.dumps({'square': int(number) ** 2, 'version': version.split()[0], 'settings': ' '.join(sys.argv[3:])}))\n")
    file = study(box, "axes: {number: [3, 2], seed: [7]}\ncommands: {look: 'python3 look.py {number} {folder} {settings}'}\n"
                 "measures: {square: look.square, version: look.version, settings: look.settings}\n", "scenario: none\n")
    equal(box.run("study", file, "--progress", "never").returncode, UNKNOWN, "exit code")
    three, two = results(box)
    equal((three["square"], three["version"], three["settings"], three["failure"]), (9, "magicwire", "--set seed=7", ""), "a point")
    equal(three["repeat"], "mkdir -p case-3; python3 look.py 3 case-3 --set seed=7", "its line")
    equal((two["square"], two["failure"]), (None, "the command 'look' ended with exit code 1: two is wrong"), "a failure")


@case
def mpi_gives_the_same_rows(box):
    if subprocess.run(["sh", "-c", "command -v mpirun"], stdout=subprocess.DEVNULL, check=False).returncode != 0 or not pathlib.Path(f"{box.magicwire}-mpi").exists():
        return
    box.write("make.py", MAKE + "if number == 7: sys.exit('seven')\n")
    file = study(box, "axes: {number: 1..12}\nmeasures: {tasks: tasks, kind: made.kind, us: execution_us}\n")
    box.run("study", file, "--progress", "never", "-o", "local.db")
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    done = subprocess.run(["mpirun", "-np", "3", box.magicwire, "study", file, "--engine", "mpi", "--progress", "never", "-o", "mpi.db"], cwd=box.folder, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    equal(done.returncode, UNKNOWN, done.stderr)
    same_rows(box, "local.db", "mpi.db")


@case
def mistakes_are_told_before_the_first_run(box):
    box.write("make.py", MAKE)
    rest = "axes: {number: 1..3}\nmeasures: {tasks: tasks}\n"

    def told(message, rest=rest, scenario=SCENARIO):
        refuses(box, ["study", study(box, rest, scenario)], message)

    told("s.yaml:3:21: the command does not know where to write; write {folder}, as in 'python3 make.py {folder}'", scenario="scenario: {command: 'python3 make.py {number}'}\n")
    told("s.yaml:3:21: '{out}' stands for nothing here; there are {number} and {folder}", scenario="scenario: {command: 'python3 make.py {out}'}\n")
    told("s.yaml:3:21: there is no program 'pithon3'; name one that is installed, or a file beside the study that may be run", scenario="scenario: {command: 'pithon3 {folder}'}\n")
    told("s.yaml:3:11: key 'command' is missing in 'scenario'; add 'command: ...'", scenario="scenario: {file: case.yaml}\n")
    told("s.yaml:3:64: must be a file in the folder that the command gets; write a name, as 'case.yaml'", scenario="scenario: {command: 'python3 make.py {number} {folder}', file: ../case.yaml}\n")
    told("s.yaml:3:66: there is no file 'none.txt'; paths are relative to the study", scenario="scenario: {command: 'python3 make.py {number} {folder}', files: [none.txt]}\n")
    told("s.yaml:3:58: unknown key 'fil', did you mean 'file'?", scenario="scenario: {command: 'python3 make.py {number} {folder}', fil: x}\n")
    told("s.yaml:3:21: '{number}' is the value of the axis 'number', which is not there; add 'number: 1..100' to the axes", "axes: {seed: [1]}\nmeasures: {tasks: tasks}\n")
    told("s.yaml:4:8: no command takes the number; write {number} in one, as 'python3 make.py {number} {folder}'", scenario="scenario: {command: 'python3 make.py {folder}'}\n")
    told("s.yaml:4:20: 'x' is no number of a case; write whole numbers, as 1..1000", "axes: {number: [1, x]}\nmeasures: {tasks: tasks}\n")
    told("s.yaml:4:20: 'number' has the value '1' twice, here as '01'; leave one out", "axes: {number: [1, 01]}\nmeasures: {tasks: tasks}\n")
    told("s.yaml:5:19: 'task': there is no 'task' in the JSON of a run, did you mean 'tasks'?; there are schema, scenario, machine, seed, version, arguments, repeat, "
         "run_hash, end, modelled_us, farm_began_us, farm_ended_us, ...", "axes: {number: 1..3}\nmeasures: {tasks: task}\n")
    told("s.yaml:5:19: 'made.kid': there is no 'kid' in 'made', did you mean 'kind'?; there are kind", "axes: {number: 1..3}\nmeasures: {tasks: made.kid}\n")
    told("s.yaml:5:12: 'made' is no name of a command; use letters, digits and '_', and not oracle, bill or made",
         "axes: {number: 1..3}\ncommands: {made: 'python3 make.py {number} {folder}'}\nmeasures: {tasks: tasks}\n")
    # A wrong setting is told with the first made scenario.
    told("s.yaml:4:37: point 1, with 'farm.buffers: 0', is refused: --set farm.buffers=0: expected a whole number from 1 to 1000 and got '0'", "axes: {number: 1..3, farm.buffers: [0]}\nmeasures: {tasks: tasks}\n")
    told("s.yaml:3:11: no point is run, so nothing is measured; add 'commands', or name a scenario", scenario="scenario: none\n")
    alone = "commands: {look: 'python3 make.py {number} {folder}'}\nmeasures: {kind: look.kind}\n"
    told("s.yaml:4:22: no point is run, and no command takes 'seed'; write {settings} in one", "axes: {number: 1..3, seed: [1]}\n" + alone, "scenario: none\n")
    told("s.yaml:5:18: '{out}' stands for nothing here; there are {settings}, {number} and {folder}",
         "axes: {number: 1..3}\ncommands: {look: 'python3 make.py {out}'}\nmeasures: {kind: look.kind}\n", "scenario: none\n")
    told("s.yaml:5:18: the command never sees the point; write {number}, as in 'python3 try.py {number} {folder}'",
         "axes: {number: 1..3}\ncommands: {look: 'python3 make.py'}\nmeasures: {kind: look.kind}\n", "scenario: none\n")
    told("s.yaml:6:18: 'tasks': there is no 'tasks' in what the commands print; there are look", "axes: {number: 1..3}\n" + alone.replace("look.kind", "tasks"), "scenario: none\n")


if __name__ == "__main__":
    sys.exit(main(__doc__))
