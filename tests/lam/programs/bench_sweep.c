/* np: 4, finds: buffer-in-use */
/* In the way of benchmarks: ping-pong, windows of sends, and collectives over sizes; times are taken, data are checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 1 << 16, window = 16 };
static char *out, *in;
static int rank, size;
static int wrong_bytes(int bytes, int value) {
    int wrong = 0;
    for (int i = 0; i < bytes; ++i) wrong += in[i] != (char)value;
    return wrong;
}
static void ping_pong(int bytes) {
    int wrong = 0;
    for (int i = 0; i < 4; ++i) {
        if (rank == 0) {
            MPI_Send(out, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(in, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += wrong_bytes(bytes, 'b');
        } else if (rank == 1) {
            MPI_Recv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += wrong_bytes(bytes, 'a');
            MPI_Send(out, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        }
    }
    printf("%d: ping-pong of %d, wrong %d\n", rank, bytes, wrong);
}
static void bandwidth(int bytes) {
    MPI_Request requests[window];
    int answer = 0;
    if (rank % 2 == 0) {
        for (int i = 0; i < window; ++i) MPI_Isend(out, bytes, MPI_CHAR, rank + 1, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
        MPI_Recv(&answer, 1, MPI_INT, rank + 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < window; ++i) MPI_Irecv(in, bytes, MPI_CHAR, rank - 1, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
        answer = wrong_bytes(bytes, 'a' + rank - 1);
        MPI_Send(&answer, 1, MPI_INT, rank - 1, 99, MPI_COMM_WORLD);
    }
    printf("%d: window of %d, wrong %d\n", rank, bytes, answer);
}
static void collectives(int bytes) {
    const double start = MPI_Wtime();
    double least, own;
    int wrong = 0;
    MPI_Bcast(rank == 2 ? out : in, bytes, MPI_CHAR, 2, MPI_COMM_WORLD);
    if (rank != 2) wrong += wrong_bytes(bytes, 'c');
    MPI_Alltoall(out, bytes / size, MPI_CHAR, in, bytes / size, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < bytes / size * size; ++i) wrong += in[i] != 'a' + i / (bytes / size);
    MPI_Allgather(out, bytes / size, MPI_CHAR, in, bytes / size, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < bytes / size * size; ++i) wrong += in[i] != 'a' + i / (bytes / size);
    MPI_Reduce(out, in, bytes, MPI_SIGNED_CHAR, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) wrong += wrong_bytes(bytes, 'a' + size - 1);
    MPI_Barrier(MPI_COMM_WORLD);
    own = MPI_Wtime() - start;
    MPI_Reduce(&own, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    printf("%d: collectives of %d, wrong %d, time %d\n", rank, bytes, wrong, rank != 0 || (least >= 0 && least <= own));
}
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = malloc(most);
    in = malloc(most);
    memset(out, 'a' + rank, most);
    for (int bytes = 0; bytes <= most; bytes = bytes == 0 ? 1 : 4 * bytes) {
        ping_pong(bytes);
        bandwidth(bytes);
        collectives(bytes);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
