/* np: 8 */
/* MPI_Allreduce() and MPI_Iallreduce(): random counts, in place half of the time. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_allreduce");
    for (int round = 0; round < 60; ++round) {
        const int count = pick(200), later = pick(2), in_place = pick(2), min = pick(2);
        const MPI_Op op = min ? MPI_MIN : MPI_SUM;
        MPI_Request request;
        clear(sent);
        clear(received);
        clear(wanted);
        for (int i = 0; i < count; ++i) {
            sent[i] = value(rank, 0, i) * (i % 3 - 1);
            if (in_place) received[i] = sent[i];
            wanted[i] = value(0, 0, i) * (i % 3 - 1);
            for (int from = 1; from < size; ++from) {
                const int its = value(from, 0, i) * (i % 3 - 1);
                wanted[i] = !min ? wanted[i] + its : its < wanted[i] ? its : wanted[i];
            }
        }
        const void* from = in_place ? MPI_IN_PLACE : sent;
        if (later) {
            MPI_Iallreduce(from, received, count, MPI_INT, op, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Allreduce(from, received, count, MPI_INT, op, MPI_COMM_WORLD);
        }
        compare("allreduce", received, wanted);
    }
    return end();
}
