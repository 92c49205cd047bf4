#!/usr/bin/env python3
"""Flowback of farm programs: prepare, runs that keep logs, and where values came from.

    flowback_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py. Answers about random programs are held against a judge: tests/flowback.
"""
import json
import random
import re
import shutil
import subprocess
import sys
import time

from cli_cases import BAD_INPUT, DONE, FOUND, UNKNOWN, case, equal, main, specification


def thesis(box):
    """Section 6.2 of the thesis, recorded in `out`."""
    done = box.run("prepare", box.source / "examples/programs/image_group.c", "-D", "IMAGE_GROUP_BUG", "-o", "image_group_bug.prepared")
    equal((done.returncode, done.stderr), (DONE, ""), "prepare")
    return box.run("run", box.source / "examples/thesis/chain6_bug.yaml", "--flowback", "--out", "out", "--progress", "never")


def recorded(box, text, name="prog", tasks=3, nodes=3, more=(), blocks="auto", expected=(DONE,)):
    """A program of one file, prepared, run and recorded in `out`."""
    folder = box.folder / name
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.c").write_text(text, encoding="utf-8")
    (folder / f"{name}.farm").write_text(specification(f"{name}.c", tasks=tasks, nodes=nodes), encoding="utf-8")
    done = box.run("prepare", name, "--e-blocks", blocks)
    equal(done.returncode, DONE, done.stdout + done.stderr)
    shutil.rmtree(box.folder / "out", ignore_errors=True)
    done = box.run("farm", "run", name, "--flowback", "--out", "out", "--progress", "never", *more)
    assert done.returncode in expected, done.stdout + done.stderr
    return done


def why(box, question, *more, folder="out", expected=(DONE,)):
    done = box.run("flowback", folder, "--why", question, "--json", *more)
    assert done.returncode in expected, f"{question}: {done.returncode} {done.stdout}{done.stderr}"
    return json.loads(done.stdout)["answer"]


def child(node, role):
    return next(each for each in node["children"] if each["role"].startswith(role))


FARM = """#include <stdlib.h>
#include <string.h>
#include <trek_kernel/trek.h>
struct message { int number; double half; };
void data_generator(void) {
    for (int i = 0; i < (int)total_tasks(); ++i) {
        struct message task = {i + 10, 0};
        task.half = task.number / 2.0;
        do_task(&task, sizeof task);
    }
}
%s
void result_receiver(void) {
    double sum = 0;
    for (unsigned i = 0; i < total_tasks(); ++i) {
        struct message result;
        memcpy(&result, get_result(0), sizeof result);
        sum += result.half;
    }
    trek_event(1, (long long)sum);
}
"""
PLAIN = FARM % """void compute_fn(const void* data, unsigned bytes) {
    struct message task;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    if (task.number == 11)
        task.half = task.half * 3;
    return_result(&task, sizeof task);
}"""


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


RECURSIVE = FARM % """static int calls, deepest;
static int step(int x) { return x * 2 + 1; }
static int climb(int depth, int* sum) {
    int own = step(depth);
    ++calls;
    if (depth > deepest)
        deepest = depth;
    *sum += own;
    for (int i = 0; i < 2 && depth < 3; ++i)
        own += climb(depth + 1, sum);
    return own;
}
void compute_fn(const void* data, unsigned bytes) {
    int sum = 0, result;
    (void)data, (void)bytes;
    result = climb(0, &sum);
    calls += 0;
    return_result(&result, sizeof result);
}"""


@case
def recursion_in_one_interval_or_in_many(box):
    """15 calls; the sum of 2 d + 1 over them is 1 + 2 * 3 + 4 * 5 + 8 * 7."""
    at = {content.strip(): number for number, content in enumerate(RECURSIVE.split("\n"), 1)}
    sizes = {}
    for blocks in ("all", "leaves", "auto", "roots"):
        recorded(box, RECURSIVE, tasks=1, nodes=2, blocks=blocks, expected=(DONE, FOUND))
        end = at["calls += 0;"]
        equal(why(box, f"result@prog.c:{end}")["title"], "result = 83", blocks)
        node = why(box, f"deepest@prog.c:{end}", "--depth", "2")
        equal((node["title"], node["place"]), ("deepest = 3", f"prog.c:{at['deepest = depth;']}"), blocks)
        _, lines = sliced(box, "--slice", f"sum@prog.c:{end}", "n1.compute_fn")
        equal((lines[at["*sum += own;"]], lines[at["int own = step(depth);"]], at["++calls;"] in lines), (15, 15, False), blocks)
        _, lines = sliced(box, "--slice", f"calls@prog.c:{end}", "n1.compute_fn")
        equal((lines[at["++calls;"]], at["*sum += own;"] in lines), (15, False), blocks)
        done = box.run("flowback", "out", "--state", f"@{at['*sum += own;']}#4", "--json")
        names = [frame["function"] for frame in json.loads(done.stdout)["frames"]]
        equal(names, ["climb"] * 4 + ["compute_fn"], blocks)
        sizes[blocks] = (box.folder / "out/flowback/n1.compute_fn.mwl").stat().st_size
    assert sizes["auto"] < sizes["leaves"] / 2, sizes


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


def sliced(box, way, question, process=None):
    """Executions by line, of all processes or of one."""
    done = box.run("flowback", "out", way, question, "--json")
    equal(done.returncode, DONE, done.stderr)
    answer = json.loads(done.stdout)
    lines = {}
    for each in answer["lines"]:
        if process in (None, each["process"]):
            lines[int(each["place"].split(":")[1])] = each["executions"]
    return answer, lines


SLICED = FARM % """static int base = 5, unused;
static int twice(int x) {
    unused = x;
    return x + x;
}
void compute_fn(const void* data, unsigned bytes) {
    struct message task;
    char text[40];
    int result, other = 3;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    snprintf(text, sizeof text, "%d", task.number);
    other += 1;
    result = 0;
    if (base > other)
        result = atoi(text) + twice(base);
    task.half = result;
    return_result(&task, sizeof task);
}"""


@case
def slices_hold_what_a_value_depends_on(box):
    """Over a library's texts, a call, a predicate and a message, and nothing else."""
    recorded(box, SLICED.replace("#include <stdlib.h>", "#include <stdio.h>\n#include <stdlib.h>"), tasks=2, nodes=2)
    text = (box.folder / "prog/prog.c").read_text(encoding="utf-8").splitlines()
    at = {content.strip(): number for number, content in enumerate(text, 1)}
    last = at["task.half = result;"]
    answer, lines = sliced(box, "--slice", f"result@{last}#2", "n1.compute_fn")
    equal(answer["certainty"], "certain", answer["doubts"])
    expected = ["memcpy(&task, data, sizeof task);", 'snprintf(text, sizeof text, "%d", task.number);', "other += 1;", "int result, other = 3;",
                "if (base > other)", "result = atoi(text) + twice(base);", "return x + x;"]
    equal({line for line in lines if line not in (at["static int twice(int x) {"],)}, {at[each] for each in expected}, "lines")
    _, senders = sliced(box, "--slice", f"result@{last}#2", "n0.data_generator")
    assert at["do_task(&task, sizeof task);"] in senders and at["struct message task = {i + 10, 0};"] in senders, senders
    answer, lines = sliced(box, "--forward", f"n0:data_generator:task.number@{at['do_task(&task, sizeof task);']}#2", "n1.compute_fn")
    equal(answer["certainty"], "certain", answer["doubts"])
    expected = ["memcpy(&task, data, sizeof task);", 'snprintf(text, sizeof text, "%d", task.number);', "result = atoi(text) + twice(base);", last,
                "return_result(&task, sizeof task);"]
    equal(set(lines), {each if isinstance(each, int) else at[each] for each in expected}, "forward")
    answer, lines = sliced(box, "--forward", f"other@{at['if (base > other)']}#1", "n1.compute_fn")
    assert at["unused = x;"] in lines, "it hangs on the predicate"
    answer, _ = sliced(box, "--forward", f"unused@{last}#2")
    equal(answer["lines"], [], "nothing reads it")


LOOSE = FARM.replace("do_task(&task, sizeof task);", "do_task(&task, 8 + (unsigned)task.number);") % """struct wide { long a, b, c; };
static int saved;
int plus(int x) { return x + 1; }
int minus(int x) { return x - 1; }
long third(struct wide w) { return w.c; }
void compute_fn(const void* data, unsigned bytes) {
    struct message task;
    struct wide w = {1, 2, 3};
    int (*f)(int) = minus;
    memcpy(&task, data, 8);
    int before = saved;
    saved = task.number;
    if (task.number > 3)
        f = plus;
    int chosen = f(4);
    int length = (int)bytes;
    w.c = task.number;
    long taken = third(w);
    int drawn = rand();
    task.half = before + chosen + length + taken + drawn % 2;
    return_result(&task, sizeof task);
}"""


@case
def slices_lose_nothing_on_the_way(box):
    """A message of an earlier task, a pointer that chose the function, a message's length; and doubts where nothing is logged."""
    recorded(box, LOOSE, tasks=3, nodes=2)
    at = {content.strip(): number for number, content in enumerate(LOOSE.split("\n"), 1)}
    last = at["task.half = before + chosen + length + taken + drawn % 2;"]
    send = at["do_task(&task, 8 + (unsigned)task.number);"]
    answer, lines = sliced(box, "--slice", f"before@prog.c:{last}#2")
    assert answer["certainty"] == "certain" and at["saved = task.number;"] in lines, answer
    assert at["struct message task = {i + 10, 0};"] in lines and send in lines, lines
    answer, lines = sliced(box, "--slice", f"chosen@prog.c:{last}#2", "n1.compute_fn")
    assert {at["f = plus;"], at["if (task.number > 3)"], at["int plus(int x) { return x + 1; }"]} <= set(lines), lines
    node = why(box, f"chosen@prog.c:{last}#2", "--depth", "4")
    assert any(each["role"] == "which one" for each in node["children"][0]["children"]), node
    answer, lines = sliced(box, "--slice", f"length@prog.c:{last}#2", "n0.data_generator")
    assert send in lines and at["struct message task = {i + 10, 0};"] in lines, lines
    answer, lines = sliced(box, "--forward", f"n0:data_generator:task.number@prog.c:{send}#2", "n1.compute_fn")
    assert {at["int length = (int)bytes;"], at["int chosen = f(4);"]} <= set(lines), lines
    equal(answer["certainty"], "likely", "a structure is passed by value")
    for name, doubt in (("taken", "by value"), ("drawn", "rests on earlier calls")):
        answer, _ = sliced(box, "--slice", f"{name}@prog.c:{last}#2")
        assert answer["certainty"] == "likely" and any(doubt in each for each in answer["doubts"]), answer["doubts"]


@case
def a_state_has_the_variables_of_each_frame(box):
    recorded(box, SLICED.replace("#include <stdlib.h>", "#include <stdio.h>\n#include <stdlib.h>"), tasks=2, nodes=2, blocks="all")
    text = (box.folder / "prog/prog.c").read_text(encoding="utf-8").splitlines()
    line = next(number for number, content in enumerate(text, 1) if "return x + x" in content)
    for where in (f"@{line}#2", f"n1:compute_fn:@{line}"):
        done = box.run("flowback", "out", "--state", where, "--json")
        equal(done.returncode, DONE, done.stderr)
        state = json.loads(done.stdout)
        equal([frame["function"] for frame in state["frames"]], ["twice", "compute_fn"], "frames")
        inner, outer = ({each["name"]: each["value"] for each in frame["variables"]} for frame in state["frames"])
        equal(inner, {"x": "5"}, "of the callee")
        equal((outer["other"], outer["result"]), ("4", "0"), "of the caller")
        assert outer["task"].startswith("{number = 11"), outer
        values = {each["name"]: each for each in state["globals"]}
        equal((values["base"]["value"], values["unused"]["value"]), ("5", "5"), "globals")
        set_by = values["unused"]["set_by"]
        assert why(box, set_by)["title"] == "unused = 5", set_by
    done = box.run("flowback", "out", "--state", "n1.compute_fn:0", "--json")
    equal(json.loads(done.stdout)["frames"][0]["function"], "compute_fn", "as it returns")
    for bad in ("n9.compute_fn:0", "@9999", "n1.compute_fn:77"):
        done = box.run("flowback", "out", "--state", bad)
        assert done.returncode in (2, BAD_INPUT) and done.stderr, f"{bad}: {done.returncode} {done.stdout}"


RACING = FARM.replace("void data_generator", """static int *inputs, *other;
void init_master(void) {
    other = malloc(40);
    free(other);
    inputs = calloc(100, sizeof *inputs);
}
void data_generator""").replace("do_task(&task, sizeof task);", """inputs[i] = i;
        do_task(&task, sizeof task);
        LATE
        other = malloc(40);
        other[0] = i;""").replace("void result_receiver(void) {", """void result_receiver(void) {
    other = malloc(40);""") % """void compute_fn(const void* data, unsigned bytes) {
    struct message task;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    return_result(&task, sizeof task);
}"""


@case
def races_on_memory_that_the_manager_shares(box):
    """Figure 6.1: no race where messages order the accesses, and one with a write behind the send."""
    reads = RACING.replace("sum += result.half;", "sum += inputs[result.number - 10];\n        other[1] = 1;")
    assert reads != RACING
    recorded(box, reads.replace("LATE", ";"), tasks=8, nodes=3)
    done = box.run("flowback", "out", "--races")
    equal(done.returncode, DONE, done.stdout + done.stderr)
    assert "0 races" in done.stdout, done.stdout
    recorded(box, reads.replace("LATE", "inputs[i] += 1;"), tasks=8, nodes=3)
    done = box.run("flowback", "out", "--races", "--json")
    equal(done.returncode, FOUND, done.stdout + done.stderr)
    (race,) = json.loads(done.stdout)["races"]
    equal((race["first"]["text"], race["first"]["writes"], race["second"]["writes"], race["certainty"]), ("inputs[i] += 1;", True, False, "certain"), "race")
    assert race["second"]["text"].startswith("sum += inputs["), race
    assert "allocated" in race["variable"] and 1 <= race["occurrences"] <= 8, race
    # A block of one process that the other one reaches by a pointer: likely. One that nobody knows of: unknown.
    leaked = reads.replace("LATE", "inputs[99] = 0;\n        if (!shared) shared = malloc(4);\n        *shared = i;")
    leaked = leaked.replace("static int *inputs, *other;", "static int *inputs, *other, *shared;").replace("calloc(100, sizeof *inputs);", "calloc(100, sizeof *inputs);\n    holder = calloc(1, sizeof *holder);")
    leaked = leaked.replace("static int *inputs", "static int** holder;\nstatic int *inputs").replace("*shared = i;", "*holder = shared;\n        *shared = i;")
    leaked = leaked.replace("sum += inputs[result.number - 10];", "sum += **holder;")
    recorded(box, leaked, tasks=8, nodes=3)
    done = box.run("flowback", "out", "--races", "--json")
    told = json.loads(done.stdout)["races"]
    assert any(each["first"]["text"] == "*shared = i;" and each["certainty"] == "likely" for each in told), told
    recorded(box, reads.replace("LATE", ";").replace("inputs = calloc(100, sizeof *inputs);", "inputs = realloc(0, 400);"), tasks=8, nodes=3)
    done = box.run("flowback", "out", "--races")
    assert done.returncode == UNKNOWN and "realloc() at" in done.stdout, done.stdout + done.stderr


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


def logged_chain(box, store, *more):
    """The repaired program of the thesis, not monitored; its JSON, and the time at which the farm ended."""
    if not (box.folder / "image_group.prepared").exists():
        equal(box.run("prepare", box.source / "examples/programs/image_group.c").returncode, DONE, "prepare")
    done = box.run("run", box.source / "examples/thesis/chain6.yaml", "--flowback", "--store", store, "--out", "out", "-f", "--json",
                   "--progress", "never", *more)
    equal((done.returncode, done.stderr), (DONE, ""), "run")
    run = json.loads(done.stdout)
    return run["program"]["flowback"], run["farm_ended_us"]


@case
def logs_cost_what_their_way_costs(box):
    plain = json.loads(box.run("run", box.source / "examples/thesis/chain6.yaml", "--json", "--progress", "never").stdout)["farm_ended_us"]
    free, in_time = logged_chain(box, "free")
    equal((in_time, free["cycles"], free["messages"]), (plain, 0, 0), "a free log takes no modelled time")
    answer = why(box, "Nsegs@image_group.c:86")
    kept, with_node = logged_chain(box, "node")
    equal(why(box, "Nsegs@image_group.c:86"), answer, "the log that nodes kept")
    sent, with_host = logged_chain(box, "host")
    equal(why(box, "Nsegs@image_group.c:86"), answer, "the log that came over links")
    assert plain < with_node < with_host, (plain, with_node, with_host)
    equal((kept["messages"], kept["cycles"]), (0, sent["cycles"]), "the work of the processors is that of the store")
    assert sent["messages"] > 0 and sent["cycles"] > 0, sent


@case
def each_price_of_logs_counts(box):
    rows = ("check", "word", "entry", "byte")
    all_of_it = logged_chain(box, "host")[0]["cycles"]
    parts = 0
    for row in rows:
        others = [word for other in rows if other != row for word in ("--set", f"flowback.{other}=0")]
        part = logged_chain(box, "host", *others)[0]["cycles"]
        assert part > 0, row
        parts += part
    # Other prices, other times: a task may go to another node, whose log then begins anew.
    assert abs(parts - all_of_it) < all_of_it / 50, (parts, all_of_it)
    blocks = logged_chain(box, "host", "--set", "flowback.block=64")[0]["messages"]
    assert blocks > 5 * logged_chain(box, "host")[0]["messages"], blocks


@case
def a_node_without_memory_for_its_log_says_so(box):
    kept, _ = logged_chain(box, "host", "--set", "flowback.table=99000000")
    equal(kept["short_of_memory"], kept["logs"], "no node has so much memory")
    done = box.run("flowback", "out")
    overview = done.stdout + done.stderr
    assert "had no memory for more of it" in overview, overview
    for question in ("Nsegs@image_group.c:86", "Nsegs@image_group.c:53"):
        done = box.run("flowback", "out", "--why", question)
        assert done.returncode in (2, BAD_INPUT, UNKNOWN) and "certain." not in done.stdout, done.stdout + done.stderr


@case
def damage_on_the_way_cuts_a_log_and_makes_no_answer_wrong(box):
    questions = ("Nsegs@image_group.c:86", "Nsegs@image_group.c:53", "n1:compute_fn:bytes@image_group.c:71#1")
    logged_chain(box, "host")
    right = [why(box, question) for question in questions]
    cut = 0
    for seed in range(1, 7):
        (box.folder / "plan.faults").write_text(
            f"version: 1\nseed: {seed}\nfaults:\n  - {{flip: host - n0.0, rate: 3e-3, at: 600ms}}\n", encoding="utf-8")
        done = box.run("run", box.source / "examples/thesis/chain6.yaml", "--faults", "plan.faults", "--set", "flowback.block=64",
                       "--flowback", "--out", "out", "-f", "--progress", "never", "--exit-zero")
        equal(done.returncode, DONE, done.stderr)
        cut += "logs are cut: a part did not reach the host" in done.stdout
        for question, expected in zip(questions, right):
            done = box.run("flowback", "out", "--why", question, "--json")
            if done.returncode == BAD_INPUT:
                continue
            answer = json.loads(done.stdout)["answer"]
            if answer["certainty"] == "certain":
                equal(answer["title"], expected["title"], question)
    assert cut > 2, cut


@case
def overhead_bills_the_logs(box):
    scenario = box.source / "examples/thesis/chain6.yaml"
    equal(box.run("prepare", box.source / "examples/programs/image_group.c").returncode, DONE, "prepare")
    done = box.run("overhead", scenario, "--flowback", "--json")
    equal((done.returncode, done.stderr), (DONE, ""), "overhead")
    bill = json.loads(done.stdout)
    lines = {line["name"]: line for line in bill["bill"]["cause"]}
    assert lines["logs for flowback"]["monitored_ps"] > 0 and lines["logs for flowback"]["twin_ps"] == 0, lines
    assert lines["probe"]["monitored_ps"] == 0, lines
    assert bill["work"]["log_link_bytes"] > 0, bill["work"]
    done = box.run("overhead", scenario, "--flowback", "--store", "free", "--json")
    bill = json.loads(done.stdout)
    equal(bill["difference_ps"], 0, "a free log changes nothing of an explicit program")
    done = box.run("overhead", scenario)
    assert done.returncode == BAD_INPUT and "not monitored" in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(main(__doc__))
