/* np: 2, finds: call-order */
#include <mpi.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Init(&argc, &argv);  /* wrong */
    MPI_Finalize();
    return 0;
}
