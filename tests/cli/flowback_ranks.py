"""MPI programs for the tests of flowback: made, prepared, and run with logs."""
import shutil

import cli_cases
from cli_cases import DONE

MAIN = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
%s
int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
%s
    MPI_Finalize();
    return 0;
}
"""


def equal(got, wanted, what="answer"):
    cli_cases.equal(got, wanted, what)


def made(box, body, before="", ranks=4, more=(), expected=(DONE,)):
    """A program that is prepared and run with logs in `out`. Returns its lines by their text."""
    text = MAIN % (before, body)
    (box.folder / "prog.c").write_text(text, encoding="utf-8")
    done = box.run("prepare", "prog.c")
    equal(done.returncode, DONE, done.stdout + done.stderr)
    shutil.rmtree(box.folder / "out", ignore_errors=True)
    done = box.run("mpirun", "-np", str(ranks), "--flowback", "out", *more, "./prog")
    assert done.returncode in expected, done.stdout + done.stderr
    return {line.strip(): number for number, line in enumerate(text.split("\n"), 1)}


def asked(variable, at):
    """The variable as the line that prints begins."""
    (line,) = [number for text, number in at.items() if text.startswith("printf(")]
    return f"{variable}@{line}"
