/* np: 3 */
/* Error handlers: functions of the program, who hears, what new communicators get, and handlers that are freed. */
#include "comm_check.h"

static MPI_Comm heard_on;
static int heard_count;
static void hear(MPI_Comm* comm, int* code, ...) {
    heard_on = *comm;
    ++heard_count;
    say("heard: %s", class_name(*code));
}
static void hear_too(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    say("heard too: %s", class_name(*code));
}

int main(int argc, char** argv) {
    MPI_Errhandler handler, second, got;
    MPI_Comm twin, half, grid, created;
    MPI_Group group;
    int value = 0;
    begin(&argc, &argv);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
    say("%d", got == MPI_ERRORS_RETURN);
    TRY(MPI_Errhandler_free(&got));
    say("%d", got == MPI_ERRHANDLER_NULL);
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_create_errhandler(hear_too, &second);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_get_errhandler(twin, &got);
    say("the copy returns: %d", got == MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&got);
    MPI_Comm_set_errhandler(twin, handler);
    MPI_Comm_get_errhandler(twin, &got);
    say("got it: %d", got == handler);
    MPI_Errhandler_free(&got);
    MPI_Errhandler_free(&handler);
    say("freed: %d", handler == MPI_ERRHANDLER_NULL);
    show("rank", MPI_Send(&value, 1, MPI_INT, 9, 0, twin));
    say("on the copy: %d", heard_on == twin);
    show("tag", MPI_Send(&value, 1, MPI_INT, 0, -9, twin));
    show("count", MPI_Recv(&value, -1, MPI_INT, 0, 0, twin, MPI_STATUS_IGNORE));
    show("world", MPI_Send(&value, 1, MPI_INT, 9, 0, MPI_COMM_WORLD));
    MPI_Comm_split(twin, 0, -rank, &half);
    show("of a split", MPI_Send(&value, 1, MPI_INT, 9, 0, half));
    say("on the split: %d", heard_on == half);
    MPI_Comm_group(half, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &created);
    show("of a subset of the world", MPI_Send(&value, 1, MPI_INT, 9, 0, created));
    MPI_Cart_create(twin, 1, (int[]){3}, (int[]){0}, 0, &grid);
    show("of a grid", MPI_Cart_coords(grid, 9, 1, &value));
    MPI_Comm_set_errhandler(half, second);
    show("another", MPI_Send(&value, 1, MPI_INT, 9, 0, half));
    show("the first", MPI_Send(&value, 1, MPI_INT, 9, 0, twin));
    MPI_Comm_free(&half);
    MPI_Comm_free(&twin);
    show("after the first", MPI_Send(&value, 1, MPI_INT, 9, 0, created));
    MPI_Comm_set_errhandler(created, MPI_ERRORS_RETURN);
    show("return", MPI_Send(&value, 1, MPI_INT, 9, 0, created));
    MPI_Comm_free(&created);
    MPI_Comm_free(&grid);
    MPI_Group_free(&group);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, second);
    show("world", MPI_Send(&value, 1, MPI_INT, 9, 0, MPI_COMM_WORLD));
    show("null", MPI_Send(&value, 1, MPI_INT, 9, 0, MPI_COMM_NULL));
    MPI_Errhandler_free(&second);
    show("set null", MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    got = MPI_ERRHANDLER_NULL;
    show("free null", MPI_Errhandler_free(&got));
    say("%d times", heard_count);
    return end();
}
