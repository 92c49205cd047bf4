#!/usr/bin/env python3
"""Flowback of farm programs: prepare, runs that keep logs, and where values came from.

    flowback_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py and flowback_farms.py. Answers about random programs are held against a judge:
tests/flowback.
"""
import json
import random
import re
import shutil
import subprocess
import sys
import time

from cli_cases import BAD_INPUT, DONE, FOUND, UNKNOWN, case, equal, main, specification
from flowback_farms import FARM, PLAIN, child, recorded, why


def thesis(box):
    """Section 6.2 of the thesis, recorded in `out`."""
    done = box.run("prepare", box.source / "examples/programs/image_group.c", "-D", "IMAGE_GROUP_BUG", "-o", "image_group_bug.prepared")
    equal((done.returncode, done.stderr), (DONE, ""), "prepare")
    return box.run("run", box.source / "examples/thesis/chain6_bug.yaml", "--flowback", "--out", "out", "--progress", "never")


@case
def the_thesis_6_2(box):
    equal(thesis(box).returncode, FOUND, "the run finds the fault")
    node = why(box, "Nsegs@image_group.c:86")
    equal((node["title"], node["certainty"]), ("Nsegs = 0", "certain"), "the value")
    assert any("never written in n0.result_receiver" in note for note in node["notes"]), node
    other = child(node, "another process")
    equal((other["title"], other["place"]), ("Nsegs = 5", "image_group.c:59"), "the copy of data_generator()")
    assert other["id"].startswith("n0.data_generator:"), other


@case
def a_value_is_followed_over_nodes(box):
    recorded(box, PLAIN)
    node = why(box, "sum@prog.c:27", "--depth", "8")
    equal((node["title"], node["certainty"]), ("sum = 27.5", "certain"), "5 and 3 * 5.5 and 6")
    senders = {}
    while node["children"]:  # back through the sum
        result = next(each for each in node["children"] if each["title"].startswith("result"))
        copied = child(result, "copied from")
        sent = child(copied, "sent by")
        value = sent["title"].split(" = ")[1]
        if value != "16.5":  # the worker sends on what it received
            sent = child(child(sent, "copied from"), "sent by n0.data_generator")
        senders[value] = (sent["place"], sent["certainty"])
        sums = [each for each in node["children"] if each["title"].startswith("sum")]
        node = sums[0] if sums and sums[0]["children"] else {"children": []}
    equal(senders,
          {"5": ("prog.c:8", "certain"), "16.5": ("prog.c:17", "certain"), "6": ("prog.c:8", "certain")}, "the statements")


@case
def errors_say_what_there_is(box):
    recorded(box, PLAIN)
    for question, told in (("sum@prog.c:25#9", "was executed 3 times"), ("sum@prog.c:2", "nearest line with a statement is 6"),
                           ("nothing@prog.c:27", "sees no variable nothing"), ("sum@other.c:27", "no source of the program"),
                           ("n9:compute_fn:task@16", "no log of a process 'n9"), ("sum", "it names no line"),
                           ("sum@prog.c:x", "whole number"), ("sum.half@prog.c:27", "has no member"), ("sum[1]@prog.c:27", "neither an array"),
                           ("n0.result_receiver:0.100000", "events"), ("task@prog.c:18", "name one in front")):
        done = box.run("flowback", "out", "--why", question)
        assert done.returncode in (2, BAD_INPUT) and told in done.stderr, f"{question}: {done.returncode} {done.stderr}"
    done = box.run("flowback", "prog", "--why", "sum@27")
    equal(done.returncode, BAD_INPUT, "no run")
    assert "--flowback" in done.stderr, done.stderr
    done = box.run("run", box.source / "examples/thesis/chain6_bug.yaml", "--flowback", "--out", "other")
    equal(done.returncode, BAD_INPUT, "not prepared")
    assert "magicwire prepare" in done.stderr, done.stderr


@case
def a_crash_ends_the_log_where_it_was(box):
    text = FARM % """static int divisor(int number) { return number - 11; }
void compute_fn(const void* data, unsigned bytes) {
    struct message task;
    int by;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    by = divisor(task.number);
    task.half = 100 / by;
    return_result(&task, sizeof task);
}"""
    recorded(box, text, expected=(FOUND,))
    overview = box.run("flowback", "out").stdout
    match = re.search(r"(n\d)\.compute_fn.*\n  compute_fn\(\) was running when the log ended \(interval (\d+)\)", overview)
    assert match, overview
    node = why(box, f"{match[1]}:compute_fn:by@prog.c:19", "--depth", "4")
    equal(node["title"], "by = 0", "the divisor")
    opened = box.run("flowback", "out", "--open", f"{match[1]}.compute_fn:{match[2]}").stdout
    assert "It stops here: the program faults here" in opened, opened


@case
def calls_without_known_effects_are_told(box):
    text = FARM % """static int twice[2];
static int order(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
void compute_fn(const void* data, unsigned bytes) {
    struct message task;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    twice[0] = 5;
    twice[1] = 3;
    qsort(twice, 2, sizeof twice[0], order);
    task.half = twice[0];
    return_result(&task, sizeof task);
}"""
    done = recorded(box, text, tasks=1, nodes=2)
    node = why(box, "twice[0]@prog.c:21", expected=(UNKNOWN,))
    equal((node["title"], node["certainty"]), ("twice[0] = 3", "unknown"), "the value holds, its writer is not known")
    assert any("qsort" in note for note in node["notes"]), node
    assert "qsort" in box.run("prepare", "prog").stdout, done.stdout


@case
def every_choice_of_blocks_answers_alike(box):
    answers = set()
    for blocks in ("all", "leaves", "auto", "roots"):
        recorded(box, PLAIN, blocks=blocks)
        node = why(box, "sum@prog.c:27", "--depth", "6")
        answers.add(re.sub(r'"id": "[^"]*"', "", json.dumps(node)))
    equal(len(answers), 1, "answers")


# Each ASK of tests/flowback/programs/language.c, which explains them.
def asked_of(text):
    lines = text.split("\n")
    labels = {label: number for number, line in enumerate(lines, 1) for label in re.findall(r"/\* @(\w+) \*/", line)}
    for number, line in enumerate(lines, 1):
        found = re.search(r"/\* ASK (\S+?)(#\d+)? = (.*?) <- (\S+)(?: (\w+))? \*/", line)
        if found:
            yield number, found[1], found[2] or "", found[3], found[4], labels.get(found[4]), found[5] or "certain"


@case
def the_language(box):
    text = (box.source / "tests/flowback/programs/language.c").read_text(encoding="utf-8")
    ranks = ("unknown", "likely", "certain")
    for blocks in ("auto", "all", "roots"):
        recorded(box, text, name="language", tasks=1, nodes=2, blocks=blocks)
        wrong = []
        for line, name, execution, value, label, writer, least in asked_of(text):
            done = box.run("flowback", "out", "--why", f"{name}@language.c:{line}{execution}", "--json", "--depth", "2")
            said = json.loads(done.stdout)["answer"] if done.returncode in (DONE, UNKNOWN) else {"title": done.stdout + done.stderr}
            place = f"language.c:{writer}" if writer else said.get("place")
            initial = any("initial value" in note for note in said.get("notes", []))
            good = said["title"] == f"{name} = {value}" and said["place"] == place and initial == (label == "initial")
            if not good or ranks.index(said["certainty"]) < ranks.index(least):
                wrong.append(f"{name}@{line}{execution}, {blocks}: {said['title']} {said.get('place')} {said.get('certainty')} {said.get('notes')}")
        assert not wrong, "\n".join(wrong)


@case
def a_null_pointer_ends_the_log_there(box):
    text = FARM % """static int phase, *nowhere;
void compute_fn(const void* data, unsigned bytes) {
    (void)data, (void)bytes;
    phase = 1;
    *nowhere = 5;
    phase = 99;
    for (int i = 0; i < 100; ++i) phase += i;
    return_result(&phase, sizeof phase);
}"""
    recorded(box, text, tasks=1, nodes=2, expected=(FOUND,))
    equal(why(box, "phase@prog.c:16")["title"], "phase = 1", "before the crash")
    done = box.run("flowback", "out", "--why", "phase@prog.c:18")
    assert done.returncode == BAD_INPUT and "was not executed" in done.stderr, done.stdout + done.stderr


# The interval around the one that crashed ends in its call, and what came before is still certain.
@case
def a_crash_in_a_called_block(box):
    text = FARM % """static int phase, *nowhere;
int inner(int x) {
    phase = 2;
    *nowhere = x;
    return x;
}
void compute_fn(const void* data, unsigned bytes) {
    (void)data, (void)bytes;
    phase = 1;
    phase += inner(3);
    return_result(&phase, sizeof phase);
}"""
    recorded(box, text, tasks=1, nodes=2, expected=(FOUND,), blocks="all")
    equal(why(box, "phase@prog.c:21")["title"], "phase = 1", "before the call")
    equal(why(box, "phase@prog.c:15")["title"], "phase = 2", "inside it")
    opened = box.run("flowback", "out", "--open", "n1.compute_fn:0")
    assert opened.returncode == DONE and "the process was in this call" in opened.stdout, opened.stdout


@case
def fields_that_were_never_set_are_not_certain(box):
    text = FARM % """struct bits { unsigned a : 3, b : 5; };
static unsigned out;
void compute_fn(const void* data, unsigned bytes) {
    struct bits bits;
    (void)data, (void)bytes;
    bits.a = 5;
    out = bits.b;
    out += 1;
    return_result(&out, sizeof out);
}"""
    recorded(box, text, tasks=1, nodes=2)
    node = why(box, "out@prog.c:19", expected=(DONE, UNKNOWN))
    assert node["certainty"] != "certain", node


@case
def a_length_below_zero_is_told(box):
    text = FARM % """void compute_fn(const void* data, unsigned bytes) {
    char text[16];
    int left = 3 - (int)bytes;
    (void)data;
    memset(text, 0, left);
    return_result(text, sizeof text);
}"""
    recorded(box, text, tasks=1, nodes=2, expected=(FOUND,))
    equal(why(box, "left@prog.c:16", "--depth", "1")["title"], "left = -13", "the length")


@case
def what_the_manager_shares_is_never_certain(box):
    text = (FARM % """static int* heap;
void init_master(void) {
    heap = malloc(40 * sizeof *heap);
    heap[0] = 1;
}
void compute_fn(const void* data, unsigned bytes) { return_result(data, bytes); }""")
    text = text.replace("struct message task = {i + 10, 0};", "struct message task = {i + 10, 0};\n        heap[0] = i + 50;")
    text = text.replace("static int* heap;\n", "").replace("struct message {", "static int* heap;\nstruct message {")
    text = text.replace("sum += result.half;", "sum += heap[0];")
    recorded(box, text, tasks=3, nodes=2)
    node = why(box, "heap[0]@prog.c:27", expected=(DONE, UNKNOWN))
    assert node["certainty"] != "certain", node


@case
def several_sources_and_cpp(box):
    folder = box.folder / "several"
    folder.mkdir()
    (folder / "a.cpp").write_text("""#include <cstring>
#include <vector>
#include <trek_kernel/trek.h>
int scale(int x);
static int count = 100;
struct Adder {
    int v = 1;
    void add(int x) { v += x; }
    virtual ~Adder() = default;
};
static Adder constructed;
void data_generator() { for (int i = 0; i < 2; ++i) { int task = i + 5; do_task(&task, sizeof task); } }
void compute_fn(const void* data, unsigned bytes) {
    int task;
    (void)bytes;
    std::memcpy(&task, data, sizeof task);
    count += 1;
    int scaled = scale(task);
    Adder adder;
    adder.add(scaled);
    std::vector<int> list{adder.v};
    return_result(&list[0], sizeof list[0]);
}
void result_receiver() { int sum = 0; for (int i = 0; i < 2; ++i) sum += *static_cast<const int*>(get_result());
    trek_event(1, sum);
}
""", encoding="utf-8")
    (folder / "b.cpp").write_text("static int count = 1000;\nint scale(int x) {\n    count += 10;\n    return x * 2 + count - count;\n}\n", encoding="utf-8")
    (folder / "several.farm").write_text(specification("a.cpp", tasks=2, nodes=2, more="sources = b.cpp;"), encoding="utf-8")
    done = box.run("farm", "run", "several", "--flowback", "--out", "out", "--progress", "never")
    equal(done.returncode, DONE, done.stdout + done.stderr)
    node = why(box, "count@b.cpp:4#1", "--depth", "2")
    equal((node["title"], node["place"]), ("count = 1010", "b.cpp:3"), "each source has its own")
    equal(why(box, "v@a.cpp:8#1", expected=(DONE, UNKNOWN))["title"], "v = 1", "a member of the object")


# Whatever is done to a log, an answer that claims to be certain is the right one.
@case
def damaged_logs_never_give_a_wrong_answer(box):
    recorded(box, PLAIN)
    questions = {name: why(box, name, "--depth", "6") for name in ("sum@prog.c:27", "result.half@prog.c:25#2")}
    chance = random.Random(4)
    logs = sorted((box.folder / "out/flowback").glob("*.mwl"))
    for _ in range(60):
        log = chance.choice(logs)
        good = log.read_bytes()
        bad = bytearray(good)
        if chance.random() < 0.5:
            del bad[chance.randrange(len(bad)):]
        else:
            bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        log.write_bytes(bad)
        for name, right in questions.items():
            done = box.run("flowback", "out", "--why", name, "--json", "--depth", "6")
            assert done.returncode in (DONE, BAD_INPUT, UNKNOWN, 5), f"{name}: {done.returncode} {done.stderr}"
            if done.returncode != DONE:
                continue
            check_same(json.loads(done.stdout)["answer"], right)
        log.write_bytes(good)


def check_same(node, right):
    if node["certainty"] != "certain":
        return
    equal((node["title"], node["place"]), (right["title"], right["place"]), "a certain answer from a damaged log")
    for one, other in zip(node["children"], right["children"]):
        check_same(one, other)


@case
def a_killed_run_leaves_logs_that_can_be_asked(box):
    text = PLAIN.replace("task.half = task.half * 3;", "task.half = task.half * 3;\n    work_us(1000);")
    recorded(box, text, name="long", tasks=3)
    shutil.rmtree(box.folder / "out")
    command = [box.magicwire, "farm", "run", "long", "--tasks", "200000", "--monitor", "--flowback", "--out", "out", "--progress", "never"]
    with subprocess.Popen(command, cwd=box.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        log = box.folder / "out.incomplete/flowback/n1.compute_fn.mwl"
        for _ in range(400):
            time.sleep(0.05)
            if log.exists() and log.stat().st_size > 200000:
                break
        process.kill()
    done = box.run("flowback", "out.incomplete")
    assert done.returncode == DONE and "not whole" in done.stdout, done.stdout + done.stderr
    node = why(box, "n1:compute_fn:task.number@long.c:16#3", folder="out.incomplete")
    assert node["certainty"] == "certain" and node["title"].startswith("task.number = "), node


@case
def logs_of_another_build_are_refused(box):
    recorded(box, PLAIN)
    other = box.folder / "prog/prog.c"
    other.write_text(PLAIN.replace("* 3", "* 4"), encoding="utf-8")
    equal(box.run("prepare", "prog").returncode, DONE, "anew")
    shutil.copy(box.folder / "prog/build/prog/prog.prepared", box.folder / "out/flowback/prog.prepared")
    done = box.run("flowback", "out", "--why", "sum@27")
    assert done.returncode == BAD_INPUT and "another build" in done.stderr, done.stderr


@case
def results_are_those_of_the_plain_program(box):
    folder = box.folder / "mergesort"
    shutil.copytree(box.source / "examples/farms/mergesort", folder, ignore=shutil.ignore_patterns("build", "out"))
    plain = box.run("farm", "run", "mergesort", "--progress", "never")
    logged = box.run("farm", "run", "mergesort", "--flowback", "--out", "out", "--progress", "never")
    equal(logged.stdout.splitlines()[0], plain.stdout.splitlines()[0], "what it prints")
    equal(logged.returncode, plain.returncode, "exit code")


if __name__ == "__main__":
    sys.exit(main(__doc__))
