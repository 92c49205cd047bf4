/* np: 2, finds: missing-wait */
#include <mpi.h>

int main(int argc, char** argv) {
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);  /* wrong */
    MPI_Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
