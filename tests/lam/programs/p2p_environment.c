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
    int flag, version, subversion, length, provided, *value;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Initialized(&flag);
    printf("%d: initialized %d\n", rank, flag);
    MPI_Finalized(&flag);
    printf("%d: finalized %d\n", rank, flag);
    MPI_Get_version(&version, &subversion);
    printf("%d: version %d\n", rank, version >= 3);
    MPI_Get_processor_name(name, &length);
    printf("%d: name %d\n", rank, length > 0 && (int)strlen(name) == length);
    MPI_Is_thread_main(&flag);
    MPI_Query_thread(&provided);
    printf("%d: thread %d %d\n", rank, flag, provided >= MPI_THREAD_SINGLE);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    printf("%d: tag %d\n", rank, flag && *value >= 32767);
    double before = MPI_Wtime();
    while (MPI_Wtime() <= before) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    printf("%d: time %d %d\n", rank, MPI_Wtime() > before, MPI_Wtick() > 0);
    MPI_Pcontrol(1);
    MPI_Finalize();
    return 0;
}
