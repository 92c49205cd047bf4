/* np: 2 */
/* Attributes by the functions that MPI-3 removed. */
#include "comm_check.h"

static int copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
    (void)comm, (void)keyval;
    say("copy %ld, extra %ld", (long)in, (long)extra);
    *(void**)out = (void*)((long)in * 2);
    *flag = 1;
    return MPI_SUCCESS;
}
static int del(MPI_Comm comm, int keyval, void* value, void* extra) {
    (void)comm, (void)keyval, (void)extra;
    say("delete %ld", (long)value);
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    MPI_Comm made, twin;
    int keys[3], flag;
    begin(&argc, &argv);
    MPI_Keyval_create(copy, del, &keys[0], (void*)7);
    MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &keys[1], NULL);
    MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &keys[2], NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    for (int i = 0; i < 3; ++i) MPI_Attr_put(made, keys[i], (void*)(long)(i + 3));
    MPI_Comm_dup(made, &twin);
    for (int i = 0; i < 3; ++i) {
        void* value = NULL;
        MPI_Attr_get(twin, keys[i], &value, &flag);
        say("%d: %d %ld", i, flag, flag ? (long)value : 0L);
    }
    TRY(MPI_Attr_delete(twin, keys[0]));
    MPI_Comm_free(&twin);
    MPI_Comm_free(&made);
    for (int i = 0; i < 3; ++i) MPI_Keyval_free(&keys[i]);
    say("%d", keys[0] == MPI_KEYVAL_INVALID);
    int* bound;
    MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    say("%d %d", flag, *bound >= 32767);
    return end();
}
