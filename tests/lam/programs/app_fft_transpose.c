/* np: 4 */
/* A Fourier transform in two dimensions: rows, a transposition by Alltoall with a strided type, rows again; and back. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { n = 16 };
static void transform(double complex* row, int sign) {
    double complex result[n];
    for (int k = 0; k < n; ++k) {
        result[k] = 0;
        for (int i = 0; i < n; ++i) result[k] += row[i] * cexp(sign * 2 * M_PI * I * i * k / n);
    }
    for (int k = 0; k < n; ++k) row[k] = result[k];
}
int main(int argc, char** argv) {
    int rank, size;
    static double complex own[n][n], other[n][n];
    MPI_Datatype column, block;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rows = n / size;
    MPI_Type_vector(rows, 1, n, MPI_C_DOUBLE_COMPLEX, &column);
    MPI_Type_create_hvector(rows, 1, sizeof(double complex), column, &block);
    MPI_Datatype step;
    MPI_Type_create_resized(block, 0, rows * (MPI_Aint)sizeof(double complex), &step);
    MPI_Type_commit(&step);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < n; ++j) own[i][j] = (rank * rows + i) % 5 + I * (j % 3);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < rows; ++i) transform(own[i], sign);
        MPI_Alltoall(own, 1, step, other, rows * rows, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
        for (int part = 0; part < size; ++part)
            for (int i = 0; i < rows; ++i)
                for (int j = 0; j < rows; ++j) own[i][part * rows + j] = ((double complex*)other)[(part * rows + i) * rows + j];
        for (int i = 0; i < rows; ++i) transform(own[i], sign);
        if (sign < 0) printf("%d: %.6f %.6f\n", rank, creal(own[0][0]), cabs(own[1][3]));
    }
    double worst = 0;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < n; ++j) worst = fmax(worst, cabs(own[i][j] / (n * n) - ((rank * rows + i) % 5 + I * (j % 3))));
    printf("%d: back %d\n", rank, worst < 1e-9);
    MPI_Type_free(&step);
    MPI_Type_free(&block);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
