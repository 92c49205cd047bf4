/* np: 6 */
/* Product of matrices by broadcasts in rows and columns of a 2 x 3 grid (SUMMA). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { n = 12 };
int main(int argc, char** argv) {
    int rank, size, dims[2] = {0, 0};
    static double a[n][n], c[n][n], own[n][n];
    MPI_Comm row, column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    const int i = rank / dims[1], j = rank % dims[1], high = n / dims[0], wide = n / dims[1];
    MPI_Comm_split(MPI_COMM_WORLD, i, j, &row);
    MPI_Comm_split(MPI_COMM_WORLD, j, i, &column);
    for (int y = 0; y < high; ++y)
        for (int x = 0; x < wide; ++x) a[y][x] = (i * high + y) - (j * wide + x), c[y][x] = (i * high + y + j * wide + x) % 5;
    for (int k = 0; k < n; ++k) {
        double left[n], top[n];
        if (j == k / wide)
            for (int y = 0; y < high; ++y) left[y] = a[y][k % wide];
        if (i == k / high) memcpy(top, c[k % high], sizeof top);
        MPI_Bcast(left, high, MPI_DOUBLE, k / wide, row);
        MPI_Bcast(top, wide, MPI_DOUBLE, k / high, column);
        for (int y = 0; y < high; ++y)
            for (int x = 0; x < wide; ++x) own[y][x] += left[y] * top[x];
    }
    for (int y = 0; y < high; ++y) {
        printf("%d:", rank);
        for (int x = 0; x < wide; ++x) printf(" %g", own[y][x]);
        printf("\n");
    }
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Finalize();
    return 0;
}
