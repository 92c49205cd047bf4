/* np: 2 */
/* Error handlers by the functions that MPI-3 removed. */
#include "comm_check.h"

static void hear(MPI_Comm* comm, int* code, ...) {
    say("heard: %s, world %d", class_name(*code), *comm == MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    MPI_Errhandler handler, got;
    MPI_Comm twin;
    int value = 0;
    begin(&argc, &argv);
    MPI_Errhandler_create(hear, &handler);
    MPI_Errhandler_set(MPI_COMM_WORLD, handler);
    MPI_Errhandler_get(MPI_COMM_WORLD, &got);
    say("%d", got == handler);
    MPI_Errhandler_free(&got);
    MPI_Errhandler_free(&handler);
    show("send", MPI_Send(&value, 1, MPI_INT, 9, 0, MPI_COMM_WORLD));
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    show("copy", MPI_Send(&value, 1, MPI_INT, 9, 0, twin));
    MPI_Comm_free(&twin);
    MPI_Errhandler_get(MPI_COMM_SELF, &got);
    say("%d", got == MPI_ERRORS_RETURN);
    MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    show("send", MPI_Send(&value, 1, MPI_INT, 9, 0, MPI_COMM_WORLD));
    MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_get(MPI_COMM_WORLD, &got);
    say("%d", got == MPI_ERRORS_ARE_FATAL);
    return end();
}
