/* np: 6 */
/* Operations of all ranks of two groups: barrier, allgather(v), alltoall(v, w), allreduce and reduce_scatter(_block). */
#include "coll_inter.h"

static int buffer[ROOM], received[ROOM], wanted[ROOM];
static int out_counts[MOST_RANKS], out_places[MOST_RANKS], in_counts[MOST_RANKS], in_places[MOST_RANKS];
static MPI_Request request;

/* Ints that rank `from` of one group has for rank `to` of the other one. */
static int ints_of(int from, int to, int round) {
    return (from * 5 + to * 3 + round) % 4;
}

static void allgather(int vector, int later, int round) {
    int at = 0;
    for (int i = 0; i < other_size; ++i) {
        in_counts[i] = vector ? ints_of(world_of(!low, i), 0, round) : 5;
        in_places[i] = at;
        at += in_counts[i] + vector;
        for (int j = 0; j < in_counts[i]; ++j) wanted[in_places[i] + j] = value(world_of(!low, i), 1, j);
    }
    const int count = vector ? ints_of(rank, 0, round) : 5;
    for (int j = 0; j < count; ++j) buffer[j] = value(rank, 1, j);
    if (vector && later) {
        MPI_Iallgatherv(buffer, count, MPI_INT, received, in_counts, in_places, MPI_INT, across, &request);
    } else if (vector) {
        MPI_Allgatherv(buffer, count, MPI_INT, received, in_counts, in_places, MPI_INT, across);
    } else if (later) {
        MPI_Iallgather(buffer, count, MPI_INT, received, count, MPI_INT, across, &request);
    } else {
        MPI_Allgather(buffer, count, MPI_INT, received, count, MPI_INT, across);
    }
    if (later) finish(&request);
    compare(vector ? "allgatherv" : "allgather", received, wanted);
}
static void alltoall(int form, int later, int round) {
    const int scale = form == 2 ? (int)sizeof(int) : 1;
    MPI_Datatype types[MOST_RANKS];
    for (int i = 0; i < other_size; ++i) {
        const int other = world_of(!low, i);
        types[i] = MPI_INT;
        out_counts[i] = form == 0 ? 3 : ints_of(rank, other, round);
        in_counts[i] = form == 0 ? 3 : ints_of(other, rank, round);
        out_places[i] = i * (form == 0 ? 3 : 4) * scale;
        in_places[i] = i * (form == 0 ? 3 : 5) * scale;
        for (int j = 0; j < out_counts[i]; ++j) buffer[out_places[i] / scale + j] = value(rank, other, j);
        for (int j = 0; j < in_counts[i]; ++j) wanted[in_places[i] / scale + j] = value(other, rank, j);
    }
    if (form == 0 && later) MPI_Ialltoall(buffer, 3, MPI_INT, received, 3, MPI_INT, across, &request);
    if (form == 0 && !later) MPI_Alltoall(buffer, 3, MPI_INT, received, 3, MPI_INT, across);
    if (form == 1 && later)
        MPI_Ialltoallv(buffer, out_counts, out_places, MPI_INT, received, in_counts, in_places, MPI_INT, across, &request);
    if (form == 1 && !later)
        MPI_Alltoallv(buffer, out_counts, out_places, MPI_INT, received, in_counts, in_places, MPI_INT, across);
    if (form == 2 && later)
        MPI_Ialltoallw(buffer, out_counts, out_places, types, received, in_counts, in_places, types, across, &request);
    if (form == 2 && !later)
        MPI_Alltoallw(buffer, out_counts, out_places, types, received, in_counts, in_places, types, across);
    if (later) finish(&request);
    compare("alltoall", received, wanted);
}
/* Form 0: allreduce; 1: reduce_scatter; 2: reduce_scatter_block. */
static void reduce(int form, int later) {
    const int block = form == 2 ? 3 * other_size : form == 1 ? 2 * other_size : 0;
    const int total = form == 0 ? 11 : block * side_size;
    const int first = form == 0 ? 0 : side_rank * block, own = form == 0 ? total : block;
    for (int i = 0; i < side_size; ++i) in_counts[i] = block;
    for (int i = 0; i < total; ++i) buffer[i] = value(rank, 2, i);
    for (int i = 0; i < own; ++i) {
        wanted[i] = 0;
        for (int from = 0; from < other_size; ++from) wanted[i] += value(world_of(!low, from), 2, first + i);
    }
    if (form == 0 && later) MPI_Iallreduce(buffer, received, total, MPI_INT, MPI_SUM, across, &request);
    if (form == 0 && !later) MPI_Allreduce(buffer, received, total, MPI_INT, MPI_SUM, across);
    if (form == 1 && later) MPI_Ireduce_scatter(buffer, received, in_counts, MPI_INT, MPI_SUM, across, &request);
    if (form == 1 && !later) MPI_Reduce_scatter(buffer, received, in_counts, MPI_INT, MPI_SUM, across);
    if (form == 2 && later) MPI_Ireduce_scatter_block(buffer, received, block, MPI_INT, MPI_SUM, across, &request);
    if (form == 2 && !later) MPI_Reduce_scatter_block(buffer, received, block, MPI_INT, MPI_SUM, across);
    if (later) finish(&request);
    compare("reduction", received, wanted);
}

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_inter_all");
    if (size > 1) {
        split_sides();
        for (int round = 0; round < 64; ++round) {
            const int later = round / 8 % 2;
            clear(buffer);
            clear(received);
            clear(wanted);
            if (round % 8 < 2) allgather(round % 8, later, round);
            if (round % 8 >= 2 && round % 8 < 5) alltoall(round % 8 - 2, later, round);
            if (round % 8 >= 5) reduce(round % 8 - 5, later);
            if (later) {
                MPI_Ibarrier(across, &request);
                finish(&request);
            } else {
                MPI_Barrier(across);
            }
        }
        free_sides();
    }
    return end();
}
