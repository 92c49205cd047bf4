/* np: 5 */
/* Operations that block between the beginning and end of others that do not, and messages with wildcards beside them. */
#include "coll_check.h"

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_mixed");
    for (int round = 0; round < 20; ++round) {
        const int root = pick(size);
        int own = rank + round, total = 0, most = 0, told = rank == root ? round * 3 : -1, came = -1, all[MOST_RANKS];
        MPI_Request requests[3];
        MPI_Status status;
        /* No collective operation may give this receive its data. */
        MPI_Irecv(&came, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Iallreduce(&own, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
        MPI_Ibcast(&told, 1, MPI_INT, root, MPI_COMM_WORLD, &requests[2]);
        MPI_Allreduce(&own, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&own, 1, MPI_INT, (rank + 1) % size, 40 + round, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], &status);
        MPI_Waitall(2, requests + 1, MPI_STATUSES_IGNORE);
        expect("came", came, (rank + size - 1) % size + round);
        expect("source", status.MPI_SOURCE, (rank + size - 1) % size);
        expect("tag", status.MPI_TAG, 40 + round);
        expect("total", total, size * (size - 1) / 2 + size * round);
        expect("most", most, size - 1 + round);
        expect("told", told, round * 3);
        for (int i = 0; i < size; ++i) expect("all", all[i], i + round);
    }
    return end();
}
