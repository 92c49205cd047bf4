#!/usr/bin/env python3
"""record of a scenario, evaluate, line and replay as a user runs them.

    checkpoints_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import json
import re
import sys

from cli_cases import BAD_INPUT, BUDGET, DONE, SELF_CHECK, UNKNOWN, USAGE, case, equal, main

# Two workers race for the master, which polls, reads its clock and sends synchronously; rank 3 gets a long message.
PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    const int turns = argc > 1 ? atoi(argv[1]) : 20;
    static int big[4000];
    int rank, flag;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < turns; ++i) {
        if (rank == 0) {
            for (int from = 0; from < 2; ++from) {
                int value = 0;
                MPI_Status status;
                do MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &status); while (!flag);
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
                sum = sum * 3 + value + (MPI_Wtime() > 1e6);
                MPI_Ssend(&sum, 1, MPI_DOUBLE, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
            }
            MPI_Send(big, 4000, MPI_INT, 3, 3, MPI_COMM_WORLD);
        } else if (rank < 3) {
            const int value = rank * 100 + i;
            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&sum, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(big, 4000, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    printf("rank %d has %g\\n", rank, sum);
    MPI_Finalize();
    return 0;
}
"""
SCENARIO = """version: 1
name: race
machine: mesh:2x2
application: {mpi: ./prog, np: 4, args: [20]}
"""


def recorded(box, *words):
    box.write("prog.c", PROGRAM)
    box.write("race.yaml", SCENARIO)
    equal(box.run("mpicc", "-O1", "-g", "-o", "prog", "prog.c").returncode, DONE, "mpicc")
    done = box.run("record", "race.yaml", "--interval", "20ms", "--out", "rec", *words)
    equal((done.returncode, done.stderr), (DONE, ""), "record")
    equal(len(done.stdout.splitlines()), 4, "lines of the ranks")
    return done


def as_json(done, code=DONE):
    equal(done.returncode, code, done.stderr or "exit code")
    return json.loads(done.stdout)


@case
def a_run_is_evaluated_by_each_method(box):
    recorded(box)
    its = as_json(box.run("evaluate", "rec", "--json"))
    equal((its["processes"], its["whole"], its["checkpoints"]), (4, True, "interrupt"), "the run")
    methods = {row["method"]: row for row in its["methods"]}
    equal(methods["all"]["logged"], its["messages"], "messages of the method that logs all")
    for row in its["methods"]:
        if row["method"] != "all":
            equal(row["rule_1"] + row["rule_2"] + row["rule_3"], row["logged"], "sum of the rules")
    assert methods["mrt"]["logged"] <= methods["mrt"]["on_the_fly"]["logged"], methods["mrt"]
    equal(methods["consistent"]["logged"], methods["consistent"]["rule_1"], "lines without orphans log rule 1 alone")
    assert its["answers"] > 0, "synchronous and long sends have answers"
    other = as_json(box.run("evaluate", "rec", "--json", "--interval", "5ms", "--checkpoints", "clock", "--rule3", "arrival"))
    assert other["checkpoints_taken"] > its["checkpoints_taken"], other
    tiny = box.run("evaluate", "rec", "--interval", "0.001us")
    equal((tiny.returncode, "give a longer --interval" in tiny.stderr), (BAD_INPUT, True), tiny.stderr)
    text = box.run("evaluate", "rec").stdout
    assert re.search(r"^mrt +\d+ ", text, re.M) and "T is" in text, text


@case
def a_line_is_one_step_back_at_most(box):
    recorded(box)
    whole = as_json(box.run("line", "rec", "--at", "P0=1", "--json"))
    events = [row["events"] for row in whole["processes"]]
    for part in (4, 2, 1):
        its = as_json(box.run("line", "rec", "--causal", f"P0={events[0] // part}", "--json"))
        assert all(row["back"] <= 1 for row in its["processes"]), its
        assert its["predicted_ns"] <= its["bound_ns"] and its["distance_ns"] <= 2 * its["longest_interval_ns"], its
        equal(as_json(box.run("line", "rec", "--at", its["at"], "--json"))["distance_ns"], its["distance_ns"], "the same set by --at")
    by_line = as_json(box.run("line", "rec", "--at", "P1=prog.c:25#5", "--json"))
    equal(by_line["processes"][1]["line"], "prog.c:25", "the line of the fifth receive or its relatives")
    text = box.run("line", "rec", "--causal", "P0=9")
    assert "magicwire replay rec --at P0=9," in text.stdout, text.stdout


@case
def a_set_that_depends_on_itself_is_refused(box):
    recorded(box)
    late = as_json(box.run("line", "rec", "--causal", "P1=30", "--json"))["at"]
    needs = int(re.match(r"P0=(\d+)", late)[1])
    done = box.run("line", "rec", "--at", f"P0={needs - 1},P1=30")
    equal(done.returncode, BAD_INPUT, "exit code")
    for words in ("P1 cannot be at its breakpoint when P0 is at its own", f"event P0={needs}", "The nearest set that can be is P0="):
        assert words in done.stderr, done.stderr
    nearest = re.search(r"can be is (\S+)", done.stderr)[1]
    equal(box.run("line", "rec", "--at", nearest).returncode, DONE, "the nearest set")
    for wrong in ("P9=1", "P0", "0=1", "P0=999999", "P0=none.c:1", "P0=1,P0=2", "P0=prog.c:27#0", "P0=7h", "P0=900s"):
        equal(box.run("line", "rec", "--at", wrong).returncode, USAGE, wrong)
    equal(box.run("line", "rec").returncode, USAGE, "no breakpoint")
    equal(box.run("line", "none", "--at", "P0=1").returncode, BAD_INPUT, "no folder")


@case
def a_replay_stops_where_it_shall_on_other_machines(box):
    recorded(box)
    at = as_json(box.run("line", "rec", "--causal", "P0=100", "--json"))["at"]
    hashes = None
    for words in ([], ["--seed", "9"], ["--set", "link.data_packet=22"], ["--set", "mpi.call=9000"]):
        its = as_json(box.run("replay", "rec", "--at", at, "--json", *words))
        assert all(row["reached"] and row["hash"] == row["recorded_hash"] and row["event"] == row["breakpoint"] for row in its["processes"]), its
        hashes = hashes or [row["hash"] for row in its["processes"]]
        equal([row["hash"] for row in its["processes"]], hashes, "hashes of events and contents")
    text = box.run("replay", "rec", "--causal", "P3=7")
    equal(text.returncode, DONE, text.stderr)
    assert "as recorded" in text.stdout and "bound" in text.stdout, text.stdout


def at_breakpoints(its):
    for row in its["processes"]:
        assert row["reached"] and row["hash"] == row["recorded_hash"] and row["event"] == row["breakpoint"], its


@case
def a_replay_begins_from_images(box):
    recorded(box)
    kept = as_json(box.run("record", "--again", "rec", "--json"))
    assert kept["images"] > 4 and kept["missing_images"] == 0 and kept["logged_packets"] > 0 and not kept["divergence"], kept
    whole = as_json(box.run("line", "rec", "--at", "P0=1", "--json"))
    events = [row["events"] for row in whole["processes"]]
    begins = set()
    for part in (0.3, 0.6, 0.9):
        for rank in range(4):
            for words in ([], ["--seed", "9", "--set", "link.data_packet=22"]):
                done = box.run("replay", "rec", "--causal", f"P{rank}={int(events[rank] * part)}", "--json", *words)
                its = as_json(done)
                at_breakpoints(its)
                equal((its["begins_at"], done.stderr), ("line", ""), "a later command takes the images")
                assert all(row["begins_behind"] <= row["breakpoint"] for row in its["processes"]), its
                begins.update(row["begins_behind"] for row in its["processes"])
                assert its["took_ns"] <= its["bound_ns"] + 20_000_000, its
    assert len(begins) > 8, begins
    two_steps = as_json(box.run("replay", "rec", "--causal", "P0=120", "--json", "--seed", "7"))
    assert two_steps["compared_memories"] > 0 and not two_steps["memory_differences"], two_steps
    start = as_json(box.run("replay", "rec", "--causal", f"P0={events[0] // 2}", "--json", "--from-start"))
    at_breakpoints(start)
    equal((start["begins_at"], start["why_not_line"]), ("start", "--from-start"), "from the start")


# Globals of classes, pointers into the own stack, pointers to functions, a line that is half printed, static arrays, recursion.
CLASSES = """#include <mpi.h>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() = default; virtual double size() const = 0; };
struct Square : Shape { double side; explicit Square(double s) : side(s) {} double size() const override { return side * side; } };
std::map<std::string, std::vector<int>> table;
std::vector<std::unique_ptr<Shape>> shapes;
static double large[300000];
thread_local int calls = 0;
static int twice(int value) { return 2 * value; }
int (*function)(int) = twice;
static void turn(int depth, int rank, int size, int* on_stack, int i) {
    int own = depth;
    int* next = &own;
    if (depth > 0) return turn(depth - 1, rank, size, next, i);
    int from = (rank + size - 1) % size, to = (rank + 1) % size, value = function(*on_stack) + i, got = 0;
    MPI_Sendrecv(&value, 1, MPI_INT, to, 1, &got, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    table["turn" + std::to_string(i % 7)].push_back(got);
    shapes.push_back(std::make_unique<Square>(got));
    large[(i * 977) % 300000] += shapes.back()->size();
    ++calls;
}
int main(int argc, char** argv) {
    int rank, size, start = 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::function<void(int)> step = [&](int i) { turn(5, rank, size, &start, i); };
    std::printf("rank %d begins, ", rank);
    for (int i = 0; i < 60; ++i) {
        try { step(i); if (i % 9 == 8) throw i; } catch (int thrown) { large[thrown] += 1; }
    }
    double sum = 0;
    for (const auto& [name, values] : table) for (int value : values) sum += value * (name.back() - '0' + 1);
    for (double value : large) sum += value;
    MPI_Barrier(MPI_COMM_WORLD);
    std::printf("has %g after %d calls\\n", sum, calls);
    MPI_Finalize();
}
"""


@case
def programs_with_classes_go_on_from_images(box):
    box.write("prog.cpp", CLASSES)
    box.write("race.yaml", SCENARIO.replace(", args: [20]", ""))
    built = box.run("mpicxx", "-O2", "-g", "-o", "prog", "prog.cpp")
    equal(built.returncode, DONE, built.stderr)
    done = box.run("record", "race.yaml", "--interval", "10ms", "--out", "rec")  # the last checkpoint lies before the barrier
    lines = sorted(done.stdout.splitlines())
    equal((done.returncode, len(lines)), (DONE, 4), done.stderr)
    kept = as_json(box.run("record", "--again", "rec", "--json"))
    equal((kept["missing_images"], kept["divergence"]), (0, ""), "images")
    events = [row["events"] for row in as_json(box.run("line", "rec", "--at", "P0=1", "--json"))["processes"]]
    for rank in range(4):
        for event in (events[rank] // 3, events[rank] - 4):
            its = as_json(box.run("replay", "rec", "--causal", f"P{rank}={event}", "--json", "--seed", str(event)))
            at_breakpoints(its)
            equal((its["begins_at"], its["memory_differences"]), ("line", ""), "images and memory")
    ends = ",".join(f"P{rank}={count}" for rank, count in enumerate(events))
    last = box.run("replay", "rec", "--at", ends)
    equal(last.returncode, DONE, last.stderr)
    equal(sorted(line for line in last.stdout.splitlines() if line.startswith("rank ")), lines, "lines that ranks had half printed")


@case
def some_processes_are_replayed_alone(box):
    recorded(box)
    equal(box.run("record", "--again", "rec").returncode, DONE, "record --again")
    first = box.run("replay", "rec", "--causal", "P0=150", "--only", "P0", "--json")
    assert "has not all packets" in first.stderr, first.stderr
    for words, runs in (("P0", [0]), ("P1,P3", [1, 3]), ("P2,P0,P1", [0, 1, 2])):
        done = box.run("replay", "rec", "--causal", "P0=150", "--only", words, "--json", "--seed", "5")
        its = as_json(done)
        equal((done.stderr, [n for n, row in enumerate(its["processes"]) if row["runs"]], its["begins_at"]), ("", runs, "line"), words)
        for row in (row for row in its["processes"] if row["runs"]):
            assert row["reached"] and row["hash"] == row["recorded_hash"] and row["event"] == row["breakpoint"], its
        equal(its["memory_differences"], "", "memory")
    at_breakpoints(as_json(box.run("replay", "rec", "--causal", "P0=150", "--json")))
    for wrong in ("P9", "1", "P0,", "Px"):
        equal(box.run("replay", "rec", "--causal", "P0=150", "--only", wrong).returncode, USAGE, wrong)
    equal(box.run("replay", "rec", "--causal", "P0=150", "--only", "P0", "--from-start").returncode, USAGE, "without images")


@case
def images_that_do_not_do_are_made_anew(box):
    recorded(box)
    done = box.run("replay", "rec", "--causal", "P0=90", "--json")
    at_breakpoints(as_json(done))
    assert "the run is made again for images" in done.stderr and "images of" in done.stderr, done.stderr
    images = sorted((box.folder / "rec" / "images").iterdir())
    for damage in ("middle", "cut", "moved"):
        data = {path: path.read_bytes() for path in images}
        for number, path in enumerate(images):
            whole = data[path]
            flipped = whole[:len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 1]) + whole[len(whole) // 2 + 1:]
            path.write_bytes({"middle": flipped, "cut": whole[:-1], "moved": data[images[(number + 1) % len(images)]]}[damage])
        done = box.run("replay", "rec", "--causal", "P0=90", "--json")
        at_breakpoints(as_json(done))
        assert "the run is made again for images" in done.stderr, done.stderr
        equal(box.run("replay", "rec", "--causal", "P0=90", "--json").stderr, "", "whole images afterwards")
    for path, damage in ((images[0], b""), (images[-1], None), (box.folder / "rec" / "messages.mwm", b"MWM1")):
        data = path.read_bytes()
        path.write_bytes(data[:len(data) // 2] if damage is None else damage)
        for where in ("P0=90", "P3=60"):
            at_breakpoints(as_json(box.run("replay", "rec", "--causal", where, "--json")))
    for words in (("record", "--again", "rec"), ("replay", "rec", "--causal", "P0=90", "--from-start")):
        done = box.run(*words, "--limit", "0.3")
        equal((done.returncode, "raise --limit" in done.stderr), (BUDGET, True), done.stderr)
    equal(box.run("replay", "rec", "--causal", "P0=90").stderr, "", "the images are there still")
    equal(box.run("record", "--again", "none").returncode, BAD_INPUT, "no folder")
    equal(box.run("record", "--again", "rec", "race.yaml").returncode, USAGE, "a scenario beside it")
    equal(box.run("record", "--again", "rec", "--interval", "1ms").returncode, USAGE, "a plan beside it")
    costs = as_json(box.run("replay", "rec", "--causal", "P0=120", "--json", "--set", "mpi.call=9000"))
    equal((costs["begins_at"], costs["memory_differences"]), ("line", ""), "costs are no part of the memory")
    equal(box.run("record", "race.yaml").returncode, USAGE, "no --out")


@case
def a_rank_with_an_open_file_has_no_image(box):
    box.write("prog.c", PROGRAM.replace("MPI_Init(&argc, &argv);", "FILE* file = fopen(\"out.txt\", \"w\"); MPI_Init(&argc, &argv);")
              .replace("MPI_Finalize();", "fclose(file); MPI_Finalize();"))
    box.write("race.yaml", SCENARIO.replace("application", "files: .\napplication"))
    equal(box.run("mpicc", "-O1", "-g", "-o", "prog", "prog.c").returncode, DONE, "mpicc")
    equal(box.run("record", "race.yaml", "--interval", "20ms", "--out", "rec").returncode, DONE, "record")
    done = box.run("replay", "rec", "--causal", "P0=90", "--json")
    its = as_json(done)
    at_breakpoints(its)
    equal(its["begins_at"], "start", "where it begins")
    assert "it has files open" in done.stderr, done.stderr


@case
def a_replay_of_something_else_is_told(box):
    recorded(box)
    box.write("prog.c", PROGRAM.replace("rank * 100", "rank * 101"))
    equal(box.run("mpicc", "-O1", "-g", "-o", "prog", "prog.c").returncode, DONE, "mpicc")
    done = box.run("replay", "rec", "--causal", "P0=50")
    equal(done.returncode, BAD_INPUT, "another build")
    assert "another build" in done.stderr, done.stderr
    box.write("prog.c", PROGRAM)
    equal(box.run("mpicc", "-O1", "-g", "-o", "prog", "prog.c").returncode, DONE, "mpicc")
    done = box.run("replay", "rec", "--causal", "P0=50", "--set", "mpi.short=0")
    equal(done.returncode, SELF_CHECK, "packets of another form")
    assert "diverges at event" in done.stderr and "the record has" in done.stderr, done.stderr


@case
def a_record_that_was_cut_off_holds_to_its_last_block(box):
    recorded(box)
    path = box.folder / "rec" / "events.mwr"
    data = path.read_bytes()
    codes = set()
    for cut in range(len(data) - 1, 200, -max(1, len(data) // 40)):
        path.write_bytes(data[:cut])
        done = box.run("evaluate", "rec", "--json")
        assert done.returncode in (UNKNOWN, BAD_INPUT), (cut, done)
        codes.add(done.returncode)
        if done.returncode == UNKNOWN:
            assert not json.loads(done.stdout)["whole"] and "it holds to" in done.stderr, done
    assert UNKNOWN in codes, codes
    path.write_bytes(data[:len(data) * 3 // 4])
    for words in (("line", "rec", "--causal", "P0=40"), ("replay", "rec", "--at", "P0=40")):
        done = box.run(*words)
        equal((done.returncode, "name an earlier one" in done.stderr), (UNKNOWN, True), done.stderr)
    broken = bytearray(data)
    broken[len(data) // 2] ^= 1
    path.write_bytes(bytes(broken))
    done = box.run("evaluate", "rec")
    equal(done.returncode, BAD_INPUT, "damage in the middle")
    path.write_bytes(b"MWR1\x09\0\0\0" + data[8:])
    assert "version 9" in box.run("evaluate", "rec").stderr
    path.write_bytes(data)
    plan = path.parent / "plan.json"
    plan.write_text(plan.read_text().replace("20000000", "20000001"))
    equal(box.run("evaluate", "rec").returncode, BAD_INPUT, "a changed plan")
    equal(box.run("evaluate", "rec", "--interval", "1s", "--checkpoints", "time").returncode, DONE, "without the plan")


@case
def a_folder_is_not_replaced_by_mistake(box):
    recorded(box)
    equal(box.run("record", "race.yaml", "--out", "rec").returncode, BAD_INPUT, "it exists")
    recorded(box, "-f")
    (box.folder / "other").mkdir()
    box.write("other/file.txt", "mine\n")
    equal(box.run("record", "race.yaml", "--out", "other", "-f").returncode, BAD_INPUT, "something else")
    box.write("watched.yaml", SCENARIO + "monitor: {unload: [[1000s, 8, 32]]}\n")
    done = box.run("record", "watched.yaml", "--out", "new")
    equal(done.returncode, BAD_INPUT, "a monitor")
    assert "monitor" in done.stderr, done.stderr
    equal(box.run("record", "race.yaml", "--interval", "2", "--out", "new").returncode, USAGE, "a time without a unit")


if __name__ == "__main__":
    sys.exit(main(__doc__))
