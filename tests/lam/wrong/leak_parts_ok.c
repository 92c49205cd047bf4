/* np: 2, finds: none */
/* Objects that others still use are freed by the program all the same. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Datatype inner, outer;
    MPI_Info info;
    MPI_Comm comm;
    MPI_Group group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(2, MPI_INT, &inner);
    MPI_Type_vector(2, 1, 2, inner, &outer);
    MPI_Type_free(&inner);
    MPI_Type_commit(&outer);
    MPI_Type_free(&outer);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Info_create(&info);
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    MPI_Comm_group(comm, &group);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
