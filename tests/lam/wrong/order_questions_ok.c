/* np: 2, finds: none */
/* These may be asked at all times. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int flag = 1, version = 0, subversion = 0;
    MPI_Initialized(&flag);
    MPI_Get_version(&version, &subversion);
    if (flag) printf("initialized\n");
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Finalized(&flag);
    if (!flag) printf("not finalized\n");
    return version == 3 ? 0 : 1;
}
