/* np: 2, finds: call-order */
#include <mpi.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD);  /* wrong */
    return 0;
}
