#!/usr/bin/env python3
"""magicwire boot --shell: breakpoints, steps, registers, memory, who waits, snapshots.

    boot_shell_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import json
import re
import signal
import subprocess
import sys
import time

from cli_cases import BAD_INPUT, DONE, USAGE, case, equal, main

LOOP = """start: ajw 40
 stl 0
 stl 1
 stl 2
 ldc 3
 stl 10
loop: ldl 10
 adc -1
 stl 10
 ldl 10
 cj over
 j loop
over: ldc 0x12345678
 stl 11
 stopp
"""
# A high process cuts in at each tick, and the low one counts.
CUT = """start: ajw 60
 stl 0
 stl 1
 stl 2
 mint
 sthf
 mint
 stlf
 mint
 mint
 stnl 9
 mint
 mint
 stnl 10
 ldc 0
 sttimer
 ldap high
 ldlp 30
 stnl -1
 ldlp 30
 runp
 ldc 0
 stl 10
count: ldl 10
 adc 1
 stl 10
 ldl 10
 eqc 200
 cj count
 stopp
high: ldc 5
 stl 0
again: ldtimer
 adc 2
 tin
 ldl 0
 adc -1
 stl 0
 ldl 0
 cj ended
 j again
ended: stopp
"""


TWINS = """start: ajw 120
 stl 0
 stl 1
 stl 2
 ldap second
 ldlp 60
 stnl -1
 ldlp 60
 ldc 1
 or
 runp
 ldap image
 ldc 0x80000004
 ldc 16
 out
 stopp
second: ldap image
 ldc 0x80000008
 ldc 16
 out
 stopp
image: .byte 15
 ajw 40
 ldc 20
 stl 1
again: ldl 1
 adc -1
 stl 1
 ldl 1
 eqc 0
 cj again
 stopp
"""


def example(box, name):
    return f"{box.source}/examples/t800/{name}.s"


def typed(box, image, lines, *options):
    return box.run("boot", image, "--shell", *options, input="\n".join(lines) + "\n")


def run_hash(text):
    return re.search(r"run hash (\w+)", text)[1]


def instructions(text):
    return {node: int(count) for count, node in re.findall(r"^ *(\d+) instructions  (n\d+)", text, re.M)}


@case
def a_session_without_breakpoints_is_the_run(box):
    for name, machine in (("hello", "chain:1"), ("worm", "mesh:2x2"), ("farm", "tree:2:7")):
        for level in ("message", "byte"):
            options = ("--machine", machine, "--links", level)
            alone = box.run("boot", example(box, name), "-v", *options)
            session = typed(box, example(box, name), ["run for 100us", "nodes", "waits", "run"], *options)
            equal((session.returncode, session.stderr), (DONE, ""), name)
            equal(run_hash(session.stdout), run_hash(alone.stderr), f"{name} {level}: the run hash")
            assert alone.stdout in session.stdout, session.stdout


@case
def a_snapshot_goes_on_bit_for_bit(box):
    options = ("--machine", "tree:2:7")
    alone = box.run("boot", example(box, "farm"), "-v", *options)
    ended = float(re.search(r": ([\d.]+) s of modelled", alone.stderr)[1])
    for part in range(1, 30):
        moment = f"run until {round(ended * 1e9 * part / 30)}ns"
        session = typed(box, example(box, "farm"), [moment, "snapshot", "run", "back", "nodes", "run"], *options)
        equal(session.returncode, DONE, session.stderr)
        equal(re.findall(r"run hash (\w+)", session.stdout), [run_hash(alone.stderr)] * 2, f"both runs from {moment}")


@case
def breakpoints_stop_before_the_instruction(box):
    box.write("loop.s", LOOP)
    done = typed(box, "loop.s", ["break loop", "run", "run", "run", "registers", "memory #80000070 1", "delete 1", "break over+8", "run", "registers", "run"])
    equal(done.returncode, DONE, done.stderr)
    equal(done.stdout.count(" loop: ldl 10\n"), 4, "three stops and the registers: " + done.stdout)
    assert "breakpoint 1: n0 #8000" in done.stdout, done.stdout
    assert re.search(r"\nA #12345678 \(305419896\)", done.stdout), "one instruction further than `over`: " + done.stdout


@case
def steps_are_single_instructions(box):
    box.write("loop.s", LOOP)
    done = typed(box, "loop.s", ["break start", "run", "nodes", "step", "nodes", "step 10", "nodes"])
    counts = [int(n) for n in re.findall(r"^ *(\d+) instructions  n0", done.stdout, re.M)]
    equal([b - a for a, b in zip(counts, counts[1:])], [1, 10], done.stdout)


# The high process runs between a breakpoint and its instruction. The instruction is met once each time all the same.
@case
def each_execution_stops_once(box):
    box.write("cut.s", CUT)
    done = typed(box, "cut.s", ["break count", *["run"] * 202])
    assert "standstill" in done.stdout, done.stdout[-500:]
    equal(len(re.findall(r"^n0 process .* count: ldl 10$", done.stdout, re.M)), 200, "stops at `count`")
    stepped = typed(box, "cut.s", ["break count", "run", "delete all", "step 3000"])
    assert "standstill" in stepped.stdout, stepped.stdout[-500:]


# n0 boots both of the others, which then run the same loop at the same time.
@case
def nodes_that_stop_at_one_moment_are_all_told(box):
    box.write("twins.s", TWINS)
    for level in ("message", "byte"):
        options = ("--machine", "ring:3", "--links", level)
        done = typed(box, "twins.s", ["break n1 #80000075", "break n2 #80000075", *["run"] * 41], *options)
        stops = re.findall(r"^(n\d) process .* #80000075: ldl 1$", done.stdout, re.M)
        equal((stops.count("n1"), stops.count("n2"), "standstill" in done.stdout), (20, 20, True), level + done.stdout[-300:])
        for runs in range(1, 12):
            done = typed(box, "twins.s", ["break n1 #80000075", "break n2 #80000075", *["run"] * runs, "delete all", "run"], *options)
            assert "standstill" in done.stdout.split(" #80000075: ldl 1\n")[-1], f"{runs} stops and no breakpoint more: {done.stdout}"


@case
def states_are_told_while_something_runs(box):
    box.write("cut.s", CUT)
    done = typed(box, "cut.s", ["break count", "run", "run", "waits", "processes"])
    assert re.search(r"waits for clock 0 to pass \d+\n", done.stdout) and " runs at #" in done.stdout, done.stdout
    box.write("halt.s", "start: ajw 40\n sethalterr\n seterr\n ldc 4\n")
    done = typed(box, "halt.s", ["run", "nodes", "processes", "registers"])
    equal(done.stdout.count("n0 has halted: Error was set"), 4, done.stdout)


@case
def what_lies_ahead_is_told_and_not_changed(box):
    box.write("loop.s", LOOP.replace("ldc 3", "ldc 30000"))
    done = typed(box, "loop.s", ["run for 50us", "nodes", "break loop", "run", "nodes", "set A 4"])
    equal((done.returncode, done.stdout.count("ahead)")), (DONE, 1), done.stdout + done.stderr)
    assert "ahead of this moment" in typed(box, "loop.s", ["run for 50us", "set A 4"]).stderr


@case
def ctrl_c_ends_a_step(box):
    box.write("loop.s", LOOP.replace("ldc 3", "ldc 2000000000"))
    process = subprocess.Popen([box.magicwire, "boot", "loop.s", "--shell"], cwd=box.folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write("run for 20us\nstep 1000000000\n")
    process.stdin.flush()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    equal(process.returncode, 130, out + err)


@case
def what_is_set_counts(box):
    box.write("loop.s", LOOP)
    done = typed(box, "loop.s", ["break over", "run", "step", "set A 77", "step", "registers", "set n0 #80000200 -2", "memory #80000200 2", "set B #80000071", "registers"])
    equal(done.returncode, DONE, done.stderr)
    assert "#80000200  FFFFFFFE" in done.stdout and "B #80000071" in done.stdout, done.stdout


@case
def processes_and_waits_name_places(box):
    done = typed(box, example(box, "sieve"), ["run for 800us", "waits", "processes n0", "processes n1"], "--machine", "chain:3")
    assert "n0 process #" in done.stdout and "waits to output at link 1 (n1.0)" in done.stdout, done.stdout
    assert "n1 waits for its boot message" in done.stdout, done.stdout


@case
def answers_as_json(box):
    box.write("loop.s", LOOP)
    done = typed(box, "loop.s", ["break loop", "run", "step", "registers", "memory #80000070 3", "waits"], "--json")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    equal([answer["schema"] for answer in answers], ["magicwire.shell/1"] * 7, "the schemas")
    equal((answers[3]["data"]["a"], len(answers[4]["data"]["words"])), (3, 3), "the data")


@case
def mistakes_are_told_with_their_line(box):
    box.write("loop.s", LOOP)
    for line, text in (("brake loop", "there is no command 'brake'"), ("break lop", "did you mean 'loop'"), ("break n7 loop", "there is no node n7"),
                       ("break #10", "n0 has no memory at #00000010"), ("step 0", "must be from 1"), ("memory", "expected a place"),
                       ("back", "there is no snapshot"), ("delete 3", "there is no breakpoint 3"), ("set A 99999999999", "32 bits"),
                       ("run until 0ns", "it is 0ps already"), ("registers n0 n0", "one word too many"), ('break "x', "is not closed"), ("registers n99999999999", "there is no node"),
                       ("run to the end", "expected 'run'"), ("code #90000000", "no memory"), ("set A 1", "no process runs")):
        done = typed(box, "loop.s", ["# a comment", line])
        equal(done.returncode, BAD_INPUT, line)
        assert "standard input:2: " in done.stderr and text in done.stderr, done.stderr
    done = typed(box, "loop.s", ["run", "run"])
    assert "the run is over" in done.stderr, done.stderr
    equal(typed(box, "loop.s", [], "--profile", "p.txt").returncode, USAGE, "views exclude a session")
    equal(typed(box, "none.btl", []).returncode, BAD_INPUT, "no image")


@case
def the_program_s_input_comes_from_a_file(box):
    box.write("words", "abc")
    box.write("echo.s", "start: ajw 40\n stl 0\n stl 1\n stl 2\n ldap text\n ldl 2\n ldc 3\n in\n ldap text\n ldl 2\n adc -16\n ldc 3\n out\n stopp\ntext: .word 0\n")
    for more in ([], ["--shell"]):
        done = box.run("boot", "echo.s", "--raw", "--input", "words", *more, input="run\n" if more else "xyz")
        equal((done.returncode, done.stdout[:3]), (DONE, "abc"), f"with {more}")


if __name__ == "__main__":
    sys.exit(main(__doc__))
