/* np: 4 */
/* Heat in a plate: blocks of a 2 x 2 grid exchange rows, and columns by a strided type. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { n = 12 };
int main(int argc, char** argv) {
    int rank, dims[2] = {0, 0}, periods[2] = {0, 0}, at[2], up, down, left, right, size;
    static double old[n + 2][n + 2], now[n + 2][n + 2];
    double change = 1, all;
    int steps = 0;
    MPI_Comm grid;
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, at);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    MPI_Type_vector(n, 1, n + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int j = 0; at[0] == 0 && j < n + 2; ++j) old[0][j] = now[0][j] = 100;
    while (change > 0.05 && steps < 400) {
        MPI_Request requests[8];
        MPI_Irecv(&old[0][1], n, MPI_DOUBLE, up, 0, grid, &requests[0]);
        MPI_Irecv(&old[n + 1][1], n, MPI_DOUBLE, down, 1, grid, &requests[1]);
        MPI_Irecv(&old[1][0], 1, column, left, 2, grid, &requests[2]);
        MPI_Irecv(&old[1][n + 1], 1, column, right, 3, grid, &requests[3]);
        MPI_Isend(&old[n][1], n, MPI_DOUBLE, down, 0, grid, &requests[4]);
        MPI_Isend(&old[1][1], n, MPI_DOUBLE, up, 1, grid, &requests[5]);
        MPI_Isend(&old[1][n], 1, column, right, 2, grid, &requests[6]);
        MPI_Isend(&old[1][1], 1, column, left, 3, grid, &requests[7]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        double own = 0;
        for (int i = 1; i <= n; ++i)
            for (int j = 1; j <= n; ++j) {
                now[i][j] = (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]) / 4;
                own = fmax(own, fabs(now[i][j] - old[i][j]));
            }
        for (int i = 1; i <= n; ++i)
            for (int j = 1; j <= n; ++j) old[i][j] = now[i][j];
        MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_MAX, grid);
        ++steps;
    }
    double sum = 0;
    for (int i = 1; i <= n; ++i)
        for (int j = 1; j <= n; ++j) sum += old[i][j];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
    printf("%d: at %d %d, %d steps, sum %.6f\n", rank, at[0], at[1], steps, sum);
    if (rank == 0) printf("0: all %.6f\n", all);
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
