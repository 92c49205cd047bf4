/* np: 3 */
/* Wrong arguments of the functions of groups. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Group world, made = MPI_GROUP_NULL, freed;
    int out[8], result;
    begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    TRY(MPI_Group_size(MPI_GROUP_NULL, &result));
    TRY(MPI_Group_rank(MPI_GROUP_NULL, &result));
    TRY(MPI_Group_size(MPI_GROUP_EMPTY, &result));
    say("%d", result);
    TRY(MPI_Group_rank(MPI_GROUP_EMPTY, &result));
    say("%d", result == MPI_UNDEFINED);
    TRY(MPI_Group_compare(world, MPI_GROUP_NULL, &result));
    TRY(MPI_Group_union(MPI_GROUP_NULL, world, &made));
    TRY(MPI_Group_intersection(world, MPI_GROUP_NULL, &made));
    TRY(MPI_Group_difference(MPI_GROUP_NULL, MPI_GROUP_NULL, &made));
    TRY(MPI_Group_incl(world, 1, (int[]){3}, &made));
    TRY(MPI_Group_incl(world, 1, (int[]){-1}, &made));
    TRY(MPI_Group_incl(world, -1, (int[]){1, 1}, &made));
    TRY(MPI_Group_excl(world, 1, (int[]){3}, &made));
    TRY(MPI_Group_range_incl(world, 1, (int[][3]){{0, 2, 0}}, &made));
    TRY(MPI_Group_range_incl(world, 1, (int[][3]){{0, 3, 1}}, &made));
    TRY(MPI_Group_range_incl(world, 1, (int[][3]){{-1, 2, 1}}, &made));
    TRY(MPI_Group_range_incl(world, 1, (int[][3]){{2, 0, 1}}, &made));
    TRY(MPI_Group_range_incl(world, 1, (int[][3]){{0, 2, -1}}, &made));
    TRY(MPI_Group_range_incl(world, 2, (int[][3]){{0, 1, 1}, {1, 2, 1}}, &made));
    TRY(MPI_Group_range_incl(world, -2, (int[][3]){{0, 1, 1}}, &made));
    TRY(MPI_Group_range_excl(world, 1, (int[][3]){{0, 3, 1}}, &made));
    TRY(MPI_Group_range_excl(world, 2, (int[][3]){{0, 1, 1}, {1, 2, 1}}, &made));
    TRY(MPI_Group_translate_ranks(world, 1, (int[]){3}, world, out));
    TRY(MPI_Group_translate_ranks(world, 1, (int[]){-7}, world, out));
    TRY(MPI_Group_translate_ranks(world, -1, (int[]){0}, world, out));
    TRY(MPI_Group_translate_ranks(world, 0, NULL, world, NULL));
    TRY(MPI_Group_translate_ranks(MPI_GROUP_NULL, 1, (int[]){0}, world, out));
    freed = MPI_GROUP_NULL;
    TRY(MPI_Group_free(&freed));
    TRY(MPI_Comm_group(MPI_COMM_NULL, &made));
    MPI_Group_free(&world);
    return end();
}
