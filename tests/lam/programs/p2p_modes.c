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
    char room[10000];
    double data[500];
    MPI_Buffer_attach(room, sizeof room);
    for (int mode = 0; mode < 4; ++mode) {
        for (int n = 1; n <= 500; n *= 5) {
            if (rank == 0) {
                for (int i = 0; i < n; ++i) data[i] = mode * 1000 + i;
                if (mode == 3) MPI_Recv(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (mode == 0) MPI_Send(data, n, MPI_DOUBLE, 1, mode, MPI_COMM_WORLD);
                if (mode == 1) MPI_Bsend(data, n, MPI_DOUBLE, 1, mode, MPI_COMM_WORLD);
                if (mode == 2) MPI_Ssend(data, n, MPI_DOUBLE, 1, mode, MPI_COMM_WORLD);
                if (mode == 3) MPI_Rsend(data, n, MPI_DOUBLE, 1, mode, MPI_COMM_WORLD);
            } else {
                MPI_Status status;
                MPI_Request request;
                int count;
                double sum = 0;
                MPI_Irecv(data, 500, MPI_DOUBLE, 0, mode, MPI_COMM_WORLD, &request);
                if (mode == 3) MPI_Send(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD);
                MPI_Wait(&request, &status);
                MPI_Get_count(&status, MPI_DOUBLE, &count);
                for (int i = 0; i < count; ++i) sum += data[i];
                printf("%d: mode %d count %d sum %g tag %d\n", rank, mode, count, sum, status.MPI_TAG);
            }
        }
    }
    void* back;
    int bytes;
    MPI_Buffer_detach(&back, &bytes);
    printf("%d: %d %d\n", rank, back == room, bytes);
    MPI_Finalize();
    return 0;
}
