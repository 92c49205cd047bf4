/* np: 2 */
/* Non-blocking sends of all modes, completed in another order. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    enum { most = 3000 };
    static int out[4][most], in[4][most];
    int rank;
    MPI_Request requests[8];
    MPI_Status statuses[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int room = 4 * (int)sizeof out[0] + MPI_BSEND_OVERHEAD;
    void* buffer = malloc((size_t)room);
    int bytes;
    MPI_Buffer_attach(buffer, room);
    for (int length = 0; length <= most; length += 1500) {
        for (int k = 0; k < 4; ++k)
            for (int i = 0; i < most; ++i) out[k][i] = 100000 * rank + 10000 * k + i, in[k][i] = -1;
        for (int k = 0; k < 4; ++k) MPI_Irecv(in[k], most, MPI_INT, 1 - rank, k, MPI_COMM_WORLD, &requests[k]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irsend(out[3], length, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &requests[4]);
        MPI_Issend(out[2], length, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &requests[5]);
        MPI_Ibsend(out[1], length, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[6]);
        MPI_Isend(out[0], length, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[7]);
        MPI_Waitall(8, requests, statuses);
        for (int k = 0; k < 4; ++k) {
            int count, wrong = 0;
            MPI_Get_count(&statuses[k], MPI_INT, &count);
            for (int i = 0; i < most; ++i) wrong += in[k][i] != (i < length ? 100000 * (1 - rank) + 10000 * k + i : -1);
            printf("%d: length %d, mode %d: tag %d, count %d, wrong %d\n", rank, length, k, statuses[k].MPI_TAG, count, wrong);
        }
    }
    MPI_Buffer_detach(&buffer, &bytes);
    printf("%d: buffer %d\n", rank, bytes == room);
    free(buffer);
    MPI_Finalize();
    return 0;
}
