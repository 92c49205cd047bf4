#!/usr/bin/env python3
"""Commands of a study that stay: one process looks at many points. Its rows are those of a command that is started for each, also
when it dies, is too slow, or answers nonsense."""
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time

from cli_cases import HOST, case, equal, main, processes_with, refuses, succeeds

# One program for both: alone it has its words from the command line, else from each request.
LOOK = """import json, os, signal, sys, time
def look(number):
    number = int(number)
    if os.path.exists('log'):
        open('log/%d.%d' % (os.getpid(), number), 'w').close()
    if number in ACTS: ACTS[number]()
    return {'square': number ** 2}
ACTS = {3: lambda: sys.exit('three is wrong'), 5: lambda: os.kill(os.getpid(), signal.SIGSEGV), 6: lambda: os._exit(7), ...}
def served(request):
    import contextlib, io
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            print(json.dumps(look(request['words'][2])))
        except SystemExit as end:
            print(end.code, file=sys.stderr)
            code = 1
    return {'request': request['request'], 'exit_code': code, 'printed': out.getvalue(), 'said': err.getvalue()}
if len(sys.argv) > 1:
    print(json.dumps(look(sys.argv[1])))
else:
    for line in sys.stdin:
        print(json.dumps(served(json.loads(line))), flush=True)
"""
MEASURES = "measures: {square: look.square}\n"


def study(box, acts="", numbers="1..8", more="", serve=", serve: 'python3 look.py'", name="s"):
    box.write("look.py", LOOK.replace("...", acts))
    return box.write(f"{name}.yaml", f"version: 1\nname: s\nscenario: none\naxes: {{number: {numbers}}}\n"
                     f"commands: {{look: {{run: 'python3 look.py {{number}}'{serve}}}}}\n{MEASURES}{more}")


def results(box, name="s.db"):
    with sqlite3.connect(box.folder / name) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute("SELECT * FROM results ORDER BY point")]


def both(box, acts="", numbers="1..8", more=""):
    """The rows; they are the same with a command that does not stay."""
    box.run("study", study(box, acts, numbers, more), "--progress", "never", "-j", "2")
    box.run("study", study(box, acts, numbers, more, serve="", name="alone"), "--progress", "never")
    rows = results(box)
    equal(rows, results(box, "alone.db"), "rows of a command that stays")
    return rows


@case
def one_process_serves_many_points(box):
    (box.folder / "log").mkdir()
    succeeds(box.run("study", study(box, numbers="11..40"), "--progress", "never", "-j", "2"))
    equal([row["square"] for row in results(box)], [n ** 2 for n in range(11, 41)], "rows")
    served = {name.split(".")[0] for name in os.listdir(box.folder / "log") if int(name.split(".")[1]) != 11}  # the first point runs beside the study, too
    assert len(served) <= 2, served
    equal(results(box)[4]["repeat"], "python3 look.py 15", "the line that repeats a point starts it alone")


@case
def a_point_that_kills_it_is_told_and_the_next_one_has_another(box):
    rows = both(box)
    told = {row["number"]: (row["exit_code"], row["failure"]) for row in rows if row["failure"]}
    equal(told, {"3": (1, "the command 'look' ended with exit code 1: three is wrong"),
                 "5": (139, "the command 'look' ended with signal 11 (Segmentation fault)"),
                 "6": (7, "the command 'look' ended with exit code 7")}, "failures")
    equal([row["square"] for row in rows], [1, 4, None, 16, None, None, 49, 64], "squares")
    # The same with whatever it has started: that holds its channel open.
    rows = both(box, acts="4: lambda: (__import__('subprocess').Popen(['sleep', '300']), os._exit(9))")
    equal((rows[3]["exit_code"], rows[3]["failure"]), (9, "the command 'look' ended with exit code 9"), "it leaves a process")


@case
def limits_hold_for_it(box):
    rows = both(box, "2: lambda: [0 for i in iter(int, 1)]", more="limits: {time: 1s}\n")
    equal((rows[1]["exit_code"], rows[1]["failure"]), (HOST, "the command 'look' took more processor time than its point had left; raise limits.time"), "time")
    equal(rows[3]["square"], 16, "the next points")
    rows = both(box, "2: lambda: [x for x in [bytearray(400 << 20)] if time.sleep(60)]", numbers="1..4", more="limits: {memory: 200MiB}\n")
    equal((rows[1]["exit_code"], rows[1]["failure"]), (HOST, "needed more than 200 MiB of memory; raise limits.memory"), "memory")
    rows = both(box, "2: lambda: time.sleep(300)", numbers="1..4", more="limits: {time: 100ms}\n")
    assert rows[1]["exit_code"] == HOST and rows[1]["failure"].startswith("the command 'look' did not end within "), rows[1]


@case
def nonsense_is_told_and_belongs_to_no_other_point(box):
    def told(answer):
        box.write("odd.py", f"import json, sys\nfor line in sys.stdin:\n    n = json.loads(line)['request']\n    word = json.loads(line)['words'][2]\n    {answer}\n    sys.stdout.flush()\n")
        (box.folder / "s.db").unlink(missing_ok=True)
        file = study(box, serve=", serve: 'python3 odd.py'", numbers="[1, 2, 4]")
        box.run("study", file, "--progress", "never", "-j", "1")
        return [row["failure"] or row["square"] for row in results(box)]

    good = "print(json.dumps({'request': n, 'exit_code': 0, 'printed': json.dumps({'square': int(word) ** 2}), 'said': ''}))"
    why = "the command 'look' stays, and gave no answer to request 1: 'yes'; write one line, as {\"request\": 1, \"exit_code\": 0, \"printed\": \"{}\", \"said\": \"\"}"
    equal(told("print('yes')"), [why] * 3, "no JSON")
    # A second line is no answer to the next request.
    equal(told(f"{good}; sys.stdout.flush(); {good.replace('** 2', '** 3')} if word == '2' else None"), [1, 4, 16], "a line too many")
    # Nor is its second part, nor what stands before an answer in its line.
    line = good[len("print("):-1]
    for pause, more in (("time.sleep(0.1)", ".replace('1, 4', '1, 8') + chr(10)"), ("pass", "[:0]")):
        two = f"import time; one = {line}; sys.stdout.write(one + chr(10) + one[:9]); sys.stdout.flush(); {pause}; sys.stdout.write(one[9:]{more})"
        equal(told(two), [1, 4, 16], "a line too many, in parts")
    rows = told("sys.exit(0)")
    equal(rows, ["the command 'look' ended with exit code 0 and gave no answer"] * 3, "it ends")
    rows = told("print(json.dumps({'request': n, 'exit_code': 0, 'printed': 'no', 'said': ''}))")
    assert rows[0].startswith("the command 'look' printed no JSON: line 1, column 2 of its output"), rows[0]


@case
def it_makes_scenarios_too(box):
    box.write("t.dat", "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n")
    box.write("make.py", "import json, pathlib, sys\nfor line in sys.stdin:\n    r = json.loads(line)\n    n, folder = r['words'][2:]\n"
              "    (pathlib.Path(folder) / 't.dat').write_text(open('t.dat').read())\n"
              "    (pathlib.Path(folder) / 'c.yaml').write_text(f'version: 1\\nname: f\\nmachine: chain:3\\nfarm: {{nodes: 3, tree: chain, tasks: {n}}}\\napplication: {{tasks: t.dat}}\\n')\n"
              "    print(json.dumps({'request': r['request'], 'exit_code': 0, 'printed': '', 'said': ''}), flush=True)\n")
    box.write("alone.py", "import json, subprocess, sys\nline = json.dumps({'request': 1, 'words': ['', '', *sys.argv[1:]]})\n"
              "subprocess.run([sys.executable, 'make.py'], input=line + '\\n', text=True, stdout=subprocess.DEVNULL, check=True)\n")
    file = box.write("s.yaml", "version: 1\nname: s\nscenario: {command: 'python3 alone.py {number} {folder}', serve: 'python3 make.py', file: c.yaml}\naxes: {number: 1..5}\nmeasures: {tasks: tasks}\n")
    succeeds(box.run("study", file, "--progress", "never"))
    equal([row["tasks"] for row in results(box)], [1, 2, 3, 4, 5], "rows")
    with sqlite3.connect(box.folder / "s.db") as database:
        equal(sorted(database.execute("SELECT path FROM input_files WHERE role = 'made'")), [("alone.py",), ("make.py",)], "both programs are inputs")


@case
def mpi_and_parts_give_the_same_rows(box):
    expected = both(box, numbers="1..12")
    for part in ("1/2", "2/2"):
        box.run("study", "s.yaml", "--part", part, "--progress", "never", "-o", "p.db")
    box.run("study", "s.yaml", "--collect", "p.db.1-of-2", "p.db.2-of-2", "-o", "p.db")
    equal(results(box, "p.db"), expected, "parts")
    if subprocess.run(["sh", "-c", "command -v mpirun"], stdout=subprocess.DEVNULL, check=False).returncode != 0 or not pathlib.Path(f"{box.magicwire}-mpi").exists():
        return
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    subprocess.run(["mpirun", "-np", "3", box.magicwire, "study", "s.yaml", "--engine", "mpi", "--progress", "never", "-o", "mpi.db"], cwd=box.folder, env=environment,
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    equal(results(box, "mpi.db"), expected, "MPI")


@case
def nothing_of_it_stays_behind(box):
    word = f"stays{time.monotonic_ns()}"
    file = study(box, "4: lambda: (open('begun', 'w').close(), time.sleep(300)) if os.path.exists('slow') else None", serve=f", serve: 'python3 look.py'")
    box.write(file, box.read(file).replace("serve: 'python3 look.py'", f"serve: 'python3 -X {word} look.py'"))
    (box.folder / "slow").touch()
    for how in (signal.SIGINT, signal.SIGKILL):
        (box.folder / "begun").unlink(missing_ok=True)
        (box.folder / "s.db").unlink(missing_ok=True)
        running = subprocess.Popen([box.magicwire, "study", file, "--progress", "never"], cwd=box.folder, stdout=subprocess.DEVNULL)
        while not (box.folder / "begun").exists():
            time.sleep(0.01)
        assert processes_with(word), "it is there"
        running.send_signal(how)
        running.wait(60)
        deadline = time.monotonic() + 20
        while processes_with(word) and time.monotonic() < deadline:
            time.sleep(0.05)
        equal(processes_with(word), [], f"processes after {how}")
    (box.folder / "slow").unlink()
    box.run("study", file, "--progress", "never")
    equal(len(results(box)), 8, "the study goes on")
    equal(processes_with(word), [], "processes at the end")


@case
def mistakes_are_told_before_the_first_run(box):
    def told(serve, message):
        refuses(box, ["study", study(box, serve=serve)], message)

    told(", serve: 'python3 look.py {number}'", "s.yaml:5:59: a program that stays gets '{number}' with each point, in the words of the command; leave it out")
    told(", serve: 'pithon3 look.py'", "s.yaml:5:59: there is no program 'pithon3'; name one that is installed, or a file beside the study that may be run")
    told(", serv: 'python3 look.py'", "s.yaml:5:52: unknown key 'serv', did you mean 'serve'?")


if __name__ == "__main__":
    sys.exit(main(__doc__))
