/* np: 3, finds: none */
#include <mpi.h>
#include <stddef.h>
/* The first rank of MPI_Exscan() has no result: its recvbuf may be null, and may change meanwhile. */
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, own = 2, sum = 0, other = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Exscan(&own, rank == 0 ? NULL : &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Iexscan(&own, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 0) other = 5;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
