/* np: 2, finds: no-finalize */
#include <mpi.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);  /* wrong */
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
