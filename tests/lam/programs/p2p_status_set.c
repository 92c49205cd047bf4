/* np: 1 */
/* A status that the program fills in itself. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    MPI_Status status = {0};
    MPI_Datatype pair;
    int count, elements, flag, provided, length, version, subversion;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Get_library_version(text, &length);
    MPI_Get_version(&version, &subversion);
    printf("0: %d %d %d\n", provided >= MPI_THREAD_SINGLE, length > 0 && text[length] == '\0', version >= 3);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int n = 0; n < 5; ++n) {
        MPI_Status_set_elements(&status, MPI_INT, n);
        MPI_Status_set_cancelled(&status, n % 2);
        MPI_Get_count(&status, pair, &count);
        MPI_Get_elements(&status, pair, &elements);
        MPI_Test_cancelled(&status, &flag);
        printf("0: %d ints: %d, %d elements, cancelled %d\n", n, count == MPI_UNDEFINED ? -1 : count, elements, flag);
    }
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
