#!/usr/bin/env python3
"""'magicwire isolate': the inputs that it builds held against the truth of the run, the same end each time, the debugger at the line.

    isolate_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

Every case works in an empty folder of its own. A NAME picks the cases whose name contains it. A case that fails keeps its
folder and prints where it is; exit code 1.
"""
import json
import os
import shutil
import sys

from cli_cases import DONE, FOUND, SANITIZED, UNKNOWN, USAGE, BAD_INPUT, equal, main, refuses, simulation, specification

sys.dont_write_bytecode = True
# The same call gives the same bytes each time.
TIMES = 5 if SANITIZED else 100 if "MAGICWIRE_LONG_TESTS" in os.environ else 8
PROCESS = {"data_generator()": "generate", "split_fn()": "split", "comp_fn()": "compute", "join_fn()": "join", "result_receiver()": "post-process"}


def example(box, name, *changes):
    """A program of examples/farms, changed."""
    shutil.copytree(box.source / "examples" / "farms" / name, box.folder / name, ignore=shutil.ignore_patterns("build", "out"))
    source = box.folder / name / f"{name}.c"
    text = source.read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text, before
        text = text.replace(before, after, 1)
    source.write_text(text, encoding="utf-8")


def line_of(path, words):
    return next(number for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if words in line)


def true_inputs(box, folder="out"):
    return json.loads(box.read(f"{folder}/oracle.json"))["inputs"]


def isolate(box, *words, code=None):
    result = box.run("isolate", *words, "--json")
    assert code is None or result.returncode == code, (words, result.returncode, result.stdout, result.stderr)
    equal(result.stderr, "", "standard error")
    return json.loads(result.stdout)


def same_as_true(box, true, folder="out", more=()):
    """One call of the oracle again; returns what isolate says."""
    process = PROCESS[true["process"]]
    place = () if process in ("generate", "post-process") else ("--node", true["node"])
    call = isolate(box, folder, true["task"], true["subtask"], "--process", process, *place, *more)
    if process == "generate":
        got = (call["output"][0]["bytes"], call["output"][0]["xxh3"])
    elif process == "post-process":
        got = (call["input"][-1]["bytes"], call["input"][-1]["xxh3"])
    else:
        got = (sum(message["bytes"] for message in call["input"]), call["input_xxh3"])
    equal(got, (true["bytes"], true["xxh3"]), f"the input of {true}")
    return call


def each_time_the_same(box, *words, code):
    first = box.run("isolate", *words)
    equal(first.returncode, code, f"exit code ({first.stdout}, {first.stderr})")
    for _ in range(TIMES - 1):
        again = box.run("isolate", *words)
        equal((again.returncode, again.stdout, again.stderr), (first.returncode, first.stdout, first.stderr), "the same call again")
    return first.stdout


def debugger(box, commands, *words):
    """What gdb prints when it gets these commands after it has stopped in the function; nothing where there is no gdb."""
    if not shutil.which("gdb"):
        return None
    result = box.run("isolate", *words, "--gdb", input="\n".join(commands) + "\n")
    equal(result.returncode, DONE, f"exit code of gdb ({result.stdout}, {result.stderr})")
    return result.stdout


@simulation
def nsegs_of_the_thesis(box):
    """Section 6.2: Nsegs is 0 in result_receiver()."""
    result = box.run("run", box.source / "examples/thesis/chain6_bug.yaml", "--out", "out")
    equal(result.returncode, FOUND, "exit code of the run")
    calls = [same_as_true(box, true) for true in true_inputs(box)]
    equal({call["process"] for call in calls}, {"data_generator()", "comp_fn()"}, "the processes that were called")
    assert all(call["input_as_in_the_run"]["certainty"] == "certain" for call in calls)
    line = next(line for line in result.stdout.splitlines() if line.startswith("magicwire isolate "))
    words = line.split()[2:]
    equal(words, ["out/data", "1", "--process", "post-process"], "the line that the verdict ends with")
    equal(next(line for line in reversed(box.run("detrek", "-p", "out/data").stdout.splitlines()) if line), line, "detrek's last line")
    text = each_time_the_same(box, *words, code=DONE)
    assert "taken        0 results\n" in text and "end          it returned\n" in text, text
    said = debugger(box, ["print Nsegs", "continue"], *words)
    line = line_of(box.source / "examples/programs/image_group.c", "void result_receiver(void)")
    assert said is None or (f"image_group.c:{line}" in said and "$1 = 0" in said), said


@simulation
def a_wild_pointer_in_segments(box):
    example(box, "segments", ("result.segment = task.segment % most_segments;",
                              "result.segment = task.segment % most_segments;\n    const struct segment* own = &image[result.segment];\n"
                              "    if (task.segment == 37) own = (const struct segment*)0x666000000000;\n    result.size = own->x0 < 0;"))
    result = box.run("farm", "run", "segments", "--monitor", "--out", "out")
    equal(result.returncode, FOUND, f"exit code of the run ({result.stderr})")
    line = line_of(box.folder / "segments" / "segments.c", "result.size = own->x0 < 0;")
    for true in true_inputs(box)[::3]:
        same_as_true(box, true)
    lines = [line.split()[2:] for line in result.stdout.splitlines() if line.startswith("magicwire isolate ")]
    words = next(words for words in lines if words[1] == "37")
    for other in lines[:lines.index(words)]:
        isolate(box, *other, code=DONE)
    call = isolate(box, *words, code=FOUND)
    equal(call["end"], "stopped", "the end")
    equal([each["problem"] for each in call["diagnoses"]], ["wild-pointer"], "the diagnosis")
    assert call["diagnoses"][0]["where"].endswith(f"segments.c:{line}"), call["diagnoses"]
    equal([each["text"] for each in call["diagnoses"]], [each["text"] for each in json.loads(box.read("out/summary.json"))["program"]["diagnoses"]],
          "the diagnoses of the run")
    equal(call["input_as_in_the_run"]["certainty"], "certain", "the claim of the input")
    each_time_the_same(box, *words, code=FOUND)
    said = debugger(box, ["continue"], *words)
    assert said is None or (f"segments.c:{line}" in said and "SIGSEGV" in said), said


@simulation
def a_wrong_join_in_mergesort(box):
    example(box, "mergesort", ("n = add_run(run, (int)(bytes / sizeof(int)), n);",
                               "memcpy(sorted + n, run, bytes), n += (int)(bytes / sizeof(int)); /* and not merged */"))
    result = box.run("farm", "run", "mergesort", "--monitor", "--out", "out")
    equal(result.returncode, DONE, f"exit code of the run ({result.stderr})")
    truths = true_inputs(box)
    joins = [true for true in truths if true["process"] == "join_fn()"]
    assert len(joins) > 16, len(joins)
    for true in truths[::17] + joins[:5]:
        call = same_as_true(box, true)
        assert call["input_as_in_the_run"]["certainty"] == "certain", call["input_as_in_the_run"]
    words = ("out", joins[-1]["task"], joins[-1]["subtask"], "--process", "join", "--node", joins[-1]["node"])
    text = each_time_the_same(box, *words, code=DONE)
    assert "join_fn() of " in text and "end          it returned\n" in text, text
    line = line_of(box.folder / "mergesort" / "mergesort.c", "void join_fn(void)")
    said = debugger(box, ["break sub_results", "continue", "up", "print n"], *words)
    assert said is None or (f"mergesort.c:{line}" in said and "$1 = 0" in said), said


COUNTER = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <trek_kernel/trek.h>
static int calls;
void data_generator(void) {
    for (int i = 0; i < (int)total_tasks(); ++i) do_task(&i, sizeof i);
}
void compute_fn(const void* task, unsigned bytes) {
    long result = ++calls * 1000 + *(const int*)task + 0 * (int)bytes;
    BODY
    work_us(1000);
    return_result(&result, sizeof result);
}
void result_receiver(void) {
    for (unsigned i = 0; i < total_tasks(); ++i) get_result(0);
}
"""


def counter(box, body="", how=("--monitor",)):
    box.write("c.farm", specification("c.c", tasks=4, nodes=2))
    box.write("c.c", COUNTER.replace("BODY", body))
    result = box.run("farm", "run", "c.farm", "--out", "out", *how)
    equal(result.returncode, DONE, f"exit code of the run ({result.stderr})")


@simulation
def earlier_calls_are_done_first(box):
    counter(box)
    call = isolate(box, "out", 2, "--process", "compute", "--dump", code=DONE)
    equal([each["task"] for each in call["earlier"]], [0, 1], "the earlier calls")
    equal(int.from_bytes(bytes.fromhex(call["output"][0]["content"]), "little"), 3002, "the result")
    equal(call["state_as_in_the_run"]["certainty"], "certain", "the claim of the globals")
    alone = isolate(box, "out", 2, "--process", "compute", "--dump", "--alone", code=DONE)
    equal(int.from_bytes(bytes.fromhex(alone["output"][0]["content"]), "little"), 1002, "the result alone")
    equal(alone["without_earlier"]["same"], False, "the outcome is the same")
    equal(isolate(box, "out", 0, "--process", "compute", "--alone")["without_earlier"]["same"], True, "the outcome of the first call is the same")


@simulation
def what_no_record_has_makes_a_claim_likely(box):
    counter(box, body="result += time(NULL) + clock();")
    call = isolate(box, "out", 2, "--process", "compute", code=DONE)
    equal(call["input_as_in_the_run"]["certainty"], "certain", "the claim of the input")
    equal(call["state_as_in_the_run"], {"certainty": "likely", "contradictions": [], "depends_on": [
        "comp_fn() reads the clock of its node, and no record has what it read"]}, "the claim of the state")


@simulation
def readings_that_the_run_keeps(box):
    box.write("text", "a longer line\nand b, c, d and so on, up to the last letter\n")
    body = 'char text[11] = ""; result += time(NULL) + clock() + getchar() + (long)trek_read(text, 10) + text[9];'
    counter(box, body=body, how=("--input", "text", "--set", "monitor.unload=1000s/8/32", "--set", "monitor.events=task+user"))
    taken = {true["task"]: true["xxh3"] for true in true_inputs(box) if true["process"] == "result_receiver()"}
    for task in range(4):
        call = isolate(box, "out", task, "--process", "compute", code=DONE)
        equal(call["output"][0]["xxh3"], taken[task], f"the result of task {task}")
        equal(call["state_as_in_the_run"], {"certainty": "certain", "contradictions": [], "depends_on": []}, "the claim of the state")
    alone = isolate(box, "out", 3, "--process", "compute", "--alone", code=DONE)
    equal(alone["state_as_in_the_run"]["certainty"], "likely", "the claim of the state alone")
    kept = [line for line in box.run("export", "out", "--to", "csv", "-o", "-").stdout.splitlines() if "4294901768" in line]
    equal(len(kept), 8, "the records of the clock that comp_fn() read")


@simulation
def random_numbers_are_those_of_the_run(box):
    counter(box, body="result += rand();")
    last = isolate(box, "out", 3, "--process", "compute", code=DONE)
    equal(last["state_as_in_the_run"]["certainty"], "certain", "the claim of the state")
    taken = [true for true in true_inputs(box) if true["process"] == "result_receiver()"]
    equal(last["output"][0]["xxh3"], next(true["xxh3"] for true in taken if true["task"] == 3), "the result of task 3")


@simulation
def nothing_certain_is_false_after_a_death(box):
    """Each message has the number of calls that its process made, so a call too many or too few shows in an input."""
    text = (box.source / "tests/unit/isolation/programs/sums.c").read_text(encoding="utf-8")
    box.write("s.c", text.replace("    if (own->values[0] == 20) abort();\n", "    work_us(300 + own->values[0] * 37 % 900);\n"))
    divides = specification("s.c", tasks=40, nodes=8, topology="BTREE", more="init_master = s.c; split_function = s.c; join_function = s.c;")
    box.write("s.farm", divides.replace("type = PFVM;", "type = DCVM; degree = 2; depth = 3;"))
    run = ("farm", "run", "s.farm", "--set", "monitor.unload=1000s/8/32")
    equal(box.run(*run, "--out", "whole").returncode, DONE, "exit code of the run")
    times = json.loads(box.read("whole/summary.json"))
    box.write("die.faults", f"version: 1\nfaults:\n  - {{die: n3, at: {(times['farm_began_us'] + times['farm_ended_us']) // 2}us}}\n")
    equal(box.run(*run, "--faults", "die.faults", "--out", "out").returncode, FOUND, "exit code of the run with a dead node")
    certain = 0
    for true in true_inputs(box)[::4]:
        process = PROCESS[true["process"]]
        place = () if process in ("generate", "post-process") else ("--node", true["node"])
        call = isolate(box, "out", true["task"], true["subtask"], "--process", process, *place)
        claim = call["state_as_in_the_run" if process == "generate" else "input_as_in_the_run"]["certainty"]
        made = call["output"] if process == "generate" else call["input"]
        got = made[-1]["xxh3"] if process == "post-process" else call["input_xxh3"] if process != "generate" else made[0]["xxh3"]
        assert claim != "certain" or got == true["xxh3"], (true, call)
        certain += claim == "certain"
    assert certain > 20, certain


@simulation
def another_program_is_told(box):
    counter(box)
    box.write("c.c", COUNTER.replace("BODY", "result += 5;"))
    equal(box.run("farm", "build", "c.farm").returncode, DONE, "exit code of the build")
    call = isolate(box, "out", 2, "--process", "compute", code=DONE)
    equal(call["input_as_in_the_run"]["depends_on"], ["the program was built anew since the run, and is another one"], "the doubt")
    box.write("c.c", COUNTER.replace("BODY", "").replace("do_task(&i, sizeof i)", "do_task(&i, 3)"))
    equal(box.run("farm", "build", "c.farm").returncode, DONE, "exit code of the build")
    call = isolate(box, "out", 2, "--process", "compute", code=UNKNOWN)
    equal(call["input_as_in_the_run"]["contradictions"], ["the task had 4 bytes in the run, and has 3 here"], "the contradiction")


@simulation
def refusals(box):
    counter(box)
    for words, message in (((9, "--process", "compute"), "there is no task 9; the farm has tasks 0 to 3"),
                           ((1, "--process", "join"), "a processor farm has no join_fn(); give compute, generate or post-process"),
                           ((1, "--process", "compute", "--gdb", "--json"), "a debugger prints no JSON; leave --json out"),
                           ((1, "--process", "compute", "--node", 7),
                            "comp_fn() of task 1 cannot be on node 7; 'magicwire story' lists the parts and their nodes")):
        result = box.run("isolate", "out", *words)
        equal((result.returncode, result.stdout), (USAGE, ""), f"what is done with {words}")
        assert message in result.stderr, (message, result.stderr)
    shutil.rmtree(box.folder / "build")
    refuses(box, ("isolate", "out", 1, "--process", "compute"),
            "build/c/c.so: is not there, and the run used this program; go to the folder where the run was started, build it again, or name it "
            "with --program FILE.so", BAD_INPUT)


if __name__ == "__main__":
    sys.exit(main(__doc__))
