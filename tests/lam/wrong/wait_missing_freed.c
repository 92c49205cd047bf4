/* np: 2, finds: missing-wait */
/* No message tells the end of the sends before MPI_Finalize(). */
#include <mpi.h>

int main(int argc, char** argv) {
    int rank, value = 1, other = 0;
    MPI_Request sent, received;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Isend(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &sent);  /* wrong */
    MPI_Irecv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &received);
    MPI_Wait(&received, MPI_STATUS_IGNORE);
    MPI_Request_free(&sent);
    MPI_Finalize();
    return 0;
}
