/* np: 2 */
/* Each operation on MPI_COMM_SELF: one rank alone. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int a[ROOM], b[ROOM], wanted[ROOM];
    int counts[1] = {10}, places[1] = {3}, offsets[1] = {12}, zeros[1] = {0};
    MPI_Datatype types[1] = {MPI_INT};
    const MPI_Comm self = MPI_COMM_SELF;
    MPI_Request requests[17];
    start(&argc, &argv, "coll_self");
    clear(a);
    clear(wanted);
    for (int i = 0; i < 10; ++i) wanted[i] = a[i] = value(rank, 0, i);
    MPI_Barrier(self);
    MPI_Bcast(a, 10, MPI_INT, 0, self);
    compare("bcast", a, wanted);
#define CHECK(call) \
    clear(b);       \
    call;           \
    compare(#call, b, wanted)
    CHECK(MPI_Gather(a, 10, MPI_INT, b, 10, MPI_INT, 0, self));
    CHECK(MPI_Scatter(a, 10, MPI_INT, b, 10, MPI_INT, 0, self));
    CHECK(MPI_Allgather(a, 10, MPI_INT, b, 10, MPI_INT, self));
    CHECK(MPI_Alltoall(a, 10, MPI_INT, b, 10, MPI_INT, self));
    CHECK(MPI_Reduce(a, b, 10, MPI_INT, MPI_SUM, 0, self));
    CHECK(MPI_Allreduce(a, b, 10, MPI_INT, MPI_PROD, self));
    CHECK(MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_MAX, self));
    CHECK(MPI_Reduce_scatter_block(a, b, 10, MPI_INT, MPI_MIN, self));
    CHECK(MPI_Scan(a, b, 10, MPI_INT, MPI_SUM, self));
    CHECK(MPI_Scatterv(a, counts, zeros, MPI_INT, b, 10, MPI_INT, 0, self));
    CHECK(MPI_Gatherv(a, 10, MPI_INT, b, counts, zeros, MPI_INT, 0, self));
    CHECK(MPI_Allgatherv(a, 10, MPI_INT, b, counts, zeros, MPI_INT, self));
    clear(wanted);
    CHECK(MPI_Exscan(a, b, 10, MPI_INT, MPI_SUM, self));
    for (int i = 0; i < 10; ++i) wanted[i + 3] = a[i];
    CHECK(MPI_Gatherv(a, 10, MPI_INT, b, counts, places, MPI_INT, 0, self));
    CHECK(MPI_Alltoallv(a, counts, zeros, MPI_INT, b, counts, places, MPI_INT, self));
    CHECK(MPI_Alltoallw(a, counts, zeros, types, b, counts, offsets, types, self));
    static int c[17][ROOM];
    for (int i = 0; i < 17; ++i) clear(c[i]);
    memcpy(c[1], a, sizeof a);
    MPI_Ibarrier(self, &requests[0]);
    MPI_Ibcast(c[1], 10, MPI_INT, 0, self, &requests[1]);
    MPI_Igather(a, 10, MPI_INT, c[2], 10, MPI_INT, 0, self, &requests[2]);
    MPI_Igatherv(a, 10, MPI_INT, c[3], counts, zeros, MPI_INT, 0, self, &requests[3]);
    MPI_Iscatter(a, 10, MPI_INT, c[4], 10, MPI_INT, 0, self, &requests[4]);
    MPI_Iscatterv(a, counts, zeros, MPI_INT, c[5], 10, MPI_INT, 0, self, &requests[5]);
    MPI_Iallgather(a, 10, MPI_INT, c[6], 10, MPI_INT, self, &requests[6]);
    MPI_Iallgatherv(a, 10, MPI_INT, c[7], counts, zeros, MPI_INT, self, &requests[7]);
    MPI_Ialltoall(a, 10, MPI_INT, c[8], 10, MPI_INT, self, &requests[8]);
    MPI_Ialltoallv(a, counts, zeros, MPI_INT, c[9], counts, zeros, MPI_INT, self, &requests[9]);
    MPI_Ialltoallw(a, counts, zeros, types, c[10], counts, zeros, types, self, &requests[10]);
    MPI_Ireduce(a, c[11], 10, MPI_INT, MPI_SUM, 0, self, &requests[11]);
    MPI_Iallreduce(a, c[12], 10, MPI_INT, MPI_SUM, self, &requests[12]);
    MPI_Ireduce_scatter(a, c[13], counts, MPI_INT, MPI_SUM, self, &requests[13]);
    MPI_Ireduce_scatter_block(a, c[14], 10, MPI_INT, MPI_SUM, self, &requests[14]);
    MPI_Iscan(a, c[15], 10, MPI_INT, MPI_SUM, self, &requests[15]);
    MPI_Iexscan(a, c[16], 10, MPI_INT, MPI_SUM, self, &requests[16]);
    MPI_Waitall(17, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i < 16; ++i) compare("later", c[i], a);
    clear(wanted);
    compare("barrier", c[0], wanted);
    compare("iexscan", c[16], wanted);
    return end();
}
