/* np: 5 */
/* A barrier between two groups: nobody leaves before all of the other group have come. */
#include "coll_inter.h"

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_inter_barrier");
    if (size > 1) {
        split_sides();
        for (int round = 0; round < 10; ++round) {
            MPI_Request request;
            int flag = 0, note = round;
            /* The low group begins, and must not end before rank 0 of the other one begins, which waits for all of them. */
            if (low) {
                MPI_Ibarrier(across, &request);
                for (int i = 0; i < 5; ++i) {
                    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
                    expect("too early", flag, 0);
                }
                MPI_Send(&note, 1, MPI_INT, 0, 1, across);
                finish(&request);
            } else {
                for (int from = 0; from < other_size && side_rank == 0; ++from) {
                    MPI_Recv(&note, 1, MPI_INT, from, 1, across, MPI_STATUS_IGNORE);
                    expect("note", note, round);
                }
                MPI_Ibarrier(across, &request);
                finish(&request);
            }
            MPI_Barrier(across);
        }
        free_sides();
    }
    return end();
}
