/* np: 7 */
/* A barrier that does not block is incomplete until the last rank begins it. */
#include "coll_check.h"

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_ibarrier");
    for (int round = 0; round < 10; ++round) {
        const int last = pick(size);
        MPI_Request request;
        int flag = 0, token = 0;
        if (rank == last) {
            for (int from = 0; from < size; ++from)
                if (from != rank) MPI_Recv(&token, 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Ibarrier(MPI_COMM_WORLD, &request);
        } else {
            MPI_Ibarrier(MPI_COMM_WORLD, &request);
            for (int turn = 0; turn < 5; ++turn) {
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
                expect("complete too early", flag, 0);
            }
            MPI_Send(&token, 1, MPI_INT, last, 5, MPI_COMM_WORLD);
        }
        for (flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        expect("null request", request == MPI_REQUEST_NULL, 1);
    }
    return end();
}
