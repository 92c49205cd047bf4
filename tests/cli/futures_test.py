#!/usr/bin/env python3
"""run --fork-at and magicwire shell as a user runs them: branches side by side, the same bytes when nothing is changed, commands from a
script and from a terminal, refusals.

    futures_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import json
import os
import random
import re
import signal
import subprocess
import sys

from cli_cases import BAD_INPUT, DONE, FOUND, USAGE, equal, is_json, main, processes_of, refuses, succeeds, wait_until
from cli_cases import simulation as case


def farm_time(box, scenario, more=()):
    """First and last moment of the farm, in us."""
    data = json.loads(succeeds(box.run("run", scenario, *more, "--json", "--exit-zero")))
    return data["farm_began_us"], data["farm_ended_us"], data


def same_files(box, one, other):
    names = sorted(path.name for path in (box.folder / one).iterdir())
    equal(sorted(path.name for path in (box.folder / other).iterdir()), names, f"files of {other}")
    for name in names:
        equal((box.folder / other / name).read_bytes() == (box.folder / one / name).read_bytes(), True, f"{other}/{name} like {one}/{name}")


def script(box, lines, *arguments, scenario="s.yaml"):
    return subprocess.run([box.magicwire, "shell", scenario, *arguments], cwd=box.folder, input="\n".join(lines) + "\n", stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60, check=False)


# run --fork-at


@case
def branches_without_a_change_leave_the_bytes_of_the_run_without_them(box):
    survives = ("tasks: 20}", "tasks: 20, survives: yes}")
    chance = random.Random(5)
    for change, more in ((("", ""), ()), (("", ""), ("--links", "byte")), (survives, ()), (("", ""), ("--set", "monitor=off"))):
        scenario = box.scenario(change)
        began, ended, _ = farm_time(box, scenario, more)
        succeeds(box.run("run", scenario, *more, "--out", "alone", "-f"))
        for moment in (0, chance.randrange(began), chance.randrange(began, ended)):
            box.shell("rm -rf futures")
            succeeds(box.run("run", scenario, *more, "--fork-at", f"{moment}us", "--what-if", "", "--what-if", "", "--out", "futures"))
            for branch in ("unchanged", "1", "2"):
                same_files(box, "alone", f"futures/{branch}")


@case
def a_farm_program_goes_on_in_each_branch(box):
    farm = box.source / "examples/farms/mandelbrot/mandelbrot.farm"
    succeeds(box.run("run", farm, "--out", "alone", "--exit-zero"))
    data = json.loads(box.read("alone/summary.json"))
    moment = (data["farm_began_us"] + data["farm_ended_us"]) // 2
    succeeds(box.run("run", farm, "--fork-at", f"{moment}us", "--what-if", "", "--out", "futures", "--exit-zero"))
    for branch in ("unchanged", "1"):
        same_files(box, "alone/files", f"futures/{branch}/files")
        same = json.loads(box.read(f"futures/{branch}/summary.json"))
        equal(same["run_hash"], data["run_hash"], "run hash")


@case
def branches_stand_side_by_side(box):
    scenario = box.scenario()
    began, ended, alone = farm_time(box, scenario)
    moment = (began + ended) // 2
    arguments = ("run", scenario, "--fork-at", f"{moment}us", "--what-if", "seed=1", "--what-if", "fault=die n5", "--what-if",
                 "monitor.probe=200, monitor.unload=1000s/0/2")
    text = succeeds(box.run(*arguments, "--out", "o"), DONE)
    lines = text.splitlines()
    assert lines[0].startswith("From ") and lines[1].split()[:3] == ["BRANCH", "ENDED", "AFTER"], text
    equal([line.split()[0] for line in lines[2:6]], ["unchanged", "1", "2", "3"], "branches")
    assert "2: fault=die n5" in text and "task" in text, text
    data = is_json(box.run(*arguments, "--json").stdout, "magicwire.futures/1")
    equal(data["from_ps"], moment * 1_000_000, "moment")
    unchanged, same, dead, watched = data["branches"]
    equal(unchanged["run_hash"], alone["run_hash"], "hash of the unchanged run")
    equal({**same, "name": "", "changes": ""}, {**unchanged, "name": "", "changes": ""}, "branch with the same seed")
    equal(dead["finished"], False, "the farm of the dead node has finished")
    assert dead["verdict"]["kind"] in ("certain", "likely", "unknown") and dead["verdict"]["first_faults"], dead
    equal(watched["finished"], True, "the watched farm has finished")
    assert watched["run_hash"] != unchanged["run_hash"] and watched["modelled_ps"] > unchanged["modelled_ps"], watched
    oracle = json.loads(box.read("o/2/oracle.json"))
    assert f'"time_ps": {moment * 1_000_000}' in json.dumps(oracle["faults"]), oracle["faults"]
    made, received = (sum(node[key] for node in oracle["nodes"]) for key in ("recorded", "received"))
    equal(dead["records"], {"made": made, "received": received, "lost": made - received}, "records of the branch with the dead node")
    summary = json.loads(box.read("o/2/summary.json"))
    assert "fault=die n5" in summary["repeat"] and "--fork-at" in summary["arguments"], summary["repeat"]
    equal(json.loads(box.read("o/unchanged/summary.json"))["repeat"].count("fork-at"), 0, "fork-at in the unchanged run's line")


@case
def the_trace_of_a_changed_branch_has_the_whole_history(box):
    scenario = box.scenario()
    began, ended, _ = farm_time(box, scenario)
    moment = (began + ended) // 2
    succeeds(box.run("run", scenario, "--fork-at", f"{moment}us", "--what-if", "fault=die n5", "--out", "o"))
    unchanged, changed = (box.read(f"o/{name}/data.tvm").splitlines() for name in ("unchanged", "1"))
    assert len(changed) < len(unchanged) and changed[0] == unchanged[0], (changed[:3], unchanged[:3])
    result = box.run("detrek", "-p", "o/1/data")
    assert result.returncode in (FOUND, 4), result.stderr


@case
def forks_that_cannot_be_are_refused(box):
    scenario = box.scenario()
    for arguments, message in (
            (("--fork-at", "5"), "--fork-at 5: '5' has no unit; write a time as '5us', '5ms' or '5s'"),
            (("--fork-at", "9999s"), None),
            (("--fork-at", "1ms", "--what-if", "seed"), "seed: expected NAME=VALUE, for example seed=2, and got 'seed'"),
            (("--fork-at", "5ms", "--what-if", "fault=die n5 at 4ms"),
             "fault=die n5 at 4ms: 'die n5' is to strike at 4.000 ms, and it is 5.000 ms already; give a later moment, or none for at once")):
        result = box.run("run", scenario, *arguments)
        equal(result.returncode, BAD_INPUT, f"exit code of {arguments}")
        equal(result.stdout, "", "standard output")
        if message is None:
            assert re.fullmatch(r"magicwire: --fork-at 9999s: the run had ended before, after \d+ us; give an earlier moment\n", result.stderr), result.stderr
        elif "has no unit" in message:
            assert result.stderr.startswith("magicwire: --fork-at 5: "), result.stderr
        else:
            equal(result.stderr, f"magicwire: {message}\n", "standard error")
    for more in (("--vcd", "x.vcd", "--watch", "n0.1"), ("--report", "text"), ("--predict",)):
        result = box.run("run", scenario, "--fork-at", "1ms", *more)
        equal(result.returncode, USAGE, f"exit code with {more[0]}")
    equal(box.run("run", scenario, "--what-if", "seed=2").returncode, USAGE, "exit code without --fork-at")
    (box.folder / "o/2").mkdir(parents=True)
    refuses(box, ["run", scenario, "--fork-at", "1ms", "--what-if", "seed=2", "--out", "o"],
            "o/2: already exists, from a run with more branches; name another folder with --out, or remove it")


LONG = ("tasks: 20", "tasks: 100000")


@case
def ctrl_c_ends_every_branch_and_tells_what_was_finished(box):
    began, _, _ = farm_time(box, box.scenario())
    scenario = box.scenario(LONG, tasks="")
    arguments = ["run", scenario, "--fork-at", f"{began + 50000}us", "--what-if", f"end.limit={began + 51000}us", "--what-if", "seed=2", "--out", "o"]
    for everybody in (False, True):  # kill, or a terminal
        with subprocess.Popen([box.magicwire, *arguments], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as process:
            try:
                wait_until(lambda: (box.folder / "o/2.incomplete/data.mwt.incomplete").exists())  # the second begins when the first is over
            except AssertionError:
                process.kill()
                raise
            (os.killpg if everybody else os.kill)(process.pid, signal.SIGINT)
            stdout, stderr = process.communicate(timeout=60)
        stderr = re.sub(r"==\d+==WARNING: ASan is ignoring (?:.|\n)*?issues/189\n", "", stderr)  # of a sanitized build
        equal((process.returncode, stderr), (130, "magicwire: interrupted; unfinished branches were stopped\n"), "exit code and standard error")
        equal(processes_of(box.folder), [], "processes that are left")
        rows = {line.split()[0]: line for line in stdout.splitlines()[2:5]}
        assert " cut " in rows["unchanged"] and " cut " in rows["1"], stdout
        assert rows["2"].endswith("interrupted before it had ended"), stdout
        assert {"o/unchanged/summary.json", "o/1/summary.json", "o/2.incomplete/data.mwt.incomplete"} <= set(box.files()), box.files()
        box.shell("rm -rf o")


@case
def ctrl_c_before_the_fork_tells_of_the_run_alone(box):
    scenario = box.scenario(LONG, tasks="")
    with subprocess.Popen([box.magicwire, "run", scenario, "--fork-at", "1000s", "--what-if", "seed=2", "--out", "o", "--json"], cwd=box.folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: (box.folder / "o/unchanged.incomplete").exists())
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=60)
    equal(process.returncode, 130, "exit code")
    branches = is_json(stdout, "magicwire.futures/1")["branches"]
    assert branches[0]["farm"] in ("cut", "never began"), branches  # as far as it had come
    equal(branches[1]["failed"], "interrupted before it was begun", "the branch")


# the documents


@case
def the_session_in_the_document_is_what_the_shell_says(box):
    page = (box.source / "docs/guide/shell.md").read_text(encoding="utf-8")
    block = re.search(r"```\n\$ magicwire shell (\S+)\n(.*?)```", page, re.S)
    typed = re.findall(r"^magicwire (\S+)> (.*)$", block[2], re.M)
    told = [line for line in block[2].splitlines() if not line.startswith("magicwire ")][1:]  # without the greeting
    result = script(box, [command for _, command in typed], "--json", scenario=box.source / block[1])
    answers = [json.loads(line) for line in succeeds(result).splitlines()]
    equal([line for answer in answers[:-2] for line in answer["text"].splitlines()], told, "answers")  # what-if is not shown, nor quit
    branches = answers[len(typed) - 1]["data"]["branches"]
    equal(len(branches), 3, "branches")
    assert branches[2]["run_hash"] != branches[0]["run_hash"], "the moment is too late for the other unload sequence"


@case
def the_example_in_the_help_of_the_shell_shows_a_difference(box):
    line = re.search(r"printf '(.*)' \| magicwire shell (\S+)", succeeds(box.run("shell", "--help")))
    out = succeeds(script(box, line[1].split("\\n")[:-1], "--json", scenario=box.source / line[2]))
    branches = json.loads(out.splitlines()[1])["data"]["branches"]
    assert branches[2]["changes"] == "fault=die n5" and branches[2]["run_hash"] != branches[0]["run_hash"], branches


# shell, from a script


@case
def a_script_runs_looks_and_ends(box):
    box.scenario()
    out = succeeds(script(box, ["# a comment", "", "status", "spread", "state -g n0 at now", "monctrl -b  # begin", "loadgo", "hostmon", "run", "summary",
                                "verdict", "quit"]))
    assert "phase     boot" in out and "the machine has booted" in out, out
    assert re.search(r"^NODE +INDEX +PID +KPRI +KSTATE +PROGRAM$", out, re.M) and re.search(r"^n0 .* BR \(.*bufferd$", out, re.M), out
    assert "monitoring has begun on every node of the farm" in out and "20 of 20 results came back" in out, out
    alone = succeeds(box.run("run", "s.yaml"))
    equal(re.search(r"run hash +(\w+)", out)[1], re.search(r"run hash +(\w+)", alone)[1], "run hash")
    assert "No fault" in out or "no fault" in out, out


@case
def a_run_that_is_held_often_leaves_the_same_files(box):
    scenario = box.scenario()
    _, ended, _ = farm_time(box, scenario)
    succeeds(box.run("run", scenario, "--out", "alone"))
    chance = random.Random(11)
    lines = []
    for moment in sorted({chance.randrange(1, ended) for _ in range(30)}):
        lines += [f"run until {moment}us", chance.choice(("status", "snapshot", "state at now", "hostmon"))]
    succeeds(script(box, [*lines, "run", "save held"]))
    for name in ("oracle.json", "console.txt", "data.tvm", "data.all", "data.config", "data.spf"):
        equal(box.read(f"held/{name}"), box.read(f"alone/{name}"), name)
    one, other = (json.loads(box.read(f"{folder}/summary.json")) for folder in ("held", "alone"))
    for name, value in other.items():
        if name not in ("arguments", "repeat"):
            equal(one[name], value, name)


@case
def a_snapshot_can_be_gone_back_to_again_and_again(box):
    scenario = box.scenario()
    began, ended, alone = farm_time(box, scenario)
    first, second = began + (ended - began) // 3, began + (ended - began) * 2 // 3
    out = succeeds(script(box, [f"run until {first}us", "snapshot early", f"run until {second}us", "snapshot", "snapshots", "fault die n5", "run", "summary",
                                "back", "run", "summary", "back early", "snapshots", "status", "run", "summary", "back early", "status"]))
    hashes = re.findall(r"run hash +(\w+)", out)
    equal(len(hashes), 3, "runs that ended")
    equal(hashes[1:], [alone["run_hash"]] * 2, "hashes of the runs without a change")
    assert hashes[0] != alone["run_hash"], out
    assert f"snapshot '2' at {second / 1000:g}ms" in out and f"back at snapshot '2', {second / 1000:g}ms" in out, out
    equal(out.count(f"back at snapshot 'early', {first / 1000:g}ms"), 2, "times gone back to the first")
    equal(out.count(f"  time      {first / 1000:g}ms"), 2, "times the first was looked at")


@case
def what_if_leaves_the_run_where_it_is(box):
    scenario = box.scenario()
    began, ended, alone = farm_time(box, scenario)
    moment = (began + ended) // 2
    result = script(box, [f"run until {moment}us", "what-if fault=die n5; seed=1", "status", "run", "summary"], "--json")
    lines = [is_json(line, "magicwire.shell/1") for line in succeeds(result).splitlines()]
    branches = lines[1]["data"]["branches"]
    equal([one["name"] for one in branches], ["unchanged", "1", "2"], "branches")
    equal([one["finished"] for one in branches], [True, False, True], "which finished")
    equal(branches[2]["run_hash"], alone["run_hash"], "hash of the branch with the same seed")
    equal(lines[2]["data"]["time_ps"], moment * 1_000_000, "time after it")
    equal(lines[4]["data"]["run_hash"], alone["run_hash"], "hash of the run that went on")


@case
def a_changed_session_says_how_it_is_repeated(box):
    scenario = box.scenario()
    began, ended, _ = farm_time(box, scenario)
    out = succeeds(script(box, [f"run until {(began + ended) // 2}us", "set monitor.probe=100, end.quiet=50ms", "fault \"slow n3 factor 2\"", "seed 7", "status", "run",
                                "summary"]))
    assert "changed   at" in out and "fault=slow n3 factor 2" in out, out
    repeat = re.search(r"repeat +(.*)", out)[1]
    again = box.shell(repeat)
    equal(again.returncode, DONE, f"exit code of {repeat} ({again.stderr})")
    equal(re.findall(r"run hash +(\w+)", again.stdout), re.findall(r"run hash +(\w+)", out), "run hash")


@case
def a_command_that_fails_ends_a_script(box):
    box.scenario()
    for line, message in (
            ("runn", "there is no command 'runn', did you mean 'run'?"),
            ("xyzzy", "there is no command 'xyzzy'; see 'help'"),
            ("run until", "expected 'run', 'run until 12.4ms', 'run for 0.2ms' or 'run until verdict'"),
            ("back", "there is no snapshot to go back to; 'snapshot' takes one"),
            ("snapshot a b", "the name of a snapshot is one word"),
            ("summary", "the run has not ended; see 'status', or let it go on with 'run'"),
            ("set", "expected NAME=VALUE, for example seed=2"),
            ("fault", "expected a fault, for example 'fault die n5'; 'magicwire faults' lists them"),
            ("state n99", "there is no node n99; the machine has n0 to n7, and 'h' is the host"),
            ("state n0 all", "'all' is neither a node nor a process; write 'state [-g] [-t] [-l] [NODES] [PROCESSES]'"),
            ("state n0", "the host has not booted; let time go on with 'spread'"),
            ("loadgo n0 slave", "the session loads the programs of the scenario itself; to load by hand, type 'spread' first"),
            ("tping n0 -x", "there is no option '-x'; write 'tping [-v] [-c ROUNDS] [-d SECONDS] [-l BYTES] NODES'"),
            ("monctrl -q", "the scenario quits the monitor itself when the farm has ended; let it go on with 'run'"),
            ("monctrl", "no order is given; write 'monctrl -b|-q|-s|-e CLASS+CLASS [-n NUMBER] [NODES]'"),
            ("save", "expected a folder, for example 'save out'"),
            ("help me", "there is no command 'me'; 'help' lists them"),
            ("status x", "'status' takes no argument, and got 'x'"),
            ("what-if seed=2; fault=die n9", None),
            ("set monitor.link_percent=5", "monitor.link_percent=5: buffers are unloaded by a sequence, and then nothing is adaptive; leave it out, or set "
             "monitor.unload=adaptive"),
            ("set farm.buffers=2", None)):
        result = script(box, ["# first", "status", line, "status"])
        equal(result.returncode, BAD_INPUT, f"exit code of {line!r}")
        equal(result.stdout.count("phase"), 1, "commands done")
        if message is not None:
            equal(result.stderr, f"magicwire: standard input:3: {message}\n", "standard error")
        else:
            assert result.stderr.startswith("magicwire: standard input:3: "), result.stderr
    for lines, message in ((["run until 1ms", "run until 1ms"], "it is 1ms already; give a later time, or go back to a snapshot"),
                           (["snapshot a", "snapshot a"], "there is a snapshot 'a' already; give another name"),
                           (["snapshot abc", "back abd"], "there is no snapshot 'abd', did you mean 'abc'?"),
                           (["run until 1ms", "run", "save ."], ". exists already and is not replaced; name another folder"),
                           (["run", "run"], "the run has ended, and there is no snapshot to go back to"),
                           (["snapshot", "run", "status", "what-if seed=2"], "the run has ended; go back to a snapshot first")):
        result = script(box, lines)
        equal(result.stderr, f"magicwire: standard input:{len(lines)}: {message}\n", "standard error")
    result = script(box, ["monctrl -b"], "--set", "monitor=off")
    equal(result.stderr, "magicwire: standard input:1: the scenario is not monitored; add a 'monitor:' to it\n", "standard error")


@case
def a_branch_that_fails_says_why_once(box):
    scenario = box.scenario()
    why = "the machine did not boot within the scenario's limit of modelled time; raise end.limit"
    run = box.run("run", scenario, "--fork-at", "1ms", "--what-if", "seed=2", "--what-if", "end.limit=2ms")
    equal(run.returncode, BAD_INPUT, "exit code")
    equal(run.stderr, "", "standard error")
    equal([line for line in run.stdout.splitlines() if "failed" in line], [f"2          failed: {why}"], "lines of branches that failed")
    result = script(box, ["run until 1ms", "what-if seed=2; end.limit=2ms", "status"])
    equal(result.returncode, BAD_INPUT, "exit code of the shell")
    equal(result.stderr.splitlines()[0], "magicwire: standard input:2: a branch failed:", "first line")
    equal(result.stderr.count(why), 1, f"times that it is said why in {result.stderr!r}")


@case
def a_branch_whose_process_dies_says_how(box):
    scenario = box.scenario(("tasks: 20", "tasks: 2000"))
    run = subprocess.Popen([box.magicwire, "run", scenario, "--fork-at", "1ms", "--what-if", "seed=2"], cwd=box.folder, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    wait_until(lambda: len(processes_of(box.folder)) == 2)
    os.kill(max(processes_of(box.folder)), signal.SIGKILL)
    out, err = run.communicate(timeout=60)
    equal(run.returncode, BAD_INPUT, f"exit code ({err})")
    assert re.search(r"^1 +failed: signal 9 \(Killed\)$", out, re.M) and re.search(r"^unchanged +\d", out, re.M), out
    equal(err, "", "standard error")


@case
def there_are_64_snapshots_at_most(box):
    box.scenario()
    result = script(box, ["snapshot"] * 65)
    equal(result.returncode, BAD_INPUT, "exit code")
    equal(result.stdout.count("snapshot '"), 64, "snapshots taken")
    equal(result.stderr, "magicwire: standard input:65: there are 64 snapshots already, which is the limit; go back to one\n", "standard error")
    wait_until(lambda: not processes_of(box.folder))


@case
def a_scenario_that_cannot_run_is_told_before_any_command(box):
    result = script(box, ["status"], scenario="none.yaml")
    equal(result.returncode, BAD_INPUT, "exit code")
    assert "none.yaml" in result.stderr and result.stdout == "", result
    box.scenario()
    result = script(box, ["snapshot", "run", "back", "status"], "--set", "end.limit=1ms")
    equal(result.returncode, BAD_INPUT, "exit code")
    assert "standard input:2: " in result.stderr and "end.limit" in result.stderr, result.stderr


@case
def no_process_is_left_behind(box):
    box.scenario()
    for end, code in (("quit", DONE), ("nonsense", BAD_INPUT)):
        equal(script(box, ["snapshot", "run until 1ms", "snapshot", "back", "run for 1ms", end]).returncode, code, "exit code")
        wait_until(lambda: not processes_of(box.folder))


@case
def a_snapshot_takes_over_when_the_process_dies(box):
    box.scenario()
    shell = subprocess.Popen([box.magicwire, "shell", "s.yaml"], cwd=box.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    shell.stdin.write("run until 1ms\nsnapshot safe\nstatus\n")
    shell.stdin.flush()
    while "records" not in shell.stdout.readline():
        pass
    os.kill(max(processes_of(box.folder)), signal.SIGKILL)  # the youngest is the one that goes on
    out, err = shell.communicate("status\n", timeout=30)
    equal(shell.returncode, BAD_INPUT, f"exit code ({out})")
    assert "ended by signal 9 (Killed); back at snapshot 'safe', 1ms" in err, err


if __name__ == "__main__":
    sys.exit(main(__doc__))
