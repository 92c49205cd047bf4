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
    static char room[4000];
    int value = rank, got;
    MPI_Request request;
    MPI_Buffer_attach(room, sizeof room);
    for (int mode = 0; mode < 3; ++mode) {
        if (rank == 0) {
            if (mode == 0) MPI_Bsend_init(&value, 1, MPI_INT, 1, mode, MPI_COMM_WORLD, &request);
            if (mode == 1) MPI_Ssend_init(&value, 1, MPI_INT, 1, mode, MPI_COMM_WORLD, &request);
            if (mode == 2) MPI_Rsend_init(&value, 1, MPI_INT, 1, mode, MPI_COMM_WORLD, &request);
            for (int i = 0; i < 2; ++i) {
                value = mode * 10 + i;
                MPI_Recv(NULL, 0, MPI_INT, 1, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Start(&request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            MPI_Request_free(&request);
        } else {
            for (int i = 0; i < 2; ++i) {
                MPI_Irecv(&got, 1, MPI_INT, 0, mode, MPI_COMM_WORLD, &request);
                MPI_Send(NULL, 0, MPI_INT, 0, 50, MPI_COMM_WORLD);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                printf("%d: mode %d got %d\n", rank, mode, got);
            }
        }
    }
    void* back;
    int bytes;
    MPI_Buffer_detach(&back, &bytes);
    MPI_Finalize();
    return 0;
}
