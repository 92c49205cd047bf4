/* np: 7 */
/* Union, intersection and difference of random groups keep their order. */
#include "comm_check.h"

static MPI_Group random_group(MPI_Group world) {
    int list[16], count = 0;
    for (int i = 0; i < size; ++i)
        if (pick(2)) list[count++] = i;
    for (int i = count - 1; i > 0; --i) {
        const int at = pick(i + 1), kept = list[i];
        list[i] = list[at];
        list[at] = kept;
    }
    MPI_Group made;
    MPI_Group_incl(world, count, list, &made);
    return made;
}

int main(int argc, char** argv) {
    MPI_Group world;
    begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int round = 0; round < 40; ++round) {
        int result;
        MPI_Group first = random_group(world), second = random_group(world), made[3];
        show_group("first", first);
        show_group("second", second);
        MPI_Group_union(first, second, &made[0]);
        MPI_Group_intersection(first, second, &made[1]);
        MPI_Group_difference(first, second, &made[2]);
        show_group("union", made[0]);
        show_group("intersection", made[1]);
        show_group("difference", made[2]);
        MPI_Group_compare(first, made[1], &result);
        say("%s %d", result_name(result), made[1] == MPI_GROUP_EMPTY);
        for (int i = 0; i < 3; ++i) MPI_Group_free(&made[i]);
        MPI_Group_free(&first);
        MPI_Group_free(&second);
    }
    MPI_Group_free(&world);
    return end();
}
