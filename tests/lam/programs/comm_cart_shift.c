/* np: 12 */
/* MPI_Cart_shift(): neighbours near and far, ends and rings; and messages along them. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm grid;
    begin(&argc, &argv);
    for (int periods = 0; periods < 8; ++periods) {
        MPI_Cart_create(MPI_COMM_WORLD, 3, (int[]){2, 3, 2}, (int[]){periods & 1, periods >> 1 & 1, periods >> 2}, 0, &grid);
        for (int direction = 0; direction < 3; ++direction) {
            char line[300] = "";
            for (int by = -4; by <= 4; ++by) {
                int source, dest, got = -1;
                MPI_Cart_shift(grid, direction, by, &source, &dest);
                MPI_Sendrecv(&rank, 1, MPI_INT, dest, 0, &got, 1, MPI_INT, source, 0, grid, MPI_STATUS_IGNORE);
                snprintf(line + strlen(line), sizeof line - strlen(line), " %d>%d:%d", source == MPI_PROC_NULL ? -1 : source,
                         dest == MPI_PROC_NULL ? -1 : dest, got);
            }
            say("%d: along %d:%s", periods, direction, line);
        }
        MPI_Comm_free(&grid);
    }
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){12}, (int[]){1}, 0, &grid);
    int source, dest;
    MPI_Cart_shift(grid, 0, 1000003, &source, &dest);
    say("%d %d", source, dest);
    MPI_Cart_shift(grid, 0, -1000001, &source, &dest);
    say("%d %d", source, dest);
    MPI_Comm_free(&grid);
    return end();
}
