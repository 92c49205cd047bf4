/* Figures 1, 3 and 5 of the paper on races in MPI: how long a send, a probe and a receive take.
 *
 * Everybody receives n times from everybody else, from any source. With "recv" MPI_Recv() waits; with "iprobe" a loop of
 * MPI_Iprobe() does, and then MPI_Recv() names the source that was probed. Rank 0 prints the mean time of each call over all
 * ranks, and how many probes found a message.
 *
 * The clock of a node ticks every 64 us. So one call in eight is timed, after a pause of up to a tick by chance. The mean is right then,
 * although one time is not.
 *
 *   magicwire mpicc -O2 -o primitives examples/mpi/primitives.c
 *   magicwire mpirun -np 16 --machine hypercube:16 ./primitives recv 500
 *   magicwire mpirun -np 16 --machine hypercube:16 --record primitives.mwo ./primitives iprobe 500
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { tag = 7 };
enum { sends, probes, receives, kinds };
static double spent[kinds];
static double calls[kinds]; /* timed */
static double probed, successes;

static unsigned chance;
static unsigned by_chance(unsigned below) {
    chance = 1664525u * chance + 1013904223u;
    return (chance >> 8) % below;
}

static unsigned turns_a_tick;
static void turn(unsigned times) {
    for (volatile unsigned left = times; left > 0;) left = left - 1;
}
static void measure_turns(void) {
    enum { many = 100000 };
    const double begin = MPI_Wtime();
    turn(many);
    turns_a_tick = (unsigned)(many * MPI_Wtick() / (MPI_Wtime() - begin) + 0.5);
}

static int is_timed(void) {
    return by_chance(8) == 0;
}
/* The time at which a call begins. */
static double begins(int timed) {
    if (timed) turn(by_chance(turns_a_tick));
    return timed ? MPI_Wtime() : 0;
}
static void ends(int timed, int kind, double begin) {
    if (timed) spent[kind] += MPI_Wtime() - begin;
    calls[kind] += timed;
}

static void receive(int* value) {
    const int timed = is_timed();
    const double begin = begins(timed);
    MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ends(timed, receives, begin);
}

/* Figure 3. All probes up to the message count as one time: that of waiting. */
static void emulated_receive(int* value) {
    const int timed = is_timed();
    MPI_Status status;
    int found = 0;
    double begin = begins(timed);
    do {
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
        ++probed;
    } while (!found);
    ends(timed, probes, begin);
    ++successes;
    begin = begins(timed);
    MPI_Recv(value, 1, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ends(timed, receives, begin);
}

static void send(int* value, int to) {
    const int timed = is_timed();
    const double begin = begins(timed);
    MPI_Send(value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
    ends(timed, sends, begin);
}

static void run(int n, int rank, int size, int emulated) {
    int value = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < size; ++j) {
            if (j != rank) {
                send(&i, j);
            } else {
                for (int k = 0; k < size - 1; ++k) emulated ? emulated_receive(&value) : receive(&value);
            }
        }
    }
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int emulated = argc > 1 && strcmp(argv[1], "iprobe") == 0;
    const int n = argc > 2 ? atoi(argv[2]) : 500;
    chance = (unsigned)rank;
    measure_turns();
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    run(n, rank, size, emulated);
    const double took = MPI_Wtime() - begin;
    double longest = 0;
    const double own[] = {spent[sends], spent[probes], spent[receives], calls[sends], calls[probes], calls[receives], probed, successes};
    double all[8];
    MPI_Reduce(own, all, 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("messages %d in %.6f s\n", n * size * (size - 1), longest);
        printf("send %.2f us\n", 1e6 * all[sends] / all[kinds + sends]);
        if (emulated) printf("probing %.2f us for a message\n", 1e6 * all[probes] / all[kinds + probes]);
        if (emulated) printf("probes %.0f, found %.0f\n", all[6], all[7]);
        printf("receive %.2f us\n", 1e6 * all[receives] / all[kinds + receives]);
    }
    MPI_Finalize();
    return 0;
}
