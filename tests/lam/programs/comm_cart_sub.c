/* np: 12 */
/* MPI_Cart_sub(): rows, columns and planes of a grid. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm grid, part, deeper;
    begin(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 3, (int[]){2, 3, 2}, (int[]){0, 1, 0}, 0, &grid);
    for (int remain = 1; remain < 8; ++remain) {
        int count, dims[3], periods[3], coords[3], kind;
        MPI_Cart_sub(grid, (int[]){remain & 1, remain >> 1 & 1, remain >> 2}, &part);
        show_comm("part", part);
        MPI_Topo_test(part, &kind);
        MPI_Cartdim_get(part, &count);
        say("%d: %d dimensions", kind == MPI_CART, count);
        MPI_Cart_get(part, 3, dims, periods, coords);
        for (int i = 0; i < count; ++i) say("  %d of %d, %d", coords[i], dims[i], periods[i]);
        say("sum %d", sum_of(part));
        if (remain == 7) {
            MPI_Cart_sub(part, (int[]){0, 1, 0}, &deeper);
            show_comm("deeper", deeper);
            MPI_Comm_free(&deeper);
        }
        MPI_Comm_free(&part);
    }
    MPI_Comm_free(&grid);
    return end();
}
