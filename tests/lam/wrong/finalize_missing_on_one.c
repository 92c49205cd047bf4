/* np: 3, finds: no-finalize standstill */
#include <mpi.h>

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);  /* wrong */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) return 0;
    MPI_Finalize();  /* wrong */
    return 0;
}
