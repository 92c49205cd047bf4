/* np: 2, finds: collective-mismatch */
/* Rank 0 only receives in both, so nothing would stop it. */
#include <mpi.h>

int main(int argc, char** argv) {
    int rank, value = 1, all[2], more[2];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);  /* wrong */
    MPI_Iallgather(&value, 1, MPI_INT, more, 1, MPI_INT, MPI_COMM_WORLD, &request);  /* wrong */
    MPI_Wait(&request, MPI_STATUS_IGNORE);  /* wrong */
    if (rank == 0) MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);  /* wrong */
    MPI_Finalize();
    return 0;
}
