/* np: 6 */
/* MPI_Exscan() and MPI_Iexscan(): random counts, in place half of the time. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_exscan");
    for (int round = 0; round < 60; ++round) {
        const int count = pick(100), later = pick(2), in_place = pick(2);
        MPI_Request request;
        clear(sent);
        clear(received);
        clear(wanted);
        for (int i = 0; i < count; ++i) {
            int total = 0;
            sent[i] = value(rank, 0, i);
            for (int from = 0; from < rank; ++from) total += value(from, 0, i);
            wanted[i] = total;
            if (in_place) received[i] = sent[i];
            /* Nobody is before rank 0: MPI_Exscan() leaves its buffer as it is. */
            if (rank == 0) wanted[i] = received[i];
        }
        const void* from = in_place ? MPI_IN_PLACE : sent;
        if (later) {
            MPI_Iexscan(from, received, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Exscan(from, received, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        compare("exscan", received, wanted);
    }
    return end();
}
