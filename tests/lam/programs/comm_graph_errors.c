/* np: 3 */
/* Wrong arguments of the functions of graphs. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm graph, made, grid;
    int a, b, room[8];
    begin(&argc, &argv);
    TRY(MPI_Graph_create(MPI_COMM_WORLD, 3, (int[]){1, 3, 4}, (int[]){1, 0, 2, 1}, 0, &graph));
    MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
    TRY(MPI_Graphdims_get(MPI_COMM_WORLD, &a, &b));
    TRY(MPI_Graph_get(MPI_COMM_WORLD, 3, 4, room, room));
    TRY(MPI_Graph_get(graph, 2, 4, room, room));
    TRY(MPI_Graph_get(graph, 3, 3, room, room));
    TRY(MPI_Graph_neighbors_count(graph, 3, &a));
    TRY(MPI_Graph_neighbors_count(graph, -1, &a));
    TRY(MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &a));
    TRY(MPI_Graph_neighbors(graph, 3, 4, room));
    TRY(MPI_Graph_neighbors(MPI_COMM_WORLD, 1, 1, room));
    TRY(MPI_Graph_create(MPI_COMM_WORLD, 4, (int[]){0, 0, 0, 0}, (int[]){0}, 0, &made));
    TRY(MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 2}, (int[]){1, -1}, 0, &made));
    TRY(MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){2, 1}, (int[]){1, 0}, 0, &made));
    TRY(MPI_Graph_create(MPI_COMM_NULL, 2, (int[]){2, 1}, (int[]){1, 0}, 0, &made));
    TRY(MPI_Graph_map(MPI_COMM_WORLD, 5, (int[]){0, 0, 0, 0, 0}, (int[]){0}, &a));
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){3}, (int[]){0}, 0, &grid));
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    TRY(MPI_Graphdims_get(grid, &a, &b));
    TRY(MPI_Graph_neighbors_count(grid, 0, &a));
    MPI_Comm_free(&grid);
    MPI_Comm_free(&graph);
    return end();
}
