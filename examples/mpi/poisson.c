/* Poisson: the equation -u'' - u'' = f on a square by Jacobi's method, in strips of rows. Thoai and Volkert 2003, table 7.1.
 *   poisson [STEPS [POINTS [check]]]   default 12489 steps on 32 x 32 points
 * In each step neighbours exchange rows, and rank 0 gathers the change and tells it: 4 (n - 1) messages. Prints a checksum; `check`
 * compares it with that of a single process. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_points = 258 };
static double old_values[most_points][most_points], new_values[most_points][most_points];

/* Rows from `first` to `last`; returns the greatest change of a point. */
static double step(int points, int first, int last) {
    const double h2 = 1.0 / ((points + 1.0) * (points + 1.0));
    double change = 0;
    for (int i = first; i <= last; ++i) {
        for (int k = 1; k <= points; ++k) {
            new_values[i][k] = 0.25 * (old_values[i - 1][k] + old_values[i + 1][k] + old_values[i][k - 1] + old_values[i][k + 1] +
                                       h2 * (i % 7 - k % 5));
            const double by = fabs(new_values[i][k] - old_values[i][k]);
            if (by > change) change = by;
        }
    }
    for (int i = first; i <= last; ++i) memcpy(&old_values[i][1], &new_values[i][1], (size_t)points * sizeof(double));
    return change;
}

static double sum_of(int points, int first, int last) {
    double sum = 0;
    for (int i = first; i <= last; ++i)
        for (int k = 1; k <= points; ++k) sum += old_values[i][k] * (i * points + k);
    return sum;
}

static void exchange(int points, int first, int last, int rank, int size) {
    if (rank > 0) MPI_Send(&old_values[first][1], points, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);
    if (rank + 1 < size) {
        MPI_Send(&old_values[last][1], points, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
        MPI_Recv(&old_values[last + 1][1], points, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank > 0) MPI_Recv(&old_values[first - 1][1], points, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The greatest of all ranks, by way of rank 0. */
static double greatest(double mine, int rank, int size) {
    if (rank > 0) {
        MPI_Send(&mine, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&mine, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return mine;
    }
    for (int from = 1; from < size; ++from) {
        double its;
        MPI_Recv(&its, 1, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (its > mine) mine = its;
    }
    for (int to = 1; to < size; ++to) MPI_Send(&mine, 1, MPI_DOUBLE, to, 3, MPI_COMM_WORLD);
    return mine;
}

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 12489, points = argc > 2 ? atoi(argv[2]) : 32;
    const int checks = argc > 3 && strcmp(argv[3], "check") == 0;
    int rank, size, wrong = 0;
    double change = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (points > most_points - 2 || points < size) MPI_Abort(MPI_COMM_WORLD, 2);
    const int first = 1 + points * rank / size, last = points * (rank + 1) / size;
    for (int i = 0; i < steps; ++i) {
        exchange(points, first, last, rank, size);
        change = greatest(step(points, first, last), rank, size);
    }
    const double mine = sum_of(points, first, last), known_change = change;
    if (checks) { /* each rank computes all rows */
        memset(old_values, 0, sizeof old_values);
        for (int i = 0; i < steps; ++i) change = step(points, 1, points);
        wrong = sum_of(points, first, last) != mine || change != known_change;
    }
    printf("rank %d: checksum %.9f, change %.3g%s\n", rank, mine, known_change,
           !checks ? "" : wrong ? ", WRONG" : ", as one process computes them");
    MPI_Finalize();
    return wrong;
}
