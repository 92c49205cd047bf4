/* np: 7 */
/* Grids: who is in, where, and what the grid tells of itself. */
#include "comm_check.h"

static void grid(int ndims, const int* dims, const int* periods) {
    MPI_Comm made, twin;
    int kind, count, its_dims[4], its_periods[4], coords[4], map;
    char line[200] = "";
    MPI_Cart_map(MPI_COMM_WORLD, ndims, dims, periods, &map);
    say("map %d", map == MPI_UNDEFINED ? -1 : map);
    MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &made);
    show_comm("grid", made);
    if (made == MPI_COMM_NULL) return;
    MPI_Topo_test(made, &kind);
    MPI_Cartdim_get(made, &count);
    MPI_Cart_get(made, 4, its_dims, its_periods, coords);
    for (int i = 0; i < count; ++i)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %d of %d%s", coords[i], its_dims[i],
                 its_periods[i] ? " round" : "");
    say("%d, %d dimensions:%s", kind == MPI_CART, count, line);
    int places;
    MPI_Comm_size(made, &places);
    for (int i = 0; i < places; ++i) {
        int back = -1;
        MPI_Cart_coords(made, i, 4, coords);
        MPI_Cart_rank(made, coords, &back);
        line[0] = '\0';
        for (int j = 0; j < count; ++j) snprintf(line + strlen(line), sizeof line - strlen(line), " %d", coords[j]);
        say("place %d:%s, rank %d", i, line, back);
    }
    MPI_Comm_dup(made, &twin);
    MPI_Topo_test(twin, &kind);
    MPI_Cart_get(twin, 4, its_dims, its_periods, coords);
    say("copy %d", kind == MPI_CART);
    say("sum %d", sum_of(twin));
    MPI_Comm_free(&made);
    for (int i = 0; i < count; ++i) say("%d of %d, %d", coords[i], its_dims[i], its_periods[i]);
    MPI_Comm_free(&twin);
}

int main(int argc, char** argv) {
    int kind;
    begin(&argc, &argv);
    grid(2, (int[]){2, 3}, (int[]){0, 1});
    grid(1, (int[]){7}, (int[]){1});
    grid(3, (int[]){1, 2, 2}, (int[]){1, 0, 1});
    grid(2, (int[]){1, 1}, (int[]){0, 0});
    grid(0, NULL, NULL);
    grid(2, (int[]){3, 2}, (int[]){1, 1});
    MPI_Topo_test(MPI_COMM_WORLD, &kind);
    say("world %d", kind == MPI_UNDEFINED);
    return end();
}
