#!/usr/bin/env python3
"""Slices, states and races of farm programs that kept logs for flowback.

    flowback_slices_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py and flowback_farms.py. Answers about random programs are held against a judge:
tests/flowback.
"""
import json
import sys

from cli_cases import BAD_INPUT, DONE, FOUND, UNKNOWN, case, equal, main
from flowback_farms import FARM, recorded, sliced, why


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


HIDDEN = FARM % """static _Atomic int count;
static int plain = 4, result;
static int hidden(void) { return ++count + plain; }
static void notes(int x) { plain = x; ++count; }
void compute_fn(const void* data, unsigned bytes) {
    struct message task;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    result = hidden();
    notes(task.number);
    task.half = result;
    return_result(&task, sizeof task);
}"""


@case
def code_that_is_not_prepared_leaves_doubts(box):
    """Atomic operations cannot be prepared: neither what such a function reads is known, nor what it writes."""
    recorded(box, HIDDEN, tasks=1, nodes=2, expected=(DONE, FOUND))
    at = {content.strip(): number for number, content in enumerate(HIDDEN.split("\n"), 1)}
    last = at["task.half = result;"]
    for way, question in (("--slice", f"result@prog.c:{last}"), ("--forward", f"task.number@prog.c:{at['result = hidden();']}")):
        answer, _ = sliced(box, way, question)
        assert answer["certainty"] == "likely" and "does is not known" in answer["doubts"][0], f"{way} {answer['doubts']}"
    whole = HIDDEN.replace("result = hidden();", "result = ++count;")
    recorded(box, whole, tasks=1, nodes=2, expected=(DONE, FOUND))
    answer, _ = sliced(box, "--forward", f"n0:data_generator:task.number@prog.c:{at['do_task(&task, sizeof task);']}")
    assert "compute_fn() is not prepared" in answer["doubts"], answer["doubts"]


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


if __name__ == "__main__":
    sys.exit(main(__doc__))
