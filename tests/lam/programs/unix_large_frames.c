/* np: 4 */
/* Local arrays of some megabytes, as programs for computers with large stacks have them. */
#include <mpi.h>
#include <stdio.h>

enum { n = 850 };
static double fill(int rank) {
    double field[n][n];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) field[i][j] = i + rank;
    MPI_Barrier(MPI_COMM_WORLD);
    return field[n - 1][n - 1] + field[0][0];
}
int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d: %g\n", rank, fill(rank));
    MPI_Finalize();
    return 0;
}
