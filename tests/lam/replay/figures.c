/* The figures of the paper on Annai's tool, by name: `figures 2`, `figures 4a`, `figures 4b`, and `figures triangle`, which its rule
 * misses. Rank 1 receives (rank 2 in the triangle) and prints from whom. Sleeps make the order that the paper shows.
 * Source: Clemencon, Fritscher, Meehan, Ruehl: An implementation of race detection and deterministic replay with MPI, 1995. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { tag = 7, answer_tag = 8 };
static int rank;

enum { most_values = 1000 };
static int values[most_values];

static void give(int to, unsigned after_ms) {
    usleep(after_ms * 1000);
    MPI_Send(values, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}
static void take(int count) {
    for (int i = 0; i < count; ++i) {
        MPI_Status status;
        MPI_Recv(values, most_values, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        printf("%d: %d\n", rank, status.MPI_SOURCE);
    }
}
static void tell(int to) {
    MPI_Send(&rank, 1, MPI_INT, to, answer_tag, MPI_COMM_WORLD);
}
static void hear(int from) {
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, from, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void figure_2(void) {
    if (rank == 1) take(3);
    if (rank == 0) give(1, 10);
    if (rank == 3) give(1, 20);
    if (rank == 2) give(1, 30);
}
static void figure_4a(void) { /* MSG(2,1), MSG(0,1), MSG(2,2), which is sent after the second has been received */
    if (rank == 0) give(1, 20);
    if (rank == 1) {
        take(2);
        tell(2);
        take(1);
    }
    if (rank == 2) {
        give(1, 10);
        hear(1);
        give(1, 0);
    }
}
static void figure_4b(void) {
    if (rank == 0) {
        give(1, 10);
        give(1, 0);
        hear(1);
        give(1, 30);
    }
    if (rank == 1) {
        take(3);
        tell(0);
        take(3);
    }
    if (rank == 2) {
        give(1, 20);
        usleep(10000);
        give(1, 0);
        give(1, 0);
    }
}
/* a from 0 to 2, m from 0 to 1, then b from 1 to 2: b may overtake a. It does where the long a has a link of its own, as on a ring of
 * three. */
static void triangle(void) {
    if (rank == 0) {
        MPI_Send(values, most_values, MPI_INT, 2, tag, MPI_COMM_WORLD);
        tell(1);
    }
    if (rank == 1) {
        hear(0);
        give(2, 0);
    }
    if (rank == 2) take(2);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char* name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "2") == 0) figure_2();
    if (strcmp(name, "4a") == 0) figure_4a();
    if (strcmp(name, "4b") == 0) figure_4b();
    if (strcmp(name, "triangle") == 0) triangle();
    MPI_Finalize();
    return 0;
}
