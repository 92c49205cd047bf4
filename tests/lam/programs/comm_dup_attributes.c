/* np: 3 */
/* A copy takes attributes over as their functions say, in order; one that fails leaves no copy. */
#include "comm_check.h"

static int copies, deletes;
static int copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
    (void)comm, (void)keyval;
    ++copies;
    const long kind = (long)extra;
    say("copy of %ld with %ld", kind, (long)in);
    *flag = kind != 2;
    *(void**)out = (void*)((long)in + 1);
    return kind == 9 ? 5 : MPI_SUCCESS;
}
static int del(MPI_Comm comm, int keyval, void* value, void* extra) {
    (void)comm, (void)keyval;
    ++deletes;
    say("delete of %ld with %ld", (long)extra, (long)value);
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    MPI_Comm base, twin = MPI_COMM_NULL, third;
    int keys[6], flag;
    begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &base);
    MPI_Comm_create_keyval(copy, del, &keys[0], (void*)0);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, del, &keys[1], (void*)1);
    MPI_Comm_create_keyval(copy, del, &keys[2], (void*)2);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[3], (void*)3);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &keys[4], (void*)4);
    for (int i = 0; i < 5; ++i) MPI_Comm_set_attr(base, keys[i], (void*)(10L * i));
    MPI_Comm_dup(base, &twin);
    for (int i = 0; i < 5; ++i) {
        void* value = (void*)-1L;
        MPI_Comm_get_attr(twin, keys[i], &value, &flag);
        say("key %d: %d %ld", i, flag, flag ? (long)value : -1);
    }
    MPI_Comm_dup(twin, &third);
    say("free the third");
    MPI_Comm_free(&third);
    say("free the second");
    MPI_Comm_free(&twin);
    MPI_Comm_create_keyval(copy, del, &keys[5], (void*)9);
    MPI_Comm_delete_attr(base, keys[0]);
    MPI_Comm_delete_attr(base, keys[2]);
    MPI_Comm_set_attr(base, keys[5], (void*)99);
    say("a copy that fails");
    const int code = MPI_Comm_dup(base, &twin);
    say("%s", class_name(code));
    for (int i = 0; i < 6; ++i) MPI_Comm_free_keyval(&keys[i]);
    say("free the first");
    MPI_Comm_free(&base);
    say("%d copies, %d deletes", copies, deletes);
    return end();
}
