/* np: 2, finds: call-order */
#include <mpi.h>

int main(int argc, char** argv) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);  /* wrong */
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
