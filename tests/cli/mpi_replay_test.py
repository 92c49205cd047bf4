#!/usr/bin/env python3
"""mpirun --races, --record and --replay as a user runs them.

    mpi_replay_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py. tests/lam/replay has the programs; its native_runs.py runs them without the model.
"""
import json
import re
import signal
import subprocess
import sys
import time

from cli_cases import BAD_INPUT, BUDGET, DONE, FOUND, SELF_CHECK, UNKNOWN, USAGE, case, equal, main


HEAD = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
    int rank, size, value = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
"""
TAIL = "    MPI_Finalize();\n    return 0;\n}\n"
# Other machines, mappings, prices and limits of short messages: the ranks meet in other orders.
OTHERS = [["--machine", "ring:3", "--seed", "9"], ["--machine", "chain:2", "--map", "slot", "--set", "mpi.short=0"],
          ["--machine", "hypercube:8", "--set", "mpi.call=9000", "--set", "mpi.byte=40"]]


def program(box, body, name="prog"):
    box.write(f"{name}.c", HEAD + body + TAIL)
    equal(box.run("mpicc", "-o", name, f"{name}.c").returncode, DONE, "mpicc")
    return f"./{name}"


def replay_program(box, name):
    equal(box.run("mpicc", "-o", name, box.source / "tests/lam/replay" / f"{name}.c").returncode, DONE, "mpicc")
    return f"./{name}"


def run(box, np, *words):
    return box.run("mpirun", "-np", np, *words)


def lines(done):
    equal((done.returncode, done.stderr), (DONE, ""), "exit code and errors")
    return sorted(done.stdout.splitlines())


def events(box, name):
    """The lines of a record behind its header, without the counters at the end."""
    behind = box.read(name).split("begin\n")[1].splitlines()
    return [line for line in behind if " end" not in line and not line.startswith("end")]


FIGURES = {
    ("2", 4, "exact"): ["r1 recv 1 from 0 or 3", "r1 recv 2 from 3 or 2"],
    ("2", 4, "annai"): ["r1 recv 1 from 0 or 3", "r1 recv 2 from 3 or 2"],
    ("4a", 3, "exact"): ["r1 recv 1 from 2 or 0"],
    ("4a", 3, "annai"): ["r1 recv 1 from 2 or 0"],
    ("4b", 3, "exact"): ["r1 recv 1..2 from 0 or 2", "r1 recv 4..5 from 2 or 0"],
    ("4b", 3, "annai"): ["r1 recv 1..2 from 0 or 2", "r1 recv 4..5 from 2 or 0"],
}


@case
def the_figures_of_the_paper(box):
    figures = replay_program(box, "figures")
    for (name, ranks, rule), wanted in FIGURES.items():
        for stamps in ["full", "changed"]:
            equal(run(box, ranks, "--record", "f.mwo", "-f", "--rule", rule, "--stamps", stamps, figures, name).returncode, DONE, "exit code")
            equal(events(box, "f.mwo"), wanted, f"figure {name}, rule {rule}, stamps {stamps}")


@case
def a_message_overtakes_through_a_third_rank(box):
    """The printed rule records nothing, so its replay takes the other message where the network lets it overtake."""
    figures = replay_program(box, "figures")
    came = {}
    for rule in ["exact", "annai"]:
        recorded = run(box, 3, "--machine", "chain:3", "--record", f"{rule}.mwo", "--rule", rule, figures, "triangle")
        equal(recorded.stdout, "2: 0\n2: 1\n", "the recorded order")
        came[rule] = run(box, 3, "--machine", "ring:3", "--replay", f"{rule}.mwo", figures, "triangle").stdout
    equal(events(box, "annai.mwo"), [], "what the printed rule records")
    equal(came, {"exact": "2: 0\n2: 1\n", "annai": "2: 1\n2: 0\n"}, "the orders repeated")


@case
def random_programs_repeat_alike(box):
    """Results follow from all matches, all counts of failed probes and tests, and all indices."""
    prog = replay_program(box, "random_program")
    other_results = 0
    for seed in range(1, 8):
        ranks, words = 3 + seed % 3, [prog, seed, 50]
        stamps = ["--stamps", "changed" if seed % 2 else "full"]
        wanted = lines(run(box, ranks, "--record", "r.mwo", "-f", *stamps, *words))
        for other in OTHERS:
            equal(lines(run(box, ranks, *other, "--replay", "r.mwo", *words)), wanted, f"seed {seed} on {other}")
        other_results += lines(run(box, ranks, *OTHERS[0], *words)) != wanted
    equal(other_results > 3, True, "the programs depend on the order of messages")


MASTER = """    for (int i = 0; rank == 0 && i < 200 * (size - 1); ++i) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        printf("%d", status.MPI_SOURCE);
        if (i % 50 == 49) printf("\\n");
        MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
    }
    for (int i = 0; rank != 0 && i < 200; ++i) {
        usleep((unsigned)(rank * i % 7) * 500);
        MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
    }
"""


@case
def a_killed_run_is_repeated_up_to_there(box):
    prog = program(box, MASTER)
    wanted = run(box, 4, "--record", "whole.mwo", prog).stdout.split()
    running = subprocess.Popen([box.magicwire, "mpirun", "-np", "4", "--record", "cut.mwo", prog], cwd=box.folder, stdout=subprocess.DEVNULL)
    for _ in range(2000):
        if (box.folder / "cut.mwo").exists() and box.read("cut.mwo").count("upto") >= 2 or running.poll() is not None:
            break
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    running.wait()
    whole = box.read("whole.mwo")
    if not box.read("cut.mwo").endswith("end ended\n"):
        known = int(re.findall(r"r0 upto recv (\d+)", box.read("cut.mwo"))[-1]) - 1  # the last one may have been under way
        again = run(box, 4, "--machine", "ring:3", "--replay", "cut.mwo", prog)
        equal(again.returncode, DONE, "exit code")
        equal("".join(again.stdout.split())[:known], "".join(wanted)[:known], "the order up to there")
        equal(known >= 40, True, "something is known")
    # A whole file cut off anywhere is read, and never taken for a whole one.
    for part in [0.3, 0.6, 0.9]:
        box.write("part.mwo", whole[:int(len(whole) * part)])
        equal(run(box, 4, "--machine", "ring:3", "--replay", "part.mwo", prog).returncode, DONE, f"cut off at {part}")


@case
def another_run_is_refused(box):
    prog = program(box, "    if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n"
                        "    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);\n")
    equal(run(box, 2, "--record", "r.mwo", prog, "a").returncode, DONE, "the record")
    other = program(box, "    value = 1;\n", "other")
    for np, words, text in [(2, [other, "a"], "it was recorded of another program: the hash of './prog' was"),
                            (3, [prog, "a"], "it was recorded with 2 ranks, and this run has 3"),
                            (2, [prog, "b"], "it was recorded with 'a' as argument 1, and this run has 'b'"),
                            (2, [prog], "'a' is missing"), (2, [prog, "a", "b"], "'b' is new")]:
        done = run(box, np, "--replay", "r.mwo", *words)
        equal((done.returncode, text in done.stderr), (BAD_INPUT, True), f"{words}: {done.stderr}")
    equal(run(box, 2, "--record", "r.mwo", prog, "a").returncode, BAD_INPUT, "a file is not replaced")
    equal(run(box, 2, "--replay", "r.mwo", "--races", prog, "a").returncode, USAGE, "a replay finds no races")


@case
def a_divergence_is_told(box):
    """The program reads a file that has changed since."""
    prog = program(box, """    FILE* file = fopen("way", "r");
    const int way = fgetc(file);
    if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; ++i)
        MPI_Recv(&value, 1, MPI_INT, way == 'a' ? MPI_ANY_SOURCE : size - i, 0, MPI_COMM_WORLD, &status);
    if (rank == 0 && way == 'c') MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
""")
    box.write("way", "a")
    equal(run(box, 3, "--record", "r.mwo", prog).returncode, DONE, "the record")
    box.write("way", "b")
    done = run(box, 3, "--replay", "r.mwo", prog)
    equal(done.returncode, SELF_CHECK, "exit code")
    equal(done.stderr, "magicwire: rank 0 does not repeat 'r.mwo': at recv 1 it had a message of rank 1, and now the program names rank 2\n", "words")
    equal(json.loads(run(box, 3, "--json", "--replay", "r.mwo", prog).stdout)["end"], "diverged", "JSON")


@case
def races_are_told_with_their_sources(box):
    prog = program(box, """    for (int i = 1; rank == 0 && i < size; ++i) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
    if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
""")
    done = run(box, 4, "--races", "--json", prog)
    races = json.loads(done.stdout)["races"]
    equal(done.returncode, DONE, "races leave the exit code")
    equal([(race["rank"], race["first"], race["last"]) for race in races], [(0, 1, 1), (0, 2, 2)], "two of three receives race")
    equal(sorted([races[0]["source"], *races[0]["others"]]), [1, 2, 3], "all could have come first")
    text = run(box, 4, "--races", prog).stderr
    equal(text.splitlines()[0], "races: 2 receives could have taken another message", "words")


@case
def deterministic_programs_have_no_races(box):
    """Wildcards that one message alone can match, tags that part messages, receives that were begun before, and no source but one."""
    prog = program(box, """    MPI_Request requests[2];
    int values[2];
    if (rank == 0) {
        MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (rank < 3) {
        MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 50; ++i) { /* a ring: the message comes again when the one before has been received */
        if (rank == 0) MPI_Send(&i, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (rank != 0) MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int from = 1; from < size; ++from) { /* one sender at a time */
        if (rank == from) MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
        MPI_Barrier(MPI_COMM_WORLD);
    }
""")
    for stamps in ["full", "changed"]:
        done = run(box, 4, "--races", "--record", "r.mwo", "-f", "--stamps", stamps, prog)
        equal((done.returncode, done.stderr), (DONE, "races: no receive could have taken another message\n"), stamps)
        equal(events(box, "r.mwo"), [], "nothing is recorded")


@case
def a_deadlock_is_repeated(box):
    """Rank 0 needs both messages of rank 1 after the first of rank 2; the record of the run that stands still holds its receives."""
    prog = program(box, """    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        if (status.MPI_SOURCE == 2) MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &status);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    } else {
        if (rank == 1) usleep(atoi(argv[1]));
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
""")
    equal(run(box, 3, "--record", "late.mwo", prog, 9000).returncode, FOUND, "rank 1 is late")
    again = run(box, 3, "--machine", "ring:3", "--replay", "late.mwo", prog, 9000)
    equal((again.returncode, "standstill at" in again.stderr), (FOUND, True), "it stands still again")
    equal(events(box, "late.mwo")[0], "r0 recv 1 from 2 or 1", "the record")


@case
def cancelled_receives_are_repeated(box):
    prog = program(box, """    MPI_Request request;
    int flag = 0;
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        printf("0: cancelled %d\\n", flag);
        if (flag) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    } else if (rank == 1) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
""")
    wanted = lines(run(box, 2, "--record", "r.mwo", prog))
    equal(wanted, ["0: cancelled 1"], "nothing has come so early")
    equal(events(box, "r.mwo"), ["r0 recv 1 from none"], "the record")
    for other in OTHERS:
        equal(lines(run(box, 2, *other, "--replay", "r.mwo", prog)), wanted, other)


@case
def wrong_files_are_refused_with_their_place(box):
    prog = program(box, "    value = 1;\n")
    equal(run(box, 2, "--record", "r.mwo", prog).returncode, DONE, "the record")
    text = box.read("r.mwo")
    wrong = {"r0 recv 1 of 2": (":11:11:", "expected 'from'"), "r7 recv 1 from 0": (":11:1:", "expected a rank from 0 to 1"),
             "r0 recv 3..2 from 0": (":11:9:", "expected a counter from 3"), "r0 iprobe 2..3 from 0": (":11:11:", "only receives"),
             "r0 sleeps 2": (":11:4:", "expected recv, iprobe"), "r0 recv 1 from 0 or 9": (":11:21:", "expected a rank from 0 to 1")}
    for line, (place, words) in wrong.items():
        box.write("w.mwo", text.split("begin\n")[0] + "begin\n" + line + "\nend ended\n")
        done = run(box, 2, "--replay", "w.mwo", prog)
        equal((done.returncode, place in done.stderr, words in done.stderr), (BAD_INPUT, True, True), f"{line}: {done.stderr}")
    box.write("w.mwo", text.split("begin\n")[0] + "begin\nr0 recv 1..4 from 0\nr0 recv 3 from 1\nend ended\n")
    equal("'r0 recv 3' stands there with two outcomes" in run(box, 2, "--replay", "w.mwo", prog).stderr, True, "a contradiction")
    box.write("w.mwo", "nothing\n")
    equal("it is no file of 'magicwire mpirun --record'" in run(box, 2, "--replay", "w.mwo", prog).stderr, True, "another file")


EFFECTS = """    if (rank == 0) {
        int sum = 0;
        for (int i = 0; i < 2; ++i) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            sum += value;
        }
        printf("sum %d\\n", sum);
        for (int i = 0; i < 2; ++i) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            printf("%d. is %d\\n", i, value);
        }
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        if (value == 2 && argc > 1) MPI_Abort(MPI_COMM_WORLD, 9);
        MPI_Recv(&value, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, &status);
    } else {
        if (rank == 2) usleep(20000);
        for (int tag = 0; tag < 3; ++tag) MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
"""


def effects(box, *words):
    return [race["effect"] for race in json.loads(box.run("races", *words, "--flip", "all", "--json").stdout)["races"]]


@case
def races_are_ranked_by_their_effects(box):
    """One of each kind: benign, another output, a deadlock or an abort."""
    prog = program(box, EFFECTS)
    for words, worst in [([], "deadlock"), (["x"], "abort")]:
        equal(run(box, 3, "--races", "--record", "r.mwo", "-f", prog, *words).returncode, DONE, "the record")
        equal(effects(box, "r.mwo"), ["other time", "other output", worst], "effects")
    done = box.run("races", "r.mwo", "--flip", "all")
    equal((done.returncode, [line.split()[0] for line in done.stdout.splitlines() if "came" in line]), (FOUND, ["3", "2", "1"]), "the worst first")
    equal("'0. is 2'" in done.stdout and "exit code 9" in done.stdout, True, "words")
    equal(box.run("races", "r.mwo", "--flip", "7").returncode, USAGE, "no such race")
    box.write("prog.c", HEAD + "    value = 7;\n" + TAIL)
    equal(box.run("mpicc", "-o", "prog", "prog.c").returncode, DONE, "mpicc")
    equal("of another program" in box.run("races", "r.mwo", "--flip", "all").stderr, True, "a changed program")


@case
def forks_come_out_as_whole_runs(box):
    """Each run begins as a fork before its receive; from the start it prints the same, byte by byte."""
    for name, body, ranks, hows in [("effects", EFFECTS, 3, [["--flip", "all"], ["--explore", "--json"]]),
                                    ("master", MASTER.replace("200", "4"), 3, [["--flip", "all", "--json"], ["--explore", "--runs", 6]])]:
        prog = program(box, body, name)
        equal(run(box, ranks, "--races", "--record", "r.mwo", "-f", prog).returncode, DONE, "the record")
        for how in hows:
            forked, whole = box.run("races", "r.mwo", *how), box.run("races", "r.mwo", *how, "--whole")
            equal((forked.returncode, forked.stdout, forked.stderr), (whole.returncode, whole.stdout, whole.stderr), f"{name} {how}")


@case
def all_orders_are_explored(box):
    prog = program(box, EFFECTS)
    equal(run(box, 3, "--races", "--record", "r.mwo", prog).returncode, DONE, "the record")
    found = json.loads(box.run("races", "r.mwo", "--explore", "--json").stdout)["exploration"]
    equal((found["complete"], found["orders"], sorted(kind["end"] for kind in found["kinds"])),
          (True, 8, ["ended", "ended", "standstill", "standstill"]), "three races of two messages")
    equal(box.run("races", "r.mwo", "--explore", "--runs", 3).returncode, BUDGET, "a budget")


@case
def probes_that_do_not_wait_leave_the_answer_open(box):
    prog = program(box, """    if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1, came = 0; rank == 0 && i < size; ++i, came = 0) {
        while (!came) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &came, &status);
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
""")
    done = run(box, 3, "--races", "--record", "r.mwo", prog)
    assert "MPI_Iprobe()" in done.stderr, done.stderr
    found = re.search(r"  rank 0: 2 of (\d+) calls of MPI_Iprobe\(\) succeeded; likely others could have\n", done.stderr)
    polls = json.loads(run(box, 3, "--races", "--json", prog).stdout)["polls"]
    equal(polls, [{"rank": 0, "function": "MPI_Iprobe()", "succeeded": 2, "calls": int(found[1]), "otherwise": "likely"}], "the polls")
    equal(box.run("races", "r.mwo").returncode, UNKNOWN, "no race of receives")
    done = box.run("races", "r.mwo", "--explore", "--json")
    equal((done.returncode, json.loads(done.stdout)["exploration"]["complete"]), (UNKNOWN, False), "all orders of receives")


@case
def a_limit_before_the_end_of_the_run_is_told(box):
    prog = program(box, """    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2) usleep(2000000);
    if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
""")
    run(box, 3, "--races", "--record", "r.mwo", prog)
    equal(effects(box, "r.mwo"), ["other time"], "with time enough")
    done = box.run("races", "r.mwo", "--flip", "all", "--limit", "1")
    equal((done.returncode, "does not come out as" in done.stderr), (UNKNOWN, True), done.stderr)


# The sender's end tells it of the match: what is sent then cannot be another's. Rank 0 has begun its receive, or begins it later;
# the message is short or waits for its receive by its length; the receive ends before or after another one that was begun later.
ORDERED = ["""    if (rank == 0) MPI_Recv(values, 2000, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (rank == 0) MPI_Recv(values, 2000, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (rank == 1) FIRST;
""", """    if (rank == 0) MPI_Irecv(values, 2000, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    if (rank == 0) MPI_Recv(values, 2000, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (rank == 0) MPI_Wait(&request, &status);
    if (rank == 1) FIRST;
"""]
THEN = """    if (rank == 1) MPI_Send(values, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (rank == 2) MPI_Recv(values, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status);
    if (rank == 2) MPI_Send(values, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
"""


@case
def a_send_that_waits_orders_what_follows(box):
    for body in ORDERED:
        for first, races in [("MPI_Ssend(values, 1, MPI_INT, 0, 0, MPI_COMM_WORLD)", False),
                             ("MPI_Send(values, 2000, MPI_INT, 0, 0, MPI_COMM_WORLD)", False),
                             ("MPI_Send(values, 1, MPI_INT, 0, 0, MPI_COMM_WORLD)", True)]:
            prog = program(box, "    static int values[2000];\n    MPI_Request request;\n    (void)request;\n" + body.replace("FIRST", first) + THEN)
            for stamps in ["full", "changed"]:
                done = run(box, 3, "--races", "--stamps", stamps, prog)
                equal((done.returncode, "no receive could" in done.stderr), (DONE, not races), f"{first}: {done.stderr}")


@case
def a_later_receive_tells_of_an_earlier_one(box):
    """A message that the second receive took could not have come before that of the first, which was begun earlier."""
    prog = program(box, """    MPI_Request requests[2];
    int values[2];
    if (rank == 0) {
        MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    } else if (rank == 1) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
""")
    equal(run(box, 3, "--races", prog).stderr, "races: no receive could have taken another message\n", "words")


@case
def all_sources_of_a_receive_are_named(box):
    prog = program(box, """    for (int i = 1; rank == 0 && i < size; ++i) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
    if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
""")
    races = json.loads(run(box, 14, "--races", "--json", prog).stdout)["races"]
    equal(sorted([races[0]["source"], *races[0]["others"]]), list(range(1, 14)), "thirteen could have come first")


@case
def a_run_without_buffers_is_flipped_without_them(box):
    """With buffers rank 1 would not wait, and nothing would stand still."""
    prog = program(box, """    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        if (status.MPI_SOURCE == 2) MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        if (status.MPI_SOURCE == 2) MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        if (rank == 2) usleep(20000);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
    }
""")
    for words, effect in [([], "other time"), (["--no-buffering", "--no-checks"], "deadlock")]:
        equal(run(box, 3, "--races", "--record", "r.mwo", "-f", *words, prog).returncode, DONE, "the record")
        equal("buffering off\nchecks off\n" in box.read("r.mwo"), bool(words), "the header")
        equal(effects(box, "r.mwo"), [effect], f"with {words}")


@case
def orders_of_other_machines_are_among_the_explored(box):
    """The exact rule misses no race: whatever order another machine has, flips lead to it. And no flip is impossible."""
    prog = replay_program(box, "small_program")
    kinds = 0
    for seed in range(1, 5):
        equal(run(box, 3, "--races", "--record", "r.mwo", "-f", prog, seed).returncode, DONE, "the record")
        equal("impossible" in effects(box, "r.mwo"), False, f"seed {seed}: a false race")
        found = json.loads(box.run("races", "r.mwo", "--explore", "--json", "--runs", 300).stdout)["exploration"]
        equal(found["complete"], True, f"seed {seed}: all orders")
        kinds += len(found["kinds"])
        outputs = [kind["output"] for kind in found["kinds"]]
        for other in [*OTHERS[::2], ["--machine", "chain:2", "--map", "slot"]]: # with short messages that are buffered, too
            done = run(box, 3, *other, prog, seed)
            equal("".join(f"{line}\n" for line in sorted(done.stdout.splitlines())) in outputs, True, f"seed {seed} on {other}")
    equal(kinds > 8, True, f"{kinds} different results")


if __name__ == "__main__":
    sys.exit(main(__doc__))
