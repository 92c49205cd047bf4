/* np: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int data[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, class;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Send(data, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(data, 10, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        int code = MPI_Recv(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Error_class(code, &class);
        printf("%d: truncate %d\n", rank, class == MPI_ERR_TRUNCATE);
        code = MPI_Recv(data, 10, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d: then %d, last %d\n", rank, code == MPI_SUCCESS, data[9]);
    }
    MPI_Finalize();
    return 0;
}
