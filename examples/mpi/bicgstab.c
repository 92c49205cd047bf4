/* BiCGSTAB with a random band matrix, as the paper on races in MPI measures it (figure 6, right).
 *
 * Each rank has a block of rows. Before a product the ranks exchange the ends of their parts with both neighbours. These receives
 * name no source: the part that comes first is taken first, so the two race. The place of a part follows from its source, so the
 * result does not depend on the order. Sums are MPI_Allreduce(). Rank 0 prints MFLOPS of the iterations.
 *
 *   magicwire mpicc -O2 -o bicgstab examples/mpi/bicgstab.c -lm
 *   magicwire mpirun -np 16 ./bicgstab                    # 16384 rows, bandwidth 201, 2 iterations
 *   magicwire mpirun -np 4 --races ./bicgstab 256 41 8 check
 *
 * Arguments: rows, bandwidth, iterations. With "check" rank 0 solves the system alone, too, and compares. With "print" it
 * prints the solution; the part of a rank is vector[x][half] and the `count - 1` values behind it. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { parts_tag = 1, solution_tag = 2 };

static int rank, size;
static int rows, half;  /* of the matrix; entries of a row on each side of the diagonal */
static int first, count; /* own rows */

static int first_of(int its_rank, int ranks) {
    return (int)((long)rows * its_rank / ranks);
}

/* -1 to 1, the same on every rank. */
static double entry_of(int row, int column) {
    unsigned x = (unsigned)row * 2654435761u ^ ((unsigned)column * 40503u + 12345u);
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    const double random = x / 2147483648.0 - 1.0;
    return row == column ? random + 2.0 * sqrt(2.0 * half + 1) : random;
}

static double* allocate(long values) {
    double* const memory = calloc((size_t)values, sizeof *memory);
    if (memory == NULL) {
        fprintf(stderr, "rank %d: no memory for %ld values\n", rank, values);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

/* Rows of 2 half + 1 values; those outside of the matrix are 0. */
static double* make_matrix(int from, int its_count) {
    const int width = 2 * half + 1;
    double* const matrix = allocate((long)its_count * width);
    for (int i = 0; i < its_count; ++i) {
        for (int k = 0; k < width; ++k) {
            const int column = from + i + k - half;
            if (column >= 0 && column < rows) matrix[(long)i * width + k] = entry_of(from + i, column);
        }
    }
    return matrix;
}

/* The parts of both neighbours, in whichever order they come. A vector has `half` values of room on each side. */
static void exchange(double* vector) {
    MPI_Request sent[2];
    const int left = rank > 0, right = rank < size - 1;
    int sending = 0;
    if (left) MPI_Isend(vector + half, half, MPI_DOUBLE, rank - 1, parts_tag, MPI_COMM_WORLD, &sent[sending++]);
    if (right) MPI_Isend(vector + count, half, MPI_DOUBLE, rank + 1, parts_tag, MPI_COMM_WORLD, &sent[sending++]);
    double* const part = vector + count + 2 * half; /* room behind it */
    for (int waits = left + right; waits > 0; --waits) {
        MPI_Status status;
        MPI_Recv(part, half, MPI_DOUBLE, MPI_ANY_SOURCE, parts_tag, MPI_COMM_WORLD, &status);
        memcpy(status.MPI_SOURCE < rank ? vector : vector + half + count, part, (size_t)half * sizeof *part);
    }
    MPI_Waitall(sending, sent, MPI_STATUSES_IGNORE);
}

static void multiply(const double* matrix, double* vector, double* product, int alone) {
    const int width = 2 * half + 1;
    if (!alone) exchange(vector);
    for (int i = 0; i < count; ++i) {
        const double *its = matrix + (long)i * width, *from = vector + i;
        double sum = 0;
        for (int k = 0; k < width; ++k) sum += its[k] * from[k];
        product[half + i] = sum;
    }
}

/* Scalar products of two pairs of vectors at once; the second pair may be NULL. */
static void products(const double* a, const double* b, const double* c, const double* d, double* both, int alone) {
    double own[2] = {0, 0};
    for (int i = half; i < half + count; ++i) own[0] += a[i] * b[i];
    for (int i = half; c != NULL && i < half + count; ++i) own[1] += c[i] * d[i];
    if (alone)
        memcpy(both, own, sizeof own);
    else
        MPI_Allreduce(own, both, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

enum { x, r, r0, p, v, s, t, vectors };
static double* vector[vectors];

static void allocate_vectors(void) {
    for (int i = 0; i < vectors; ++i) vector[i] = allocate(count + 3L * half);
}
static void free_vectors(void) {
    for (int i = 0; i < vectors; ++i) free(vector[i]);
}

/* The right side is that of a solution of ones. The first guess is 0. Returns the square of the residual. */
static double begin_solving(const double* matrix, int alone) {
    double both[2];
    for (int i = 0; i < count; ++i) vector[s][half + i] = 1;
    multiply(matrix, vector[s], vector[r], alone);
    for (int i = half; i < half + count; ++i) vector[r0][i] = vector[p][i] = vector[r][i];
    products(vector[r], vector[r], NULL, NULL, both, alone);
    return both[0];
}

static double solve(const double* matrix, int iterations, double rho, int alone) {
    double both[2] = {rho, rho};
    for (int step = 0; step < iterations; ++step) {
        multiply(matrix, vector[p], vector[v], alone);
        products(vector[r0], vector[v], NULL, NULL, both, alone);
        const double alpha = rho / both[0];
        for (int i = half; i < half + count; ++i) vector[s][i] = vector[r][i] - alpha * vector[v][i];
        multiply(matrix, vector[s], vector[t], alone);
        products(vector[t], vector[s], vector[t], vector[t], both, alone);
        const double omega = both[0] / both[1];
        for (int i = half; i < half + count; ++i) vector[x][i] += alpha * vector[p][i] + omega * vector[s][i];
        for (int i = half; i < half + count; ++i) vector[r][i] = vector[s][i] - omega * vector[t][i];
        products(vector[r0], vector[r], vector[r], vector[r], both, alone);
        const double beta = both[0] / rho * (alpha / omega);
        rho = both[0];
        for (int i = half; i < half + count; ++i) vector[p][i] = vector[r][i] + beta * (vector[p][i] - omega * vector[v][i]);
    }
    return both[1];
}

static double operations_of(int iterations) {
    const double entries = (double)rows * (2 * half + 1) - (double)half * (half + 1);
    return iterations * (2 * 2 * entries + 5 * 2.0 * rows + 12.0 * rows);
}

/* On rank 0 the whole solution; on others NULL. */
static double* gather_solution(void) {
    if (rank > 0) {
        MPI_Send(vector[x] + half, count, MPI_DOUBLE, 0, solution_tag, MPI_COMM_WORLD);
        return NULL;
    }
    double* const all = allocate(rows);
    memcpy(all + first, vector[x] + half, (size_t)count * sizeof *all);
    for (int other = 1; other < size; ++other) {
        const int from = first_of(other, size);
        MPI_Recv(all + from, first_of(other + 1, size) - from, MPI_DOUBLE, other, solution_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return all;
}

/* Rank 0 solves it alone. Returns the greatest difference between the two solutions. */
static double difference(const double* all, int iterations) {
    double worst = 0;
    free_vectors();
    first = 0;
    count = rows;
    allocate_vectors();
    double* const matrix = make_matrix(first, count);
    solve(matrix, iterations, begin_solving(matrix, 1), 1);
    for (int i = 0; i < rows; ++i) worst = fmax(worst, fabs(all[i] - vector[x][half + i]));
    free(matrix);
    return worst;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rows = argc > 1 ? atoi(argv[1]) : 16384;
    half = (argc > 2 ? atoi(argv[2]) : 201) / 2;
    const int iterations = argc > 3 ? atoi(argv[3]) : 2;
    const int checks = argc > 4 && strcmp(argv[4], "check") == 0, prints = argc > 4 && strcmp(argv[4], "print") == 0;
    if (half < 1 || rows / size < half) {
        if (rank == 0) fprintf(stderr, "each rank needs %d rows, half of the bandwidth, and has %d\n", half, rows / size);
        MPI_Finalize();
        return 2;
    }
    first = first_of(rank, size);
    count = first_of(rank + 1, size) - first;
    allocate_vectors();
    double* const matrix = make_matrix(first, count);
    const double before = begin_solving(matrix, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    const double after = solve(matrix, iterations, before, 0);
    const double took = MPI_Wtime() - begin;
    free(matrix);
    double longest = 0;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d rows, bandwidth %d, %d ranks: residual %.3e of the first\n", rows, 2 * half + 1, size, sqrt(after / before));
        printf("%d iterations in %.6f s: %.4f MFLOPS\n", iterations, longest, operations_of(iterations) / longest * 1e-6);
    }
    double* const all = checks || prints ? gather_solution() : NULL;
    int wrong = 0;
    if (prints && rank == 0) {
        for (int i = 0; i < rows; ++i) printf("x %d %.17g\n", i, all[i]);
    }
    if (checks && rank == 0) {
        const double worst = difference(all, iterations);
        wrong = !(worst < 1e-9);
        printf("solved alone: %s\n", wrong ? "another solution" : "the same solution");
    }
    free(all);
    free_vectors();
    MPI_Finalize();
    return wrong;
}
