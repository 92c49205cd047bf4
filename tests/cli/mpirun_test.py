#!/usr/bin/env python3
"""magicwire mpicc, mpicxx and mpirun as a user runs them: words, output, exit codes.

    mpirun_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py. tests/lam/run_programs.py has the programs that are held against MPICH.
"""
import json
import sys

from cli_cases import BAD_INPUT, DONE, FOUND, USAGE, case, equal, main, succeeds

BUDGET = 6

BEGIN = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value += rank;
"""
END = "    MPI_Finalize();\n    return 0;\n}\n"


def compiles(box, *words, compiler="mpicc"):
    """A compiler that has nothing to say is silent."""
    done = box.run(compiler, *words)
    equal((done.returncode, done.stdout, done.stderr), (DONE, "", ""), f"{compiler} {words}")


def built(box, body, *words):
    box.write("prog.c", BEGIN + body + END)
    compiles(box, "-o", "prog", "prog.c", *words)


def run(box, np, *words):
    return box.run("mpirun", "-np", str(np), *words)


@case
def ranks_print_and_end(box):
    built(box, '    printf("rank %d of %d, %s\\n", rank, size, argv[1]);\n')
    done = run(box, 3, "./prog", "-np")
    equal((done.returncode, sorted(done.stdout.splitlines()), done.stderr), (DONE, [f"rank {rank} of 3, -np" for rank in range(3)], ""), "the run")
    equal(run(box, 3, "--machine", "ring:5", "--seed", "4", "./prog", "x").returncode, DONE, "exit code on another machine")
    done = box.run("mpirun", "--strict", "--no-buffering", "-np", "1", "--no-checks", "./prog", "-np")
    equal((done.returncode, done.stdout), (DONE, "rank 0 of 1, -np\n"), "flags before -np")


@case
def the_same_run_has_the_same_bytes(box):
    built(box, """    for (int i = 1; i < size && rank == 0; ++i) {
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        printf("%d at %.6f\\n", status.MPI_SOURCE, MPI_Wtime());
    }
    if (rank != 0) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
""")
    first, second = run(box, 6, "./prog"), run(box, 6, "./prog")
    equal((first.returncode, first.stdout), (DONE, second.stdout), "the second run")


@case
def the_librarys_work_takes_time(box):
    """Calls, matches and copied bytes, whatever the program itself computes."""
    built(box, """    static char bytes[2000];
    const double begin = MPI_Wtime();
    for (int i = 0; i < 50; ++i) {
        MPI_Sendrecv_replace(bytes, sizeof bytes, MPI_CHAR, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0) printf("%.6f\\n", MPI_Wtime() - begin);
""")
    took = {words: float(run(box, 2, *words, "./prog").stdout) for words in [(), ("--set", "mpi.call=20200"), ("--set", "mpi.match=20150"), ("--set", "mpi.byte=11.5")]}
    usual = took.pop(())
    for words, longer in took.items():
        assert longer - usual > 0.04, f"{words}: {longer} s after {usual} s"  # 50 times 20000 cycles are 0.05 s


@case
def the_exit_code_is_the_programs(box):
    built(box, "    if (rank == 1) exit(7);\n")
    equal(run(box, 2, "./prog").returncode, 7, "exit code after exit(7)")
    built(box, "    if (rank == 2) MPI_Abort(MPI_COMM_WORLD, 9);\n    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n")
    equal(run(box, 3, "./prog").returncode, 9, "exit code after MPI_Abort()")
    built(box, "    if (rank == 1) *(volatile int*)4 = 1;\n    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n")
    done = run(box, 2, "./prog")
    equal(done.returncode, 139, "exit code after a wild pointer")
    assert "prog.c:" in done.stderr and "near the null pointer" in done.stderr, done.stderr


@case
def a_fence_keeps_a_rank_from_foreign_memory(box):
    built(box, """    int* whose = malloc(64);
    whose[0] = 7 + rank;
    if (rank == 0) MPI_Send(&whose, sizeof whose, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(&whose, sizeof whose, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d\\n", whose[0]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
""")
    equal(run(box, 2, "./prog").stdout, "7\n", "a pointer of another rank, without a fence")
    done = run(box, 2, "--fence", "./prog")
    equal(done.returncode, 139, "exit code behind a fence")
    assert "prog.c:" in done.stderr and "reads memory of n0" in done.stderr, done.stderr


@case
def a_standstill_names_the_cycle(box):
    built(box, "    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n")
    done = run(box, 3, "./prog")
    equal(done.returncode, FOUND, "exit code")
    for words in ("3 of 3 ranks wait, and no message is under way", "rank 2 in MPI_Recv() at prog.c:11 for a message of rank 0, tag 4",
                  "cycle of waits: 0 -> 1 -> 2 -> 0"):
        assert words in done.stderr, done.stderr
    told = json.loads(run(box, 3, "--json", "./prog").stdout)
    equal((told["end"], told["cycle"], told["waits"][1]["function"], told["waits"][1]["where"]), ("standstill", [0, 1, 2], "MPI_Recv", "prog.c:11"), "the JSON")
    equal([(one["kind"], one["rank"], one["line"]) for one in told["findings"]], [("standstill", 0, 11)], "its findings")


@case
def a_wrong_argument_is_told(box):
    built(box, "    if (rank == 0) MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD);\n    MPI_Barrier(MPI_COMM_WORLD);\n")
    done = run(box, 2, "./prog")
    assert done.returncode != 0 and "rank 0: MPI_Send() at prog.c:11 on MPI_COMM_WORLD: MPI_ERR_RANK: dest is 2" in done.stderr, done
    equal(done.stdout, "", "standard output")


@case
def what_nobody_receives_is_told(box):
    built(box, "    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);\n    MPI_Barrier(MPI_COMM_WORLD);\n")
    done = run(box, 2, "./prog")
    told = "rank 1: MPI_Finalize() at prog.c:13: 1 message, the first of rank 0 with tag 5, sent at prog.c:11, had no receive\n"
    equal((done.returncode, done.stderr), (DONE, told), "the run")
    equal(run(box, 2, "--strict", "./prog").returncode, FOUND, "exit code with --strict")


@case
def no_buffering_shows_what_buffers_hide(box):
    built(box, "    MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);\n    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n")
    equal(run(box, 2, "--strict", "./prog").returncode, DONE, "exit code with buffers")
    done = run(box, 2, "--no-buffering", "./prog")
    assert done.returncode == FOUND and "rank 0 in MPI_Send() at prog.c:11 until it is taken by rank 1" in done.stderr, done


@case
def buffers_in_use_are_looked_at(box):
    built(box, """    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
    value = 9;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
""")
    done = run(box, 1, "./prog")
    told = "rank 0: MPI_Isend() at prog.c:12: the program wrote its buffer before the send was complete, between this call and MPI_Wait() at prog.c:14\n"
    equal((done.returncode, done.stderr), (DONE, told), "the run")
    equal(run(box, 1, "--no-checks", "./prog").stderr, "", "standard error without checks")


@case
def tables_of_tasks_and_messages(box):
    built(box, """    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
    if (rank < 2) MPI_Recv(&value, 1, MPI_INT, rank == 0 ? MPI_ANY_SOURCE : 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2) MPI_Reduce(&value, &size, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    if (rank == 3) MPI_Iprobe(0, 0, MPI_COMM_WORLD, &size, MPI_STATUS_IGNORE);
""")
    done = run(box, 3, "--tasks", "--messages", "./prog")
    equal((done.returncode, [line.split() for line in done.stdout.splitlines()]), (FOUND, [
        "TASK (G/L) FUNCTION PEER|ROOT TAG COMM COUNT DATATYPE".split(), "0/0 Recv ANY 7 WORLD 1 INT".split(), "1/1 Recv 0/0 7 WORLD 1 INT".split(),
        "2/2 Reduce* 2 WORLD".split(), "SRC (G/L) DEST (G/L) TAG COMM COUNT DATATYPE MSG".split(), "0/0 1/1 8 WORLD 1 INT n1,#0".split()]), "the tables")
    done = json.loads(run(box, 3, "--tasks", "--messages", "--json", "./prog").stdout)
    equal(done["tasks"][0], {"rank": 0, "local": 0, "function": "Recv", "peer": "ANY", "tag": "7", "communicator": "WORLD", "count": "1", "datatype": "INT"}, "the first task")
    equal(done["messages"], [{"from": 0, "to": 1, "tag": 8, "communicator": 0, "count": 1, "datatype": "INT", "node": "n1", "number": 0}], "the messages")


@case
def the_environment_is_what_is_handed_over(box):
    built(box, """    printf("%s %s %d\\n", getenv("ONE") ? getenv("ONE") : "-", getenv("PATH") ? "path" : "-", argc);
    if (setenv("ONE", "2", 1) != 0 || setenv("TWO", "3", 0) != 0 || putenv("SIX=6") != 0 || unsetenv("ONE") != 0) return 9;
    printf("%s %s %s\\n", getenv("ONE") ? "one" : "-", getenv("TWO"), getenv("SIX"));
""")
    equal(run(box, 1, "./prog").stdout, "- - 1\n- 3 6\n", "without --env")
    equal(run(box, 1, "-x", "ONE=a b", "--env", "PATH", "./prog", "w").stdout, "a b path 2\n- 3 6\n", "with --env")


@case
def a_long_list_is_cut(box):
    built(box, """    for (int i = 0; i < 60; ++i) {
        MPI_Request request;
        MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
        ++value;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
""")
    done = run(box, 1, "--json", "./prog")
    equal((done.returncode, len(done.stderr.splitlines()), len(json.loads(done.stdout)["findings"])), (DONE, 51, 60), "the run")
    assert "60 findings; --json lists all" in done.stderr, done.stderr


@case
def a_limit_is_no_standstill(box):
    built(box, "    for (int flag = 0; flag == 0;) MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);\n")
    done = run(box, 1, "--limit", "2", "./prog")
    assert done.returncode == BUDGET and "raise --limit" in done.stderr, done


@case
def memory_and_time_are_those_of_the_node(box):
    built(box, """    static double table[1 << 20];
    double before = MPI_Wtime();
    table[rank] = 1;
    sleep(2);
    printf("%.1f %g\\n", MPI_Wtime() - before, table[rank]);
""")
    done = run(box, 2, "./prog")
    equal((done.returncode, done.stdout), (DONE, "2.0 1\n2.0 1\n"), "the run")


@case
def compilers_take_the_words_of_a_compiler(box):
    box.write("main.c", "#include <mpi.h>\nint part(void);\n" + BEGIN.split("\n", 1)[1] + '    printf("%d\\n", part());\n' + END)
    box.write("part.c", "int part(void) { return PART; }\n")
    compiles(box, "-c", "-DPART=12", "part.c")
    compiles(box, "-c", "main.c", "-o", "other.o")
    compiles(box, "part.o", "other.o", "-lm", "-o", "prog")
    equal(run(box, 1, "./prog").stdout, "12\n", "what it prints")
    assert " -I" in succeeds(box.run("mpicc", "-show", "main.c")), "-show"
    box.write("a.cpp", "#include <mpi.h>\n#include <cstdio>\nint main() {\n    MPI_Init(nullptr, nullptr);\n    std::puts(\"C++\");\n    MPI_Finalize();\n}\n")
    compiles(box, "a.cpp", "-o", "prog", compiler="mpicxx")
    equal(run(box, 1, "./prog").stdout, "C++\n", "what the C++ program prints")


@case
def mistakes_are_named(box):
    built(box, "")
    box.write("w.c", "int MPI_Win_fence(int, int);\n" + BEGIN + "    MPI_Win_fence(0, 0);\n" + END)
    done = box.run("mpicc", "-o", "w", "w.c")
    assert done.returncode == BAD_INPUT and "MPI_Win_fence" in done.stderr, done
    equal(box.run("mpicc", "-c", "none.c").returncode, 1, "exit code of the compiler")
    for words, code, text in ((("-np", "0", "./prog"), USAGE, "expected 1 to 1024 ranks"), (("-np", "2", "./none"), BAD_INPUT, "there is no such program"),
                              (("-np", "2"), USAGE, "name the program"), (("-np", "2", "--machine", "rung:4", "./prog"), USAGE, "ring"),
                              (("-np", "2", "--set", "mpi.shirt=3", "./prog"), USAGE, "mpi.short")):
        done = box.run("mpirun", *words)
        assert done.returncode == code and text in done.stderr, (words, done)


if __name__ == "__main__":
    sys.exit(main(__doc__))
