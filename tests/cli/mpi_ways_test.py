#!/usr/bin/env python3
"""Memory, streams and ways of messages of MPI programs, and the compilers as build systems call them.

    mpi_ways_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import json
import shutil
import subprocess
import sys

from cli_cases import BAD_INPUT, DONE, USAGE, case, equal, main

BEGIN = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
BEFORE
int main(int argc, char** argv) {
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value += rank;
"""
END = "    MPI_Finalize();\n    return 0;\n}\n"


def built(box, body, before=""):
    box.write("prog.c", BEGIN.replace("BEFORE", before) + body + END)
    done = box.run("mpicc", "-o", "prog", "prog.c")
    equal((done.returncode, done.stderr), (DONE, ""), "mpicc")


def run(box, np, *words):
    return box.run("mpirun", "-np", str(np), *words)


def machine(box, nodes, ram):
    links = "".join(f"  - n{i}.1 - n{i + 1}.0\n" for i in range(nodes - 1))
    return box.write("m.yaml", f"version: 1\nname: m\nnodes: {{count: {nodes}, ram: {ram}}}\nhost: n0.0\nlinks:\n{links}")


LARGE = """    for (long i = rank; i < BYTES; i += 1 << 20) large[i] = (char)(rank + 1);
    char* more = malloc(50000000);
    if (more != NULL) memset(more + 49000000, rank, 1000);
    long sum = 0;
    for (long i = 0; i < BYTES; i += 4096) sum += large[i];
    MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%ld %d %d\\n", sum, more != NULL && more[49000500] == rank, value);
"""


@case
def a_rank_has_large_arrays(box):
    built(box, LARGE, "enum { BYTES = 100000000 };\nstatic char large[BYTES];")
    equal(run(box, 8, "./prog").stdout, "96 1 28\n", "eight ranks on eight nodes")
    equal(run(box, 8, "--machine", "ring:4", "--ram", "512MiB", "./prog").stdout, "96 1 28\n", "two ranks a node")


@case
def memory_has_an_end(box):
    built(box, LARGE, "enum { BYTES = 100000000 };\nstatic char large[BYTES];")
    equal(run(box, 2, "--ram", "120MiB", "./prog").stdout, "96 0 1\n", "malloc() where 120 MiB are not enough")
    done = run(box, 2, "--ram", "64MiB", "./prog")
    equal(done.returncode, BAD_INPUT, "exit code where the globals do not fit")
    assert "rank 0 cannot be loaded on n0: the node has too little memory for it" in done.stderr, done.stderr
    equal(run(box, 2, "--machine", machine(box, 2, "300MiB"), "./prog").stdout, "96 1 1\n", "a machine file")


@case
def memory_of_a_node_is_asked_for_where_it_is_not_said_yet(box):
    built(box, "")
    name = machine(box, 2, "4MiB")
    for words, text in ((["--machine", name, "--ram", "8MiB"], "m.yaml says how much memory each of its nodes has; leave --ram out"),
                        (["--ram", "3GiB"], "a node cannot have 3GiB of RAM; write 64KiB to 2GiB")):
        done = run(box, 2, *words, "./prog")
        assert done.returncode == USAGE and text in done.stderr, done


@case
def errors_come_on_standard_error(box):
    built(box, """    if (rank != 1) printf("out %d\\n", rank);
    fprintf(stderr, "error %d\\n", rank);
    if (rank == 0 && fopen("no/such", "r") == NULL) perror("open");
    if (rank == 1) write(2, "by write\\n", 9);
    if (rank == 1) dprintf(1, "out 1\\n");
""")
    done = run(box, 2, "./prog")
    equal(sorted(done.stdout.splitlines()), ["out 0", "out 1"], "standard output")
    equal(sorted(done.stderr.splitlines()), ["by write", "error 0", "error 1", "open: No such file or directory"], "standard error")
    done = run(box, 2, "--json", "./prog")
    equal(json.loads(done.stdout)["end"], "ended", "the JSON")
    equal(len(done.stderr.splitlines()), 6, "lines on standard error beside the JSON")


FLOOD = """    static unsigned char room[4096];
    int many = atoi(argv[1]), wrong = 0;
    if (rank == 0) MPI_Recv(room, 1, MPI_BYTE, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) sleep(20);
    if (rank == 1) MPI_Send(room, 1, MPI_BYTE, 0, 9, MPI_COMM_WORLD);
    for (int turn = 0; turn < 2; ++turn) {
        for (int i = 0; i < many && rank != 1; ++i) {
            const int bytes = i % 7 == 3 ? 0 : 40 + 37 * i % 3900;
            if (rank == 2) {
                memset(room, i + turn, bytes);
                MPI_Send(room, bytes, MPI_BYTE, 0, turn, MPI_COMM_WORLD);
            } else {
                MPI_Status status;
                int count;
                MPI_Recv(room, sizeof room, MPI_BYTE, 2, turn, MPI_COMM_WORLD, &status);
                MPI_Get_count(&status, MPI_BYTE, &count);
                wrong += count != bytes || (bytes > 0 && (room[0] != (i + turn) % 256 || room[bytes - 1] != (i + turn) % 256));
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d wrong\\n", wrong);
"""


@case
def messages_without_a_receive_do_not_use_up_the_memory(box):
    built(box, FLOOD)
    name = machine(box, 3, "1MiB")
    done = run(box, 3, "--machine", name, "./prog", "1000")
    equal((done.returncode, done.stdout, done.stderr), (DONE, "0 wrong\n", ""), "the run")


RING = """    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &value, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) printf("%d\\n", value);
"""


@case
def a_program_may_be_copied_without_its_table(box):
    built(box, RING)
    (box.folder / "prog.blocks").rename(box.folder / "kept.blocks")
    done = run(box, 3, "./prog")
    equal((done.returncode, done.stdout, done.stderr), (DONE, "2\n", ""), "the run")
    equal(box.read("prog.blocks"), box.read("kept.blocks"), "the table that it gets")


@case
def the_command_that_is_shown_links(box):
    box.write("prog.c", BEGIN.replace("BEFORE", "") + RING + END)
    shown = box.run("mpicc", "-show", "-O2", "prog.c", "-o", "prog")
    done = subprocess.run(shown.stdout, shell=True, cwd=box.folder, capture_output=True, text=True, check=False)
    equal((done.returncode, done.stderr), (0, ""), shown.stdout)
    equal(run(box, 3, "./prog").stdout, "2\n", "the run")
    assert "-Wl,-shared" not in box.run("mpicc", "-show", "-c", "prog.c").stdout, "a compilation links nothing"


@case
def cmake_finds_mpi(box):
    if shutil.which("cmake") is None:
        return
    folder = box.magicwire.parent
    box.write("CMakeLists.txt", """cmake_minimum_required(VERSION 3.16)
project(ring LANGUAGES C CXX)
find_package(MPI REQUIRED)
add_executable(prog prog.c)
target_link_libraries(prog MPI::MPI_C)
add_executable(other other.cpp)
target_link_libraries(other MPI::MPI_CXX)
""")
    box.write("prog.c", BEGIN.replace("BEFORE", "") + RING + END)
    box.write("other.cpp", "#include <vector>\n#include <stdexcept>\n" + BEGIN.replace("BEFORE", "") +
              "    try { std::vector<int>(3).at(7); } catch (const std::exception&) { value = 5; }\n" + RING + END)
    build = box.folder / "build"
    settings = [f"-DMPI_C_COMPILER={folder}/magicwire-mpicc", f"-DMPI_CXX_COMPILER={folder}/magicwire-mpicxx"]
    for command in (["cmake", "-S", box.folder, "-B", build, *settings], ["cmake", "--build", build]):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        equal(done.returncode, 0, f"exit code of {command}: {done.stdout} {done.stderr}")
    for program in ("prog", "other"):
        done = run(box, 3, str(build / program))
        equal((done.returncode, done.stdout, done.stderr), (DONE, "2\n", ""), program)


if __name__ == "__main__":
    sys.exit(main(__doc__))
