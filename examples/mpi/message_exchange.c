/* Message Exchange: in each round every rank sends to every other. Thoai and Volkert 2003, table 7.1.
 *   message_exchange [ROUNDS [WORK [check]]]   default 10000 rounds, and 400 steps of work between them
 * n (n - 1) messages a round. Prints the sum of all that rank 0 received; `check` compares it with that of a single process. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned value_of(int from, int to, int round) {
    return (unsigned)from * 2654435761u ^ (unsigned)to * 40503u ^ (unsigned)round * 97u;
}

/* Some steps of a generator of random numbers. */
static unsigned work(unsigned state, int steps) {
    for (int i = 0; i < steps; ++i) state = state * 1664525u + 1013904223u;
    return state;
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 10000, steps = argc > 2 ? atoi(argv[2]) : 400;
    const int checks = argc > 3 && strcmp(argv[3], "check") == 0;
    int rank, size;
    unsigned long sum = 0, expected = 0;
    unsigned state = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < rounds; ++round) {
        state = work(state, steps);
        for (int i = 1; i < size; ++i) {
            const int to = (rank + i) % size;
            const unsigned value = value_of(rank, to, round) ^ state;
            MPI_Send(&value, 1, MPI_UNSIGNED, to, round, MPI_COMM_WORLD);
        }
        for (int i = 1; i < size; ++i) {
            unsigned value;
            MPI_Recv(&value, 1, MPI_UNSIGNED, (rank + size - i) % size, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
    }
    state = 1;
    for (int round = 0; checks && rank == 0 && round < rounds; ++round) {
        state = work(state, steps);
        for (int from = 1; from < size; ++from) expected += value_of(from, 0, round) ^ state;
    }
    const int wrong = checks && rank == 0 && sum != expected;
    if (rank == 0) printf("sum %lu%s\n", sum, !checks ? "" : wrong ? ", WRONG" : ", as one process computes it");
    MPI_Finalize();
    return wrong;
}
