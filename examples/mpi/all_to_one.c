/* Figure 1 of the paper on races: everybody receives from everybody. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    int me, p, n = argc > 1 ? atoi(argv[1]) : 500, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    double begin = MPI_Wtime();
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < p; ++j) {
            if (j == me) {
                for (int k = 0; k < p - 1; ++k) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Send(&i, 1, MPI_INT, j, 0, MPI_COMM_WORLD);
            }
        }
    }
    if (me == 0) printf("%d ranks, n %d: %.3f s modelled, %d messages\n", p, n, MPI_Wtime() - begin, n * p * (p - 1));
    MPI_Finalize();
    return 0;
}
