/* A small random program for all orders: `small_program SEED`. Ranks work off one sequence of sends and receives of any source, as in
 * random_program.c, without probes and tests. Each rank prints from whom it received. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_sends = 6 };
static unsigned draw(unsigned* from, unsigned below) {
    *from = *from * 1664525u + 1013904223u;
    return (*from >> 8) % below;
}

int main(int argc, char** argv) {
    int rank, size, sends = 0, waiting = 0, ready[8] = {0};
    unsigned state = argc > 1 ? (unsigned)atoi(argv[1]) * 7919u : 0;
    char text[256] = "";
    size_t length = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; sends < most_sends || waiting > 0; ++step) {
        const int is_send = draw(&state, 2) == 0, from = (int)draw(&state, (unsigned)size), to = (int)draw(&state, (unsigned)size);
        if (is_send && from != to && sends < most_sends) {
            ++ready[to];
            ++sends;
            ++waiting;
            if (from == rank) MPI_Send(&step, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
        } else if (!is_send && ready[to] > 0) {
            MPI_Status status;
            int value = 0;
            --ready[to];
            --waiting;
            if (to != rank) continue;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            length += (size_t)snprintf(text + length, sizeof text - length, " %d.%d", status.MPI_SOURCE, value);
        }
    }
    printf("%d:%s\n", rank, text);
    MPI_Finalize();
    return 0;
}
