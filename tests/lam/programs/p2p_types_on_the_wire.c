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
    char c = 'x';
    short s = -7;
    long l = 1234567890123L;
    float f = 1.5f;
    double d = 2.25;
    unsigned u = 4000000000u;
    long long ll = -5;
    if (rank == 0) {
        MPI_Send(&c, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&s, 1, MPI_SHORT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&l, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&f, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&d, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&u, 1, MPI_UNSIGNED, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&ll, 1, MPI_LONG_LONG, 1, 0, MPI_COMM_WORLD);
    } else {
        c = s = l = f = d = u = ll = 0;
        MPI_Recv(&c, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&s, 1, MPI_SHORT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&l, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&f, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&d, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&u, 1, MPI_UNSIGNED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&ll, 1, MPI_LONG_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d: %c %d %ld %g %g %u %lld\n", rank, c, s, l, f, d, u, ll);
    }
    MPI_Finalize();
    return 0;
}
