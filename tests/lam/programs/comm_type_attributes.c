/* np: 2 */
/* Attributes of types, and their copies. */
#include "comm_check.h"

static int copy(MPI_Datatype type, int keyval, void* extra, void* in, void* out, int* flag) {
    (void)type, (void)keyval;
    say("copy %ld, extra %ld", (long)in, (long)extra);
    *(void**)out = (void*)((long)in + 100);
    *flag = 1;
    return MPI_SUCCESS;
}
static int del(MPI_Datatype type, int keyval, void* value, void* extra) {
    (void)type, (void)keyval;
    say("delete %ld, extra %ld", (long)value, (long)extra);
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    MPI_Datatype pair, twin;
    int keys[3], flag, of_comms;
    void* value = NULL;
    begin(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_keyval(copy, del, &keys[0], (void*)1);
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, del, &keys[1], (void*)2);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &keys[2], NULL);
    for (int i = 0; i < 3; ++i) MPI_Type_set_attr(pair, keys[i], (void*)(long)(i + 10));
    MPI_Type_dup(pair, &twin);
    for (int i = 0; i < 3; ++i) {
        MPI_Type_get_attr(twin, keys[i], &value, &flag);
        say("%d: %d %ld", i, flag, flag ? (long)value : 0L);
    }
    TRY(MPI_Type_set_attr(twin, keys[0], (void*)55L));
    TRY(MPI_Type_delete_attr(twin, keys[1]));
    say("free the copy");
    MPI_Type_free(&twin);
    say("free the first");
    MPI_Type_free(&pair);
    TRY(MPI_Type_set_attr(MPI_INT, keys[0], (void*)8L));
    MPI_Type_get_attr(MPI_INT, keys[0], &value, &flag);
    say("%d %ld", flag, flag ? (long)value : 0L);
    TRY(MPI_Type_delete_attr(MPI_INT, keys[0]));
    for (int i = 0; i < 3; ++i) TRY(MPI_Type_free_keyval(&keys[i]));
    say("%d", keys[0] == MPI_KEYVAL_INVALID);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &of_comms, NULL);
    TRY(MPI_Type_set_attr(MPI_INT, of_comms, NULL));
    TRY(MPI_Type_get_attr(MPI_INT, MPI_KEYVAL_INVALID, &value, &flag));
    TRY(MPI_Type_set_attr(MPI_DATATYPE_NULL, of_comms, NULL));
    MPI_Comm_free_keyval(&of_comms);
    return end();
}
