/* np: 7 */
/* Operations with a root between two groups: bcast, gather, gatherv, scatter, scatterv and reduce, blocking or not. */
#include "coll_inter.h"

static int buffer[ROOM], received[ROOM], wanted[ROOM];
static int counts[MOST_RANKS], places[MOST_RANKS];

static void bcast(int root, int is_root, int root_world, int takes, int later) {
    const int count = pick(50);
    MPI_Request request;
    for (int i = 0; i < count; ++i) {
        if (is_root) buffer[i] = value(root_world, 0, i);
        if (is_root || takes) wanted[i] = value(root_world, 0, i);
    }
    /* MPI_Ibcast() of MPICH 4.0.2 fails when both groups have several ranks. */
    if (later && size < 6) {
        MPI_Ibcast(buffer, count, MPI_INT, root, across, &request);
        finish(&request);
    } else {
        MPI_Bcast(buffer, count, MPI_INT, root, across);
    }
    compare("bcast", buffer, wanted);
}
static void gather(int root, int is_root, int vector, int later, int from_low) {
    const struct kind* its = &kinds[pick(KINDS)];
    const int equal = 6 * pick(5);
    int at = 0;
    MPI_Request request;
    for (int i = 0; i < size; ++i) {
        const int its_count = pick(5);
        counts[i] = vector ? its_count : equal / its->n;
        places[i] = at;
        at += counts[i] + vector;
    }
    const int count = counts[side_rank];
    for (int i = 0; i < count * its->n; ++i) *place(buffer, its, i) = value(rank, 3, i);
    for (int from = 0; from < other_size && is_root; ++from)
        for (int i = 0; i < counts[from] * its->n; ++i)
            *place(wanted, its, places[from] * its->n + i) = value(world_of(from_low, from), 3, i);
    if (vector && later) {
        MPI_Igatherv(buffer, count, its->type, received, counts, places, its->type, root, across, &request);
    } else if (vector) {
        MPI_Gatherv(buffer, count, its->type, received, counts, places, its->type, root, across);
    } else if (later) {
        MPI_Igather(buffer, count, its->type, received, count, its->type, root, across, &request);
    } else {
        MPI_Gather(buffer, count, its->type, received, count, its->type, root, across);
    }
    if (later) finish(&request);
    compare(vector ? "gatherv" : "gather", received, wanted);
}
static void scatter(int root, int is_root, int root_world, int takes, int vector, int later) {
    const struct kind* its = &kinds[pick(KINDS)];
    const int equal = 6 * pick(5);
    int at = 0;
    MPI_Request request;
    for (int i = 0; i < size; ++i) {
        const int its_count = pick(5);
        counts[i] = vector ? its_count : equal / its->n;
        places[i] = at;
        at += counts[i] + vector;
    }
    const int count = counts[side_rank];
    for (int to = 0; to < other_size && is_root; ++to)
        for (int i = 0; i < counts[to] * its->n; ++i) *place(buffer, its, places[to] * its->n + i) = value(root_world, to, i);
    for (int i = 0; i < count * its->n && takes; ++i) *place(wanted, its, i) = value(root_world, side_rank, i);
    if (vector && later) {
        MPI_Iscatterv(buffer, counts, places, its->type, received, count, its->type, root, across, &request);
    } else if (vector) {
        MPI_Scatterv(buffer, counts, places, its->type, received, count, its->type, root, across);
    } else if (later) {
        MPI_Iscatter(buffer, count, its->type, received, count, its->type, root, across, &request);
    } else {
        MPI_Scatter(buffer, count, its->type, received, count, its->type, root, across);
    }
    if (later) finish(&request);
    compare(vector ? "scatterv" : "scatter", received, wanted);
}
static void reduce(int root, int is_root, int later, int from_low) {
    const int count = pick(40);
    MPI_Request request;
    for (int i = 0; i < count; ++i) {
        buffer[i] = value(rank, 4, i);
        if (is_root) wanted[i] = 0;
        for (int from = 0; from < other_size && is_root; ++from) wanted[i] += value(world_of(from_low, from), 4, i);
    }
    if (later) {
        MPI_Ireduce(buffer, received, count, MPI_INT, MPI_SUM, root, across, &request);
        finish(&request);
    } else {
        MPI_Reduce(buffer, received, count, MPI_INT, MPI_SUM, root, across);
    }
    compare("reduce", received, wanted);
}

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_inter_rooted");
    if (size > 1) {
        split_sides();
        for (int round = 0; round < 72; ++round) {
            const int later = pick(2), low_has_root = pick(2);
            const int sides = low == low_has_root ? side_size : other_size, at = pick(2 * 3 * 5 * 7 * 8) % sides;
            const int root = root_argument(low_has_root, at), is_root = root == MPI_ROOT, takes = low != low_has_root;
            const int root_world = world_of(low_has_root, at);
            clear(buffer);
            clear(received);
            clear(wanted);
            if (round % 6 == 0) bcast(root, is_root, root_world, takes, later);
            if (round % 6 == 1) gather(root, is_root, 0, later, !low_has_root);
            if (round % 6 == 2) gather(root, is_root, 1, later, !low_has_root);
            if (round % 6 == 3) scatter(root, is_root, root_world, takes, 0, later);
            if (round % 6 == 4) scatter(root, is_root, root_world, takes, 1, later);
            if (round % 6 == 5) reduce(root, is_root, later, !low_has_root);
        }
        free_sides();
    }
    return end();
}
