/* np: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[3], in[3];
    MPI_Request requests[2];
    MPI_Send_init(out, 3, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in, 3, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD, &requests[1]);
    for (int turn = 0; turn < 4; ++turn) {
        MPI_Status statuses[2];
        for (int i = 0; i < 3; ++i) out[i] = rank * 100 + turn * 10 + i;
        if (turn % 2 == 0) {
            MPI_Startall(2, requests);
        } else {
            MPI_Start(&requests[1]);
            MPI_Start(&requests[0]);
        }
        MPI_Waitall(2, requests, statuses);
        printf("%d: turn %d got %d %d %d from %d kept %d\n", rank, turn, in[0], in[1], in[2], statuses[1].MPI_SOURCE,
               requests[0] != MPI_REQUEST_NULL);
    }
    MPI_Status empty;
    MPI_Wait(&requests[0], &empty);
    printf("%d: empty %d %d\n", rank, empty.MPI_SOURCE == MPI_ANY_SOURCE, empty.MPI_TAG == MPI_ANY_TAG);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    printf("%d: freed %d\n", rank, requests[0] == MPI_REQUEST_NULL);
    MPI_Finalize();
    return 0;
}
