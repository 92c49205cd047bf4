#!/usr/bin/env python3
"""Debugging the ranks of an MPI program in the shell: break, step, finish, where, print; back in time; the run stays the same.

    shell_mpi_debug_test.py --magicwire FILE --source DIR [NAME ...]
"""
import json
import re
import sys

from cli_cases import BAD_INPUT, DONE, case, equal, main, succeeds

RANKS, STEPS = 4, 6
PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define MOST 64
enum side { LEFT, RIGHT };
struct part { int first, count; double norm; const char* name; unsigned low : 3, high : 5; };
static double u[MOST], next[MOST];
static struct part mine;
int rank, size;
enum side last_side;
static float matrix[2][3] = {{0.5f, 1, 2}, {3, 4, 5.25f}};

static void exchange(double* ends) {
    const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(&u[0], 1, MPI_DOUBLE, left, 1, &ends[RIGHT], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[mine.count - 1], 1, MPI_DOUBLE, right, 2, &ends[LEFT], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    last_side = RIGHT;
}

static double relax(int step) {
    double ends[2] = {rank == 0 ? 1.0 : 0.0, 0.0};
    double change = 0;
    exchange(ends);
    for (int i = 0; i < mine.count; ++i) {
        const double low = i > 0 ? u[i - 1] : ends[LEFT];
        const double high = i < mine.count - 1 ? u[i + 1] : ends[RIGHT];
        next[i] = (low + high) / 2;
        change += (next[i] - u[i]) * (next[i] - u[i]);
    }
    for (int i = 0; i < mine.count; ++i) u[i] = next[i];
    return change + 0 * step;
}

static int depth(int level) {
    int below = 0;
    if (level > 0)
        below = depth(level - 1);
    return below + 1;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine.count = 4 + rank % 2;
    mine.name = "a part";
    mine.high = 17;
    double* copy = malloc(sizeof u);
    mine.first = depth(3);
    for (int step = 0; step < 6; ++step) {
        double change = relax(step);
        MPI_Allreduce(&change, &mine.norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int i = 0; i < mine.count; ++i) copy[i] = u[i];
    for (int i = 0; i < mine.count; ++i) printf("%d %d %.17g\\n", rank, i, copy[i]);
    free(copy);
    MPI_Finalize();
    return 0;
}
"""
LINES = PROGRAM.split("\n")


def line(words):
    """Number of the first line with these words."""
    return next(number for number, text in enumerate(LINES, 1) if words in text)


def scenario(box, *options, more="monitor: {unload: [[1000s, 8, 32]], events: [message]}\n"):
    box.write("jac.c", PROGRAM)
    equal(box.run("mpicc", *(options or ("-O0",)), "-o", "jac", "jac.c").returncode, DONE, "mpicc")
    box.write("s.yaml", f'version: 1\nname: s\nmachine: "ring:4"\napplication: {{mpi: jac, np: {RANKS}}}\n{more}')


def told(box, *lines, end=DONE):
    """The answers of the shell to these commands, as objects."""
    done = box.run("shell", "s.yaml", "--json", input="\n".join(lines) + "\n")
    equal((done.returncode, done.stderr if end == DONE else ""), (end, ""), f"shell {lines}")
    return [json.loads(one) for one in done.stdout.splitlines()]


def summary(answers):
    return next(one["data"] for one in reversed(answers) if one["command"] == "summary")


def run_hash(answers):
    return summary(answers)["run_hash"]


def refused(box, command, *before):
    done = box.run("shell", "s.yaml", input="\n".join([*before, command]) + "\n")
    equal(done.returncode, BAD_INPUT, f"exit code of {command}")
    return done.stderr


@case
def all_ranks_stop_and_the_vector_is_what_the_program_writes(box):
    scenario(box)
    plain = told(box, "run", "summary")
    place = f"jac.c:{line('free(copy)')}"
    answers = told(box, f"break {place}", *["run"] * RANKS, "print all u[0..mine.count-1]", "print all copy[0..3]", "run", "summary")
    stopped = [one["data"]["ranks"][0] for one in answers[1:1 + RANKS]]
    equal(sorted(one["rank"] for one in stopped), list(range(RANKS)), "ranks that stopped")
    equal({one["frames"][0]["line"] for one in stopped}, {line("free(copy)")}, "the line")
    written = {}
    for text in summary(answers)["console"].splitlines():
        rank, index, value = text.split()
        written[int(rank), int(index)] = float(value)
    printed = {(its["rank"], *one["index"]): one["value"] for its in answers[1 + RANKS]["data"]["ranks"] for one in its["values"]}
    equal(printed, written, "the distributed vector")
    rows = [row.split() for row in answers[1 + RANKS]["text"].splitlines()[1:]]
    equal({(int(rank), int(index)): float(value) for rank, index, value in rows}, written, "the same as a table")
    equal(len(answers[2 + RANKS]["data"]["ranks"][3]["values"]), 4, "through a pointer")
    equal(run_hash(answers), run_hash(plain), "run hash with stops")
    equal(summary(answers)["console"], summary(plain)["console"], "output with stops")


@case
def steps_change_nothing(box):
    scenario(box)
    plain = told(box, "run", "summary")
    answers = told(box, "break 2 relax", "run", *["step"] * 9, "where", "finish", "break delete all", "step 1", "step 3", "step in", "run", "summary")
    lines = [one["data"]["ranks"][0]["frames"][0]["line"] for one in answers[1:11]]
    first = line("double ends[2]")
    equal(lines[:4], [first, first + 1, first + 2, first + 3], "lines of the steps, and none in exchange()")
    equal({one["data"]["ranks"][0]["rank"] for one in answers[1:13]}, {2}, "the rank that makes them")
    equal([one["function"] for one in answers[12]["data"]["ranks"][0]["frames"]], ["main"], "where finish ends")
    equal([answers[14]["data"]["ranks"][0]["rank"], answers[15]["data"]["ranks"][0]["rank"]], [1, 3], "steps of other ranks")
    equal(run_hash(answers), run_hash(plain), "run hash with steps")


@case
def a_step_goes_over_recursion(box):
    scenario(box)
    answers = told(box, f"break 1 jac.c:{line('below = depth(level')}", "run", "break delete 1", "print level", "where", "step", "print level", "finish", "step in 1")
    equal([answers[3]["data"]["ranks"][0]["values"][0]["value"], answers[6]["data"]["ranks"][0]["values"][0]["value"]], [3, 3], "level before and after")
    equal(answers[5]["data"]["ranks"][0]["frames"][0]["line"], line("return below + 1"), "line behind the recursion")
    equal(answers[7]["data"]["ranks"][0]["frames"][0]["function"], "main", "finish")


@case
def where_shows_ranks_that_wait(box):
    scenario(box)
    answers = told(box, "break 0 relax", "run", "where all", "where 0")
    text, ranks = answers[2]["text"], answers[2]["data"]["ranks"]
    equal(ranks[0]["state"], "stopped at breakpoint 1", "the stopped one")
    assert re.search(r"relax\(step=0\) at jac\.c:\d+\n *#1 +main\(argc=1, argv=", answers[3]["text"]), answers[3]["text"]
    equal({one["state"] for one in ranks[1:]}, {"in MPI_Init()"}, "ranks that have not come so far")
    assert any(frame["function"] == "main" for one in ranks[1:] for frame in one["frames"]), text


@case
def a_receive_is_found_by_its_number(box):
    scenario(box)
    answers = told(box, "break race r2 recv 3", "break race rank 2, receive 6", "run", "print step", "run", "print step", "break race r2 recv 1")
    stops = [answers[i]["data"]["ranks"][0] for i in (2, 4)]
    equal([(stop["rank"], stop["frames"][0]["function"]) for stop in stops], [(2, "exchange")] * 2, "where they begin")
    sends = [number for number, text in enumerate(LINES, 1) if "MPI_Sendrecv(" in text]
    equal([stop["frames"][0]["line"] for stop in stops], sends, "the first and the second receive of a step")
    equal([answers[i]["data"]["ranks"][0]["values"][0]["value"] for i in (3, 5)], [1, 2], "steps, of the caller")
    assert "its caller relax()" in answers[3]["text"], answers[3]
    assert "has begun 5 receives already" in answers[6]["text"], answers[6]
    for command, words in (("break race r0 recv", "race r0 recv 3"), ("break race r9 recv 1", "there is no rank 9")):
        assert words in refused(box, command), command


@case
def values_of_all_kinds(box):
    scenario(box)
    before = ("break 1 relax", "run", "run")
    names = {"mine": {"first": 4, "count": 5, "name": "a part", "low": 0, "high": 17}, "mine.high": 17, "mine.name": "a part", "matrix[1][2]": 5.25,
             "matrix[1]": [3, 4, 5.25], "last_side": "RIGHT", "*&rank + size * 2": 9, "(&mine)->count": 5, "*mine.name": 97, "-rank": -1,
             "main::step": 1, "MOST": None, "'jac.c'::size": 4, "step": 1, "u[rank-1] * 0": 0, "next[0] - u[0]": 0, "rank / 0": None, "u[64]": None,
             "&u[1]": "<u+8>", "mine.name[2]": ord("p")}
    names.pop("MOST")
    answers = told(box, *before, *(f"print {name}" for name in names))
    for (name, wanted), answer in zip(names.items(), answers[3:]):
        got = answer["data"]["ranks"][0]["values"][0]["value"]
        if isinstance(wanted, dict):
            got = {key: got[key] for key in wanted}
        equal(got, wanted, f"print {name}")
    answers = told(box, *before, "print matrix[0..1][1..2]", "print 0-3 rank", "print 1 main::copy")
    equal([(one["index"], one["value"]) for one in answers[3]["data"]["ranks"][0]["values"]], [([0, 1], 1), ([0, 2], 2), ([1, 1], 4), ([1, 2], 5.25)], "two ranges")
    equal([its["values"][0]["value"] for its in answers[4]["data"]["ranks"]], [0, 1, 2, 3], "a variable of all ranks")


@case
def wrong_words_are_refused_with_their_place(box):
    scenario(box)
    at_relax = ("break 1 relax", "run")
    for command, words in (("print u[", "column 3: the expression ends here"), ("print u[1", "column 4: expected ']'"),
                           ("print ranc", "column 1: there is no variable 'ranc' in relax(), did you mean 'rank'?"), ("print mine.cont", "did you mean 'count'?"),
                           ("print rank.x", "has no members"), ("print *rank", "no pointer"), ("print u[1.5]", "whole number"), ("print 1 $", "column 1"),
                           ("print 7 rank", "there is no rank 7; the ranks are 0 to 3"), ("step 0-1", "one rank at a time"), ("step 9", "there is no rank 9"),
                           ("fault die n1", "in the middle of an event"), ("print", "expected an expression")):
        error = refused(box, command, *at_relax)
        assert words in error, (command, error)
    assert "\n  u[1\n     ^" in refused(box, "print u[1", *at_relax)
    for command, words in (("break relaxx", "did you mean 'relax'?"), ("break jac.c:9999", "line 9999"), ("break jax.c:3", "did you mean 'jac.c'?"),
                           ("break 12", "FILE:LINE"), ("break 5 main", "there is no rank 5"), ("break main relax", "FILE:LINE"), ("step", "no rank has stopped")):
        error = refused(box, command)
        assert words in error, (command, error)
    answers = told(box, f"break jac.c:{line('static double relax') - 1}", "break all main()", "break MPI_Finalize", "break", "break delete 2", "break")
    assert "has no code" in answers[0]["text"], answers[0]
    equal([one["number"] for one in answers[3]["data"]["breakpoints"]], [1, 2, 3], "list")
    equal([one["number"] for one in answers[5]["data"]["breakpoints"]], [1, 3], "after delete")


@case
def back_in_time(box):
    scenario(box)
    answers = told(box, "break 1 relax", "run", "snapshot a", "break 3 exchange", "run", "where", "back a", "where", "break", "run", "back a",
                   "break delete all", "run", "summary")
    plain = told(box, "run", "summary")
    equal(answers[6]["text"].split("\n")[0].split(",")[0], "back at snapshot 'a'", "back")
    equal(answers[7]["data"], {"ranks": answers[1]["data"]["ranks"]}, "where it was stopped")
    equal([one["number"] for one in answers[8]["data"]["breakpoints"]], [1, 2], "breakpoints survive")
    equal(answers[9]["data"], answers[4]["data"], "the same next stop")
    equal(run_hash(answers), run_hash(plain), "run hash after going back")


@case
def optimized_programs(box):
    scenario(box, "-O2")
    plain = told(box, "run", "summary")
    answers = told(box, "break 1 relax", "run", "where", "print step", "print 0-3 mine.count", "step", "step", "finish", "break delete all", "run", "summary")
    value = answers[3]["data"]["ranks"][0]["values"][0]
    assert value["value"] == 0 or "optimized out" in value["why"], value
    equal(run_hash(answers), run_hash(plain), "run hash")


@case
def programs_without_debug_information(box):
    scenario(box, "-O0", "-g0")
    assert "compile it without -g0" in refused(box, "print rank", "run until 750ms")
    assert "compile it without -g0" in refused(box, "break jac.c:12")
    answers = told(box, "break 2 relax", "run", "where")
    equal([frame["function"] for frame in answers[2]["data"]["ranks"][0]["frames"]][:2], ["relax", "main"], "functions are known by their names")


@case
def without_an_mpi_program(box):
    box.scenario()
    assert "runs no MPI program" in refused(box, "where")
    assert "expected 'break'" in refused(box, "break main")


if __name__ == "__main__":
    sys.exit(main(__doc__))
