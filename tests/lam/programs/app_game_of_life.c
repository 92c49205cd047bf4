/* np: 3 */
/* Rows of a torus in bands, exchanged by persistent requests. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { high = 6, wide = 20 };
int main(int argc, char** argv) {
    int rank, size;
    static char cells[high + 2][wide], next[high + 2][wide];
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int up = (rank + size - 1) % size, down = (rank + 1) % size;
    for (int i = 1; i <= high; ++i)
        for (int j = 0; j < wide; ++j) cells[i][j] = ((rank * high + i) * 31 + j * 17 + i * j) % 7 < 3;
    MPI_Recv_init(cells[0], wide, MPI_CHAR, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(cells[high + 1], wide, MPI_CHAR, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(cells[high], wide, MPI_CHAR, down, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(cells[1], wide, MPI_CHAR, up, 1, MPI_COMM_WORLD, &requests[3]);
    for (int step = 0; step < 30; ++step) {
        MPI_Startall(4, requests);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (int i = 1; i <= high; ++i)
            for (int j = 0; j < wide; ++j) {
                int alive = -cells[i][j];
                for (int y = -1; y <= 1; ++y)
                    for (int x = -1; x <= 1; ++x) alive += cells[i + y][(j + x + wide) % wide];
                next[i][j] = alive == 3 || (alive == 2 && cells[i][j]);
            }
        memcpy(cells[1], next[1], sizeof cells[1] * high);
    }
    for (int i = 1; i <= high; ++i) {
        printf("%d: ", rank);
        for (int j = 0; j < wide; ++j) putchar(cells[i][j] ? '*' : '.');
        putchar('\n');
    }
    for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
    MPI_Finalize();
    return 0;
}
