/* np: 3, exit: 7 */
/* One rank ends all; the others wait for ever. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank, word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d: begins\n", rank);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d: never\n", rank);
    MPI_Finalize();
    return 0;
}
