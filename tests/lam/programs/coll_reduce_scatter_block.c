/* np: 5 */
/* MPI_Reduce_scatter_block() and MPI_Ireduce_scatter_block(): in place half of the time. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_reduce_scatter_block");
    for (int round = 0; round < 50; ++round) {
        const int later = pick(2), in_place = pick(2), count = pick(30);
        MPI_Request request;
        clear(sent);
        clear(received);
        clear(wanted);
        for (int i = 0; i < count * size; ++i) {
            sent[i] = value(rank, 0, i);
            if (in_place) received[i] = sent[i];
        }
        for (int i = 0; i < count; ++i) {
            wanted[i] = 0;
            for (int from = 0; from < size; ++from) wanted[i] += value(from, 0, rank * count + i);
        }
        const void* from = in_place ? MPI_IN_PLACE : sent;
        if (later) {
            MPI_Ireduce_scatter_block(from, received, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Reduce_scatter_block(from, received, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        for (int i = count; i < ROOM && in_place; ++i) received[i] = GUARD;
        compare("reduce_scatter_block", received, wanted);
    }
    return end();
}
