/* np: 2, finds: buffer-in-use, built: -fsanitize=thread */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank, value = 0, all[3] = {0}, own = 5, seen = 0;
    MPI_Request request, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);  /* wrong */
        printf("%d\n", value);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&own, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Iallgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &other);  /* wrong */
    seen = all[1] + own;
    MPI_Wait(&other, MPI_STATUS_IGNORE);
    printf("%d\n", seen + all[0]);
    MPI_Finalize();
    return 0;
}
