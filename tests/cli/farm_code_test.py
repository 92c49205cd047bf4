#!/usr/bin/env python3
"""Farms whose workers run T800 code (application.compute): results as those of the C version, costs, and what ends badly.

    farm_code_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import json
import re
import shutil
import sys

from cli_cases import BAD_INPUT, DONE, FOUND, case, equal, main


def farm(box):
    folder = box.folder / "collatz"
    if not folder.is_dir():
        shutil.copytree(box.source / "examples/farms/collatz", folder, ignore=shutil.ignore_patterns("build"))
    return "collatz/collatz.farm"


def run(box, compute="collatz/collatz.s", *more, command=("farm", "run")):
    words = () if compute is None else ("--set", f"application.compute={compute}")
    return box.run(*command, farm(box), *words, *more)


def hash_of(done):
    return re.search(r"run hash +(\w+)", done.stdout)[1]


@case
def results_are_those_of_the_c_version(box):
    answer = run(box, None).stdout.splitlines()[0]
    equal(answer, "1161 takes 181 steps", "the C version")
    for more in ((), ("--set", "farm.tree=chain"), ("--links", "byte"), ("--set", "farm.buffers=3", "--set", "farm.granularity=2")):
        done = run(box, "collatz/collatz.s", *more)
        equal((done.returncode, done.stdout.splitlines()[0], done.stderr), (DONE, answer, ""), f"T800 code with {more}")
    # The sequential C program prints the same.
    done = run(box, "collatz/collatz.s", "--compare")
    assert done.returncode == DONE, done.stdout + done.stderr


@case
def the_same_code_is_the_same_run(box):
    source = run(box)
    equal(hash_of(run(box)), hash_of(source), "again")
    equal(box.run("asm", "collatz/collatz.s", "-o", "image.t8").returncode, DONE, "the assembler")
    equal(hash_of(run(box, "image.t8")), hash_of(source), "the image of the assembler")
    # A loader stands before code of more than 255 bytes. The place of the code differs, so times may.
    text = (box.folder / "collatz/collatz.s").read_text(encoding="utf-8")
    box.write("long.s", text + "\n        .space 400\n")
    equal(box.run("asm", "long.s", "-o", "long.t8").returncode, DONE, "the assembler")
    equal(hash_of(run(box, "long.t8")), hash_of(run(box, "long.s")), "long code")


# The instructions of a task, and nothing else, are its computation.
@case
def a_task_takes_the_cycles_of_its_instructions(box):
    box.write("fixed.s", "fixed: ajw -2\\n ldc 1000\\n stl 0\\nagain: ldl 0\\n adc -1\\n stl 0\\n ldl 0\\n eqc 0\\n cj again\\n"
              " ldl 5\\n ldc 0\\n rev\\n stnl 0\\n ldl 5\\n ldc 0\\n rev\\n stnl 1\\n ldc 8\\n ajw 2\\n ret\\n".replace("\\n", "\n"))
    done = run(box, "fixed.s")
    cycles, calls = (int(text) for text in reversed(re.search(r"compute_fn +(\d+) calls +(\d+) cycles", done.stdout).groups()))
    equal(calls, 40, "tasks")
    # ldl 2, adc -1 2, stl 1, ldl 2, eqc 2, cj 4 or 2, and prefixes, on the chip.
    assert 13 * 1000 < cycles / 40 < 17 * 1000, cycles / 40


@case
def monitored_runs_bill_and_judge_it(box):
    done = run(box, "collatz/collatz.s", "--set", "monitor.unload=5ms/1/2,1s/0/64", "--json", command=("run",))
    assert done.returncode == DONE, done.stderr
    summary = json.loads(done.stdout)
    assert summary["verdict"] is not None, done.stdout[:500]
    run(box, "collatz/collatz.s", "--set", "monitor.unload=5ms/1/2,1s/0/64", "--out", "out", command=("run",))
    for process in ("compute", "post-process"):
        done = box.run("isolate", "out", "3", "--process", process)
        assert done.returncode == BAD_INPUT and "T800 code instead of compute_fn" in done.stderr, done.stderr
    equal(box.run("isolate", "out", "3", "--process", "generate").returncode, DONE, "functions in C")


@case
def code_that_ends_badly_is_told(box):
    for code, text in ((" mint\\n adc 16\\n ldc 4\\n in\\n ret", "has used a link"), (" ldtimer\\n adc 2\\n tin\\n ret", "waits, has stopped, or has started a process"),
                       (" stopp", "waits, has stopped, or has started a process"), (" ldc -1\\n ret", "returns with -1 in A"), (" ldc 70000000\\n ret", "no such room"),
                       (" ldc 0\\n gcall", "where there is no memory"), (" sethalterr\\n seterr\\n ret", "has halted"),
                       (" ldap over\\n ldlp -20\\n stnl -1\\n ldlp -20\\n adc 1\\n runp\\nover: stopp", "waits, has stopped, or has started a process")):
        box.write("bad.s", "bad:" + code.replace("\\n", "\n") + "\n")
        done = run(box, "bad.s", "--set", "farm.tasks=3")
        equal(done.returncode, FOUND, code + done.stderr)
        assert text in done.stdout + done.stderr and "its task never comes back" in done.stdout + done.stderr, code + done.stdout + done.stderr


# It looks at what it finds: floating-point registers, clocks, the timer queue. Each task must find the same.
@case
def a_task_finds_no_trace_of_the_one_before(box):
    box.write("traces.s", """traces: ajw -4
 ldl 5
 ldnl 0
 ldc 2
 and
 cj innocent
 mint
 stl 0
 ldc 0
 sttimer
 ldc 7777
 stl 1
 ldlp 1
 fpldnlsn
 ldtimer
 adc 100
 tin
innocent: ldl 7
 fpstnlsn
 ldl 7
 ldnl 0
 ldl 7
 stnl 0
 ldtimer
 ldl 7
 stnl 1
 ldc 8
 ajw 4
 ret
""")
    done = run(box, "traces.s", "--set", "farm.tasks=40")
    assert "20 of 40 results" in done.stdout and "(20 times)" in done.stdout, done.stdout
    for tree in ("chain", "binary"):
        box.write("still.s", (box.folder / "traces.s").read_text(encoding="utf-8").replace(" cj innocent", " ldc 0\n cj innocent"))
        done = run(box, "still.s", "--set", f"farm.tree={tree}")
        assert "40 of 40 results" in done.stdout and "0 takes 0 steps" in done.stdout, done.stdout


@case
def an_include_is_an_input(box):
    farm(box)
    text = (box.folder / "collatz/collatz.s").read_text(encoding="utf-8")
    box.write("whole.inc", text)
    box.write("top.s", '        .include "whole.inc"\n')
    done = run(box, "top.s", "--json", command=("run",))
    equal([one["role"] for one in json.loads(done.stdout)["inputs"]].count("compute"), 2, done.stdout[:2000])


@case
def mistakes_are_told(box):
    farm(box)
    box.write("wrong.s", "start: ldq 3\n")
    box.write("cut.t8", "\x7f12")
    box.write("empty.s", "; nothing\n")
    for compute, text in (("no.s", "no.s"), ("wrong.s", "wrong.s:1:8"), ("cut.t8", "the image is cut"), ("empty.s", "has no code"),
                          ("collatz/collatz.c", "give a source NAME.s")):
        done = run(box, compute)
        equal(done.returncode, BAD_INPUT, compute)
        assert text in done.stderr, done.stderr
    done = run(box, "collatz/collatz.s", "--set", "application.grain=5ms")
    assert done.returncode == BAD_INPUT and "leave 'grain' or 'compute' out" in done.stderr, done.stderr
    done = box.run("run", box.source / "examples/thesis/dc8.yaml", "--set", f"application.compute={box.folder}/collatz/collatz.s")
    assert done.returncode == BAD_INPUT and "this application is simulated" in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(main(__doc__))
