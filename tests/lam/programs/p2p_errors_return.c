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
    int value = 0, class, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int codes[6];
    codes[0] = MPI_Send(&value, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
    codes[1] = MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    codes[2] = MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
    codes[3] = MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);
    codes[4] = MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
    codes[5] = MPI_Recv(&value, 1, MPI_INT, -9, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int wanted[6] = {MPI_ERR_RANK, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_COMM, MPI_ERR_RANK};
    for (int i = 0; i < 6; ++i) {
        MPI_Error_class(codes[i], &class);
        MPI_Error_string(codes[i], text, &length);
        printf("%d: %d %d %d\n", rank, i, class == wanted[i], length > 0);
    }
    MPI_Finalize();
    return 0;
}
