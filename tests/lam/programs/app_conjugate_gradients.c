/* np: 5 */
/* Conjugate gradients on the one-dimensional Laplacian, in rows that do not divide evenly. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, rows;
static double dot(const double* a, const double* b) {
    double own = 0, all;
    for (int i = 1; i <= rows; ++i) own += a[i] * b[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
static void multiply(double* p, double* result) {
    const int left = rank == 0 ? MPI_PROC_NULL : rank - 1, right = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
    p[0] = p[rows + 1] = 0;
    MPI_Sendrecv(&p[1], 1, MPI_DOUBLE, left, 0, &p[rows + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&p[rows], 1, MPI_DOUBLE, right, 1, &p[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= rows; ++i) result[i] = 2.1 * p[i] - p[i - 1] - p[i + 1];
}
int main(int argc, char** argv) {
    enum { n = 103 };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rows = n / size + (rank < n % size);
    double* v[4];
    for (int k = 0; k < 4; ++k) v[k] = calloc((size_t)rows + 2, sizeof(double));
    double *x = v[0], *r = v[1], *p = v[2], *q = v[3];
    for (int i = 1; i <= rows; ++i) r[i] = p[i] = 1;
    double rho = dot(r, r);
    int steps = 0;
    for (; rho > 1e-18 && steps < 200; ++steps) {
        multiply(p, q);
        const double alpha = rho / dot(p, q);
        for (int i = 1; i <= rows; ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
        const double next = dot(r, r), beta = next / rho;
        for (int i = 1; i <= rows; ++i) p[i] = r[i] + beta * p[i];
        rho = next;
    }
    printf("%d: %d rows, %s, first %.8f, last %.8f\n", rank, rows, steps < 200 ? "converged" : "not", x[1], x[rows]);
    MPI_Finalize();
    return 0;
}
