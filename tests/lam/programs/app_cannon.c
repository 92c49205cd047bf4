/* np: 9 */
/* Cannon's product of matrices on a torus of 3 x 3, against the plain product. */
#include <mpi.h>
#include <stdio.h>

enum { b = 4, q = 3, n = b * q };
static double entry(int which, int i, int j) {
    return which == 0 ? (i * 7 + j * 3) % 11 - 5 : (i * 5 + j * 2) % 13 - 6;
}
int main(int argc, char** argv) {
    int rank, dims[] = {q, q}, periods[] = {1, 1}, at[2], from, to, wrong = 0, all;
    double a[b][b], c[b][b], product[b][b] = {{0}};
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, at);
    for (int i = 0; i < b; ++i)
        for (int j = 0; j < b; ++j) a[i][j] = entry(0, at[0] * b + i, at[1] * b + j), c[i][j] = entry(1, at[0] * b + i, at[1] * b + j);
    MPI_Cart_shift(grid, 1, -at[0], &from, &to);
    MPI_Sendrecv_replace(a, b * b, MPI_DOUBLE, to, 0, from, 0, grid, MPI_STATUS_IGNORE);
    MPI_Cart_shift(grid, 0, -at[1], &from, &to);
    MPI_Sendrecv_replace(c, b * b, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
    for (int step = 0; step < q; ++step) {
        for (int i = 0; i < b; ++i)
            for (int j = 0; j < b; ++j)
                for (int k = 0; k < b; ++k) product[i][j] += a[i][k] * c[k][j];
        MPI_Cart_shift(grid, 1, -1, &from, &to);
        MPI_Sendrecv_replace(a, b * b, MPI_DOUBLE, to, 2, from, 2, grid, MPI_STATUS_IGNORE);
        MPI_Cart_shift(grid, 0, -1, &from, &to);
        MPI_Sendrecv_replace(c, b * b, MPI_DOUBLE, to, 3, from, 3, grid, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < b; ++i)
        for (int j = 0; j < b; ++j) {
            double expected = 0;
            for (int k = 0; k < n; ++k) expected += entry(0, at[0] * b + i, k) * entry(1, k, at[1] * b + j);
            wrong += expected != product[i][j];
        }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, grid);
    printf("%d: at %d %d corner %g, wrong %d\n", rank, at[0], at[1], product[0][0], all);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
