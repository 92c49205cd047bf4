/* np: 6 */
/* Groups by lists of ranks, their order, and their comparison. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Group world, some, others, back, none, twin;
    int result, list[] = {4, 1, 3}, three[] = {0, 1, 2}, in_world[3];
    begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    show_group("world", world);
    MPI_Group_incl(world, 3, list, &some);
    show_group("incl 4 1 3", some);
    MPI_Group_excl(world, 3, list, &others);
    show_group("excl 4 1 3", others);
    MPI_Group_incl(some, 2, three + 1, &back);
    show_group("incl of incl", back);
    MPI_Group_incl(world, 0, NULL, &none);
    say("no ranks: %d", none == MPI_GROUP_EMPTY);
    show_group("none", none);
    MPI_Group_excl(world, 0, NULL, &twin);
    show_group("excl none", twin);
    MPI_Group_compare(world, twin, &result);
    say("%s", result_name(result));
    MPI_Group_compare(world, world, &result);
    say("%s", result_name(result));
    MPI_Group_compare(some, others, &result);
    say("%s", result_name(result));
    MPI_Group_free(&twin);
    int turned[] = {1, 2, 0};
    MPI_Group_incl(some, 3, turned, &twin);
    MPI_Group_compare(some, twin, &result);
    say("%s", result_name(result));
    MPI_Group_compare(none, MPI_GROUP_EMPTY, &result);
    say("%s", result_name(result));
    MPI_Group_translate_ranks(some, 3, three, world, in_world);
    say("in the world %d %d %d", in_world[0], in_world[1], in_world[2]);
    int asked[] = {5, MPI_PROC_NULL, 3}, given[3];
    MPI_Group_translate_ranks(world, 3, asked, some, given);
    say("%d %d %d", given[0] == MPI_UNDEFINED, given[1] == MPI_PROC_NULL, given[2]);
    TRY(MPI_Group_free(&twin));
    say("null %d", twin == MPI_GROUP_NULL);
    TRY(MPI_Group_free(&none));
    MPI_Group_free(&back);
    MPI_Group_free(&some);
    MPI_Group_free(&others);
    MPI_Group_free(&world);
    MPI_Comm_group(MPI_COMM_SELF, &some);
    show_group("self", some);
    MPI_Group_free(&some);
    return end();
}
