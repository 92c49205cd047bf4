/* np: 4 */
/* Wrong arguments of the functions of grids, and places beyond the end. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm grid, made, graph;
    int a, b, three[3], two[2] = {2, 2}, ends[2] = {0, 1};
    begin(&argc, &argv);
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 2, two, ends, 0, &grid));
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    TRY(MPI_Cart_rank(grid, ((int[]){0, 5}), &a));
    say("%d", a);
    TRY(MPI_Cart_rank(grid, ((int[]){1, -1}), &a));
    say("%d", a);
    TRY(MPI_Cart_rank(grid, ((int[]){2, 0}), &a));
    TRY(MPI_Cart_rank(grid, ((int[]){-1, 0}), &a));
    TRY(MPI_Cart_coords(grid, 4, 2, three));
    TRY(MPI_Cart_coords(grid, -1, 2, three));
    TRY(MPI_Cart_coords(grid, 0, 1, three));
    TRY(MPI_Cart_coords(MPI_COMM_WORLD, 0, 2, three));
    TRY(MPI_Cart_shift(grid, 2, 1, &a, &b));
    TRY(MPI_Cart_shift(grid, -1, 1, &a, &b));
    TRY(MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &a, &b));
    TRY(MPI_Cartdim_get(MPI_COMM_WORLD, &a));
    TRY(MPI_Cart_sub(MPI_COMM_WORLD, two, &made));
    TRY(MPI_Cart_rank(MPI_COMM_WORLD, two, &a));
    TRY(MPI_Cart_create(MPI_COMM_NULL, 2, two, ends, 0, &made));
    TRY(MPI_Cart_create(MPI_COMM_WORLD, -1, two, ends, 0, &made));
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 2, ((int[]){3, 2}), ends, 0, &made));
    TRY(MPI_Cart_map(MPI_COMM_WORLD, 2, ((int[]){5, 2}), ends, &a));
    TRY(MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &graph));
    if (graph != MPI_COMM_NULL) {
        MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
        TRY(MPI_Cartdim_get(graph, &a));
        TRY(MPI_Cart_shift(graph, 0, 1, &a, &b));
        MPI_Comm_free(&graph);
    }
    MPI_Comm_free(&grid);
    return end();
}
