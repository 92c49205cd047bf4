/* np: 6 */
/* MPI_Alltoall(), MPI_Alltoallv() and MPI_Alltoallw() in place, and their forms that do not block. */
#include "coll_check.h"

static void run(int function, int later, void* buffer, int* counts, int* places, int* offsets, MPI_Datatype* types) {
    MPI_Request request = MPI_REQUEST_NULL;
    const MPI_Comm comm = MPI_COMM_WORLD;
    void* const here = MPI_IN_PLACE;
    if (function == 0 && later) {
        MPI_Ialltoall(here, 0, MPI_DATATYPE_NULL, buffer, counts[0], types[0], comm, &request);
    } else if (function == 0) {
        MPI_Alltoall(here, 0, MPI_DATATYPE_NULL, buffer, counts[0], types[0], comm);
    } else if (function == 1 && later) {
        MPI_Ialltoallv(here, NULL, NULL, MPI_DATATYPE_NULL, buffer, counts, places, types[0], comm, &request);
    } else if (function == 1) {
        MPI_Alltoallv(here, NULL, NULL, MPI_DATATYPE_NULL, buffer, counts, places, types[0], comm);
    } else if (later) {
        MPI_Ialltoallw(here, NULL, NULL, NULL, buffer, counts, offsets, types, comm, &request);
    } else {
        MPI_Alltoallw(here, NULL, NULL, NULL, buffer, counts, offsets, types, comm);
    }
    if (later) finish(&request);
}

int main(int argc, char** argv) {
    static int buffer[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_alltoall_in_place");
    for (int round = 0; round < 48; ++round) {
        const int function = round % 3, later = pick(2), shift = pick(KINDS);
        int ints[MOST_RANKS][MOST_RANKS], counts[MOST_RANKS], places[MOST_RANKS], offsets[MOST_RANKS], at = 0;
        MPI_Datatype types[MOST_RANKS];
        const int equal = 6 * pick(6);
        for (int a = 0; a < size; ++a)
            for (int b = a; b < size; ++b) ints[a][b] = ints[b][a] = function == 0 ? equal : 6 * pick(4);
        clear(buffer);
        clear(wanted);
        for (int other = 0; other < size; ++other) {
            /* Both ranks of a pair use one layout. MPI_Ialltoallw() of MPICH 4.0.2 fails for other types. */
            const int choice = function == 2 ? rank + other + shift : shift;
            const struct kind* its = &kinds[choice % (later && function == 2 ? 1 : KINDS)];
            types[other] = its->type;
            counts[other] = ints[rank][other] / its->n;
            places[other] = at;
            offsets[other] = other * 120 * (int)sizeof(int);
            for (int i = 0; i < ints[rank][other]; ++i) {
                const int shifted = function == 2 ? offsets[other] / (int)sizeof(int) : at * its->extent;
                *place(buffer + shifted, its, i) = value(rank, other, i);
                *place(wanted + shifted, its, i) = value(other, rank, i);
            }
            at += counts[other] + (function == 1);
        }
        run(function, later, buffer, counts, places, offsets, types);
        compare("in place", buffer, wanted);
    }
    return end();
}
