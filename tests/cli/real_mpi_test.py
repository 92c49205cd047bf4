#!/usr/bin/env python3
"""record, replay and races of programs under Open MPI and MPICH, as a user runs them.

    real_mpi_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py. A case runs under each MPI that is installed; without any it says so and passes.
scripts/real_mpi_campaign has the long form.
"""
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

from cli_cases import BAD_INPUT, BUDGET, DONE, FOUND, SELF_CHECK, UNKNOWN, USAGE, case, equal, long, main

MPIS = [mpi for mpi in ("openmpi", "mpich") if shutil.which(f"mpicc.{mpi}") and shutil.which(f"mpirun.{mpi}")]
# Open MPI wants to be told that root may run it, and more ranks than cores.
os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"})

HEAD = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int rank, size;
static void jitter(void) {
    const char* most = getenv("JITTER");
    static unsigned seed;
    if (most == NULL) return;
    if (seed == 0) seed = (unsigned)getpid() * 2654435761u + (unsigned)(MPI_Wtime() * 1e6);
    seed = seed * 1103515245u + 12345u;
    usleep((seed >> 8) % (unsigned)atoi(most));
}
int main(int argc, char** argv) {
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
"""
TAIL = "    MPI_Finalize();\n    return 0;\n}\n"

# Work for whoever asks, in rounds with a barrier; probes, tests and MPI_Waitany() with it.
FARM = """
    int value = 0, flag = 0;
    for (int round = 0; round < 3; ++round) {
        if (rank == 0) {
            MPI_Request all[8];
            int got[8], index;
            for (int i = 0; i < 4 * (size - 1); ++i) {
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
                printf("%d", status.MPI_SOURCE);
                MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
            }
            for (int i = 0; i < size - 1; ++i) MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &all[i]);
            for (int i = 0; i < size - 1; ++i) {
                MPI_Waitany(size - 1, all, &index, &status);
                printf(" %d:%d", index, status.MPI_SOURCE);
            }
            int failed = 0;
            for (int i = 0; i < size - 1; ++i) {
                for (flag = 0; !flag; failed += !flag) {
                    MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &flag, &status);
                    if (!flag) usleep(200);
                }
                MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 3, MPI_COMM_WORLD, &status);
                printf(" %d/%d", status.MPI_SOURCE, failed);
            }
            MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &all[0]);
            for (flag = failed = 0; !flag; failed += !flag) {
                MPI_Test(&all[0], &flag, &status);
                if (!flag) usleep(200);
            }
            printf(" %d/%d\\n", status.MPI_SOURCE, failed);
            for (int i = 1; i < size - 1; ++i) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
        } else {
            for (int i = 0; i < 4; ++i) {
                jitter();
                MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
                MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
            }
            for (int tag = 2; tag <= 4; ++tag) {
                jitter();
                MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
"""


def each_mpi(function):
    """Runs a case under each MPI."""
    def run(box):
        if not MPIS:
            print("no MPI is installed (openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev), so nothing is tested")
        for mpi in MPIS:
            try:
                function(box, mpi)
            except AssertionError as error:
                raise AssertionError(f"{mpi}: {error}") from error
    run.__name__, run.__doc__ = function.__name__, function.__doc__
    return case(run)


def build(box, mpi, body, name="prog", whole=False):
    """./NAME_MPI; `model` is the modelled machine."""
    box.write(f"{name}.c", body if whole else HEAD + body + TAIL)
    compiler = [box.magicwire, "mpicc"] if mpi == "model" else [f"mpicc.{mpi}"]
    subprocess.run([*compiler, "-w", "-o", f"{name}_{mpi}", f"{name}.c", "-lm"], cwd=box.folder, check=True)
    return f"./{name}_{mpi}"


def under(box, command, mpi, *words, np=4, options=(), jitter=None):
    """magicwire COMMAND OPTIONS -- mpirun -np NP WORDS"""
    environment = {**os.environ, **({"JITTER": str(jitter)} if jitter else {})}
    return box.run(*command, *options, "--", f"mpirun.{mpi}", "-np", np, *words, env=environment)


def record(box, mpi, *words, out="rec", **more):
    return under(box, ["record", "--out", out, "-f"], mpi, *words, **more)


def replay(box, mpi, *words, of="rec", **more):
    return under(box, ["replay", of], mpi, *words, **more)


def good(done):
    equal((done.returncode, done.stderr), (DONE, ""), "exit code and errors")
    return done.stdout


def events(box, name):
    behind = box.read(name).split("begin\n")[1].splitlines()
    return [line for line in behind if " end" not in line and " upto" not in line and not line.startswith("end")]


@each_mpi
def replays_come_out_alike_under_jitter(box, mpi):
    farm = build(box, mpi, FARM)
    wanted = good(record(box, mpi, farm, jitter=5000))
    equal(len(wanted.splitlines()), 3, "lines")
    for jitter in (2000, 9000, None):
        equal(good(replay(box, mpi, farm, jitter=jitter)), wanted, f"output with a jitter of {jitter}")
    good(replay(box, mpi, farm, options=["--out", "again", "-f"], jitter=9000))
    equal(events(box, "again/order.mwo"), [line for line in events(box, "rec/order.mwo")], "what the replay has recorded")


@case
def a_record_of_one_mpi_is_replayed_by_the_others(box):
    builds = {mpi: build(box, mpi, FARM) for mpi in [*MPIS, "model"]}
    for mpi in MPIS:
        wanted = good(record(box, mpi, builds[mpi], jitter=4000))
        for other in MPIS:
            if other != mpi:
                equal(good(replay(box, other, builds[other], options=["--other-build"], jitter=4000)), wanted, f"{mpi} repeated under {other}")
        done = box.run("mpirun", "-np", 4, "--replay", "rec/order.mwo", "--other-build", builds["model"])
        equal(good(done), wanted, f"{mpi} repeated on the model")
    wanted = good(box.run("mpirun", "-np", 4, "--record", "model.mwo", "-f", builds["model"]))
    for mpi in MPIS:
        equal(good(replay(box, mpi, builds[mpi], of="model.mwo", options=["--other-build"], jitter=4000)), wanted, f"the model's under {mpi}")


@each_mpi
def other_runs_are_refused(box, mpi):
    farm, other = build(box, mpi, FARM), build(box, mpi, "    puts(\"other\");\n", "other")
    good(record(box, mpi, farm, "5"))
    for words, difference in [((farm, "6"), "it was recorded with '5' as argument 1, and this run has '6'"),
                              ((farm,), "it was recorded with 1 arguments, and this run has 0: '5' is missing"),
                              ((other, "5"), "it was recorded of another program: the hash of")]:
        done = replay(box, mpi, *words)
        equal((done.returncode, done.stdout), (BAD_INPUT, ""), f"exit code and output of {words}")
        assert difference in done.stderr, done.stderr
    done = replay(box, mpi, farm, "5", np=3)
    equal((done.returncode, "with 4 ranks, and this run has 3" in done.stderr), (BAD_INPUT, True), f"other ranks: {done.stderr}")


@each_mpi
def the_first_divergence_is_told(box, mpi):
    body = """    int value = 0, first = argc > 1;
    if (getenv("OTHER") != NULL) first = 2;
    for (int i = 0; rank == 0 && i < 2 * (size - 1); ++i)
        MPI_Recv(&value, 1, MPI_INT, i == 3 && first == 2 ? 1 : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    for (int i = 0; rank != 0 && i < 2; ++i) {
        usleep(rank == 2 ? 0 : 100000);
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
"""
    prog = build(box, mpi, body)
    good(record(box, mpi, prog, np=3))
    wanted = re.findall(r"^r0 recv 4 from (\d)|^r0 recv (\d)\.\.(\d) from (\d)", box.read("rec/order.mwo"), re.MULTILINE)
    assert wanted, box.read("rec/order.mwo")
    os.environ["OTHER"] = "1"
    try:
        done = replay(box, mpi, prog, np=3)
    finally:
        del os.environ["OTHER"]
    told = [line for line in done.stderr.splitlines() if line.startswith("magicwire: ")]
    if done.returncode == DONE:  # the fourth message was of rank 1
        equal(told, [], "errors")
    else:
        equal((done.returncode, told), (SELF_CHECK, ["magicwire: rank 0 does not repeat 'rec': at recv 4 it had a message of rank 2, and now the "
                                                     "program names rank 1"]), "the divergence")


@each_mpi
def messages_are_sorted_and_races_found(box, mpi):
    body = """    int value = 0;
    if (rank == 0) for (int i = 0; i < size - 1; ++i) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    if (rank != 0) { usleep(50000u * rank); MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD); }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    if (rank == 2) MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    if (rank == 3) MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
"""
    good(record(box, mpi, build(box, mpi, body)))
    # Barriers order the messages behind them, so only the first two receives race, and the second with rank 3 alone.
    equal(events(box, "rec/order.mwo"), ["r0 recv 1 from 1 or 2,3", "r0 recv 2 from 2 or 3"], "the record")
    races = box.run("races", "rec")
    equal((races.returncode, races.stdout.splitlines()[0]), (FOUND, "3 races"), "races")
    flipped = box.run("races", "rec", "--flip", "all")
    equal((flipped.returncode, "recorded under a real MPI" in flipped.stderr), (BAD_INPUT, True), "a flip")
    done = box.run("sort", "rec/trace.mwt", "--to", "jsonl", "-o", "-")
    equal(done.returncode, DONE, f"sort: {done.stderr}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [line.get("kind") for line in lines]
    equal((kinds.count("send-call"), kinds.count("partner"), kinds.count("message-receive")), (5, 5, 5), f"records: {sorted(map(str, set(kinds)))}")


@each_mpi
def a_program_without_races_records_nothing(box, mpi):
    body = """    int value = 0;
    for (int i = 0; i < 5; ++i)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, i, &value, 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, &status);
    for (int i = 0; i < 3 && size > 1; ++i) { /* one sender only */
        if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status);
        if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    }
"""
    good(record(box, mpi, build(box, mpi, body)))
    equal(events(box, "rec/order.mwo"), [], "the record")
    races = box.run("races", "rec")
    equal((races.returncode, races.stdout), (DONE, "no races\n"), "races")


# Rank 0 receives from any source. Rank 1 orders the message of rank 2 behind its own, in a way that the clocks do not have.
ORDERED = """    int value = 0;
    if (rank == 0) for (int i = 0; i < 2; ++i) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (rank == 1) FIRST;
    if (rank == 1) MPI_Send(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    if (rank == 2) MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &status);
    if (rank == 2) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
"""
LATER = """    MPI_Request all[2];
    int value = 0, got[2];
    for (int i = 0; rank == 0 && i < 2; ++i) MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &all[i]);
    if (rank == 0) MPI_Wait(&all[1], &status);
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    if (rank == 0) MPI_Wait(&all[0], &status);
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    for (int i = 0; rank == 1 && i < 2; ++i) MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 2) MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
    if (rank == 2) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
"""
NEIGHBOURS = """    MPI_Comm line;
    int value = 0, no = 0, got[2] = {0, 0}, counts[2] = {1, 1}, places[2] = {0, 1}, two[2] = {rank, rank};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &no, 0, &line);
    MPI_Neighbor_alltoallv(two, counts, places, MPI_INT, got, counts, places, MPI_INT, line);
    if (got[rank == 0] != (rank == 0 ? 1 : rank - 1)) MPI_Abort(MPI_COMM_WORLD, 3); /* the stub hands all arguments on */
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&line);
"""
BOTH = """    MPI_Request both;
    int value = -1;
    MPI_Isendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 7, &value, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &both);
    MPI_Wait(&both, &status);
    if (value != (rank + size - 1) % size) MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
"""


@each_mpi
def what_the_clocks_do_not_have_is_never_certain(box, mpi):
    doubts = [(ORDERED.replace("FIRST", "MPI_Ssend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD)"), "the end of a synchronous send"),
              (LATER, "the end of a receive tells"), (NEIGHBOURS, "collective operations of neighbours")]
    for number, (body, words) in enumerate(doubts + ([(BOTH, "functions of MPI-4")] if mpi == "mpich" else [])):
        done = record(box, mpi, build(box, mpi, body, f"doubt{number}"), np=3, out=f"doubt{number}")
        equal((done.returncode, words in done.stderr), (DONE, True), f"{words}: {done.stderr}")
        races = box.run("races", f"doubt{number}")
        equal((races.returncode, words in races.stdout + races.stderr), (UNKNOWN, True), f"{words}: {races.stdout} {races.stderr}")
    # A send in standard mode may be buffered: then it orders nothing, and the race is there.
    body = ORDERED.replace("FIRST", "MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD)")
    good(record(box, mpi, build(box, mpi, body, "race"), np=3, out="race"))
    equal(box.run("races", "race").returncode, FOUND, "a race")


ENDLESS = """    int value = 0;
    for (int i = 0;; ++i) {
        if (rank == 0) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            if (i < 200) { printf("%d", status.MPI_SOURCE); if (i % 50 == 49) printf("\\n"); }
            if (i == 200) fflush(stdout);
            MPI_Send(&i, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
            if (i == 400 && argc > 1) END;
        } else {
            jitter();
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
        }
    }
"""


def same_beginning(box, mpi, prog, wanted, *words):
    """A replay of a record that was cut off begins alike."""
    again = replay(box, mpi, prog, *words, np=3, options=["--limit", "12"], jitter=800)
    equal(again.stdout.splitlines()[:4], wanted.splitlines()[:4], f"the beginning of the replay ({again.stderr})")


def wait_for_receives(box, least):
    """Until rank 0 has begun so many: their counter lies in the head of its file."""
    for _ in range(600):
        time.sleep(0.1)
        try:
            head = (box.folder / "rec/ranks/0.rank").read_bytes()[:64]
        except OSError:
            continue
        if len(head) == 64 and struct.unpack_from("<i", head, 48)[0] >= least:
            return
    raise AssertionError("rank 0 makes no progress")


@each_mpi
@long
def kill_9_of_a_rank_or_of_mpirun_loses_nothing(box, mpi):
    prog = build(box, mpi, ENDLESS.replace("END", "break"), "endless")
    for which in ("rank", "mpirun"):
        process = subprocess.Popen([box.magicwire, "record", "--out", "rec", "-f", "--", f"mpirun.{mpi}", "-np", "3", prog], cwd=box.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "JITTER": "500"})
        wait_for_receives(box, 300)
        # A rank, or the child of magicwire.
        children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
        ranks = [pid for pid in subprocess.run(["pgrep", "-f", prog], capture_output=True, text=True).stdout.split()
                 if os.path.realpath(f"/proc/{pid}/exe") == str((box.folder / prog).resolve())]
        assert children and len(ranks) == 3, f"{children}, {ranks}"
        os.kill(int(ranks[1] if which == "rank" else children[0]), signal.SIGKILL)
        out, errors = process.communicate(timeout=40)
        assert process.returncode != DONE, errors
        for pid in ranks:
            line = Path(f"/proc/{pid}/cmdline")  # empty when nobody has asked for its end yet
            assert not line.exists() or line.read_bytes() == b"", f"rank {pid} is still there after a kill of the {which}"
        text = box.read("rec/order.mwo")
        assert "r0 recv 1" in text and "r0 upto recv " in text, text[:2000]
        equal(text.splitlines()[-1].startswith("end"), which == "rank", f"the end after a kill of the {which}")
        assert int(re.search(r"r0 upto recv (\d+)", text)[1]) >= 200, text[-300:]
        same_beginning(box, mpi, prog, out)
        races = box.run("races", "rec")
        assert races.returncode in (FOUND, UNKNOWN), races
        equal(box.run("sort", "rec", "--stats").returncode, DONE, "sort")


def own(text):
    """The lines of the program: digits alone. Those of MPICH's mpirun hold numbers of processes."""
    return [line for line in text.splitlines() if line.isdigit()]


@each_mpi
@long
def a_run_that_aborts_or_never_finalizes_is_recorded(box, mpi):
    for name, end in [("aborts", "MPI_Abort(MPI_COMM_WORLD, 9)"), ("exits", "exit(7)")]:
        prog = build(box, mpi, ENDLESS.replace("END", end), name)
        done = record(box, mpi, prog, "stop", np=3, jitter=200, options=["--limit", "50"])
        assert done.returncode not in (DONE, BUDGET), f"{name}: exit code {done.returncode}"
        text = box.read("rec/order.mwo")
        equal(text.splitlines()[-1], "end aborted" if name == "aborts" else "end crashed", f"the end of the run that {name}")
        again = replay(box, mpi, prog, "stop", np=3, jitter=400, options=["--limit", "50"])
        equal(own(again.stdout), own(done.stdout), f"the replay of the run that {name}")
        # MPICH's mpirun may be told first of a rank that it has ended itself; its code is that one's.
        same = again.returncode == done.returncode
        assert again.returncode != DONE and (same or mpi == "mpich" and name == "exits"), f"{name}: {again.returncode}, {done.returncode}"


@each_mpi
@long
def a_standstill_is_recorded_up_to_the_limit(box, mpi):
    body = """    int value = 0;
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (rank == 0) printf("%d\\n", status.MPI_SOURCE);
    fflush(stdout);
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (rank != 0) { jitter(); MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); }
"""
    prog = build(box, mpi, body)
    done = record(box, mpi, prog, np=3, jitter=3000, options=["--limit", "8"])
    equal(done.returncode, BUDGET, f"exit code ({done.stderr})")
    assert "the run was not over after 8 s; raise --limit" in done.stderr, done.stderr
    again = replay(box, mpi, prog, np=3, jitter=3000, options=["--limit", "8"])
    equal((again.returncode, own(again.stdout)), (BUDGET, own(done.stdout)), "the replay")


PERSISTENT = """    int values[4], value = 0, flag = 0, index, done, indices[4];
    MPI_Request all[4];
    MPI_Message message;
    for (int round = 0; round < 3; ++round) {
        if (rank == 0) {
            if (round == 0)
                for (int i = 0; i < size - 1; ++i) MPI_Recv_init(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &all[i]);
            MPI_Request copies[4];
            memcpy(copies, all, sizeof all);
            MPI_Startall(size - 1, all);
            for (int left = size - 1; left > 0; left -= done) {
                MPI_Waitsome(size - 1, copies, &done, indices, MPI_STATUSES_IGNORE);
                for (int i = 0; i < done; ++i) printf("%d=%d ", indices[i], values[indices[i]]);
            }
            for (int i = 0; i < size - 1; ++i) {
                MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, &status);
                MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
                printf("%d ", status.MPI_SOURCE);
            }
            MPI_Request one;
            MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &one);
            MPI_Cancel(&one);
            MPI_Wait(&one, &status);
            MPI_Test_cancelled(&status, &flag);
            printf("cancelled %d\\n", flag);
        } else {
            jitter();
            int mine = 10 * round + rank;
            MPI_Send(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            jitter();
            MPI_Send(&mine, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; rank == 0 && i < size - 1; ++i) MPI_Request_free(&all[i]);
"""


@each_mpi
def persistent_and_cancelled_requests_repeat(box, mpi):
    prog = build(box, mpi, PERSISTENT)
    wanted = good(record(box, mpi, prog, jitter=3000))
    for jitter in (1000, 6000):
        equal(good(replay(box, mpi, prog, jitter=jitter)), wanted, f"output with a jitter of {jitter}")


@case
def what_cannot_be_is_refused_in_words(box):
    for command, words in [("record", ["--out", "rec"]), ("replay", ["rec"])]:
        done = box.run(command, *words)
        equal(done.returncode, USAGE, f"{command} without --")
        assert "name a scenario, or write -- and the command of a real MPI" in done.stderr, done.stderr
    done = box.run("record", "--out", "rec", "--", "true")
    equal((done.returncode, "none of the words is a program that is linked with Open MPI or MPICH" in done.stderr), (BAD_INPUT, True), done.stderr)
    (box.folder / "other").mkdir()
    box.write("other/file", "x")
    if MPIS:
        prog = build(box, MPIS[0], "")
        done = under(box, ["record", "--out", "other", "-f"], MPIS[0], prog)
        equal((done.returncode, "holds something that is no record" in done.stderr), (BAD_INPUT, True), done.stderr)
        done = under(box, ["replay", "other"], MPIS[0], prog)
        equal((done.returncode, "holds no record" in done.stderr), (BAD_INPUT, True), done.stderr)


if __name__ == "__main__":
    sys.exit(main(__doc__))
