/* np: 4 */
/* A master hands out the first two queens, workers count; the sum does not depend on who did what. */
#include <mpi.h>
#include <stdio.h>

enum { n = 7, work = 1, end = 2 };
static int safe(const int* at, int row, int column) {
    for (int i = 0; i < row; ++i)
        if (at[i] == column || at[i] - column == row - i || column - at[i] == row - i) return 0;
    return 1;
}
static int solve(int* at, int row) {
    int sum = 0;
    if (row == n) return 1;
    for (at[row] = 0; at[row] < n; ++at[row])
        if (safe(at, row, at[row])) sum += solve(at, row + 1);
    return sum;
}
static void master(int size) {
    int sum = 0, running = size - 1, next = 0, answer[2], jobs = 0;
    MPI_Status status;
    while (running > 0) {
        MPI_Recv(answer, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        sum += answer[1];
        int at[2];
        do at[0] = next / n, at[1] = next % n, ++next;
        while (next <= n * n && !safe(at, 1, at[1]));
        if (next > n * n) {
            MPI_Send(at, 0, MPI_INT, status.MPI_SOURCE, end, MPI_COMM_WORLD);
            --running;
        } else {
            MPI_Send(at, 2, MPI_INT, status.MPI_SOURCE, work, MPI_COMM_WORLD);
            ++jobs;
        }
    }
    printf("0: %d solutions in %d jobs\n", sum, jobs);
}
int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        master(size);
    } else {
        int at[n], answer[2] = {rank, 0};
        MPI_Status status;
        while (1) {
            MPI_Send(answer, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(at, 2, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (status.MPI_TAG == end) break;
            answer[1] = solve(at, 2);
        }
    }
    MPI_Finalize();
    return 0;
}
