/* np: 9 */
/* Groups by ranges of ranks: strides up and down, several ranges, ends that no step meets. */
#include "comm_check.h"

static void both(MPI_Group world, int n, int ranges[][3]) {
    MPI_Group made;
    MPI_Group_range_incl(world, n, ranges, &made);
    show_group("range_incl", made);
    MPI_Group_free(&made);
    MPI_Group_range_excl(world, n, ranges, &made);
    show_group("range_excl", made);
    MPI_Group_free(&made);
}

int main(int argc, char** argv) {
    MPI_Group world;
    begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    both(world, 1, (int[][3]){{0, 8, 1}});
    both(world, 1, (int[][3]){{0, 8, 3}});
    both(world, 1, (int[][3]){{1, 8, 3}});
    both(world, 1, (int[][3]){{8, 0, -1}});
    both(world, 1, (int[][3]){{7, 0, -2}});
    both(world, 1, (int[][3]){{4, 4, 1}});
    both(world, 1, (int[][3]){{4, 4, -5}});
    both(world, 3, (int[][3]){{6, 8, 2}, {5, 1, -2}, {0, 0, 1}});
    both(world, 2, (int[][3]){{0, 3, 1}, {8, 4, -1}});
    both(world, 0, NULL);
    MPI_Group_free(&world);
    return end();
}
