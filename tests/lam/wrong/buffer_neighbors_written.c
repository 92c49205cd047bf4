/* np: 4, finds: buffer-in-use */
#include <mpi.h>

int main(int argc, char** argv) {
    const int dims[1] = {4}, periods[1] = {1};
    double values[2] = {1, 2}, came[2];
    MPI_Comm ring;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Ineighbor_alltoall(values, 1, MPI_DOUBLE, came, 1, MPI_DOUBLE, ring, &request);  /* wrong */
    values[1] = 7;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
