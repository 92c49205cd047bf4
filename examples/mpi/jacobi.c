/* Jacobi Iteration: a system of linear equations by Jacobi's method, rows spread over the ranks. Thoai and Volkert 2003, table 7.1.
 *   jacobi [STEPS [EQUATIONS [check]]]   default 4160 steps with 64 equations
 * In each step every rank sends its part of the solution to every other: n (n - 1) messages. Prints a checksum; `check`
 * compares it with that of a single process. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_equations = 2048 };
static double known[most_equations], next[most_equations];

static double entry(int row, int column) {
    return row == column ? 4.0 * most_equations : (double)((row * 13 + column * 7) % 11) - 5;
}

static void step(int equations, int first, int behind) {
    for (int i = first; i < behind; ++i) {
        double sum = i % 19 + 1;
        for (int k = 0; k < equations; ++k)
            if (k != i) sum -= entry(i, k) * known[k];
        next[i] = sum / entry(i, i);
    }
}

static double checksum(int equations) {
    double sum = 0;
    for (int i = 0; i < equations; ++i) sum += known[i] * (i + 1);
    return sum;
}

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 4160, equations = argc > 2 ? atoi(argv[2]) : 64;
    const int checks = argc > 3 && strcmp(argv[3], "check") == 0;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (equations > most_equations || equations < size) MPI_Abort(MPI_COMM_WORLD, 2);
    const int first = equations * rank / size, behind = equations * (rank + 1) / size;
    for (int turn = 0; turn < steps; ++turn) {
        step(equations, first, behind);
        memcpy(&known[first], &next[first], (size_t)(behind - first) * sizeof *known);
        for (int i = 1; i < size; ++i)
            MPI_Send(&known[first], behind - first, MPI_DOUBLE, (rank + i) % size, turn, MPI_COMM_WORLD);
        for (int i = 1; i < size; ++i) {
            const int from = (rank + size - i) % size, begin = equations * from / size;
            MPI_Recv(&known[begin], equations * (from + 1) / size - begin, MPI_DOUBLE, from, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    const double mine = checksum(equations);
    memset(known, 0, sizeof known);
    for (int turn = 0; checks && rank == 0 && turn < steps; ++turn) {
        step(equations, 0, equations);
        memcpy(known, next, (size_t)equations * sizeof *known);
    }
    const int wrong = checks && rank == 0 && mine != checksum(equations);
    if (rank == 0) printf("checksum %.12f%s\n", mine, !checks ? "" : wrong ? ", WRONG" : ", as one process computes it");
    MPI_Finalize();
    return wrong;
}
