/* np: 2 */
/* Attributes of communicators: set, asked, replaced, deleted, and the functions that hear of it. */
#include "comm_check.h"

static int refuse;
static int del(MPI_Comm comm, int keyval, void* value, void* extra) {
    (void)comm, (void)keyval;
    say("delete %ld, extra %ld", (long)value, (long)extra);
    return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void ask(MPI_Comm comm, int key) {
    void* value = (void*)-1L;
    int flag = -1;
    const int code = MPI_Comm_get_attr(comm, key, &value, &flag);
    say("%s: %d %ld", class_name(code), flag, flag ? (long)value : 0L);
}

int main(int argc, char** argv) {
    MPI_Comm made;
    int key, second, freed;
    begin(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, del, &key, (void*)5);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &second, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    ask(made, key);
    TRY(MPI_Comm_set_attr(made, key, (void*)1));
    ask(made, key);
    ask(MPI_COMM_WORLD, key);
    TRY(MPI_Comm_set_attr(made, key, (void*)2));
    ask(made, key);
    TRY(MPI_Comm_set_attr(made, second, NULL));
    ask(made, second);
    refuse = 1;
    TRY(MPI_Comm_set_attr(made, key, (void*)3));
    ask(made, key);
    TRY(MPI_Comm_delete_attr(made, key));
    ask(made, key);
    refuse = 0;
    TRY(MPI_Comm_delete_attr(made, key));
    ask(made, key);
    TRY(MPI_Comm_set_attr(made, key, (void*)4));
    freed = key;
    TRY(MPI_Comm_free_keyval(&key));
    say("invalid: %d", key == MPI_KEYVAL_INVALID);
    TRY(MPI_Comm_free(&made));
    say("freed: %d", made == MPI_COMM_NULL);
    (void)freed;
    TRY(MPI_Comm_free_keyval(&second));
    TRY(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, NULL));
    ask(MPI_COMM_WORLD, MPI_KEYVAL_INVALID);
    TRY(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID));
    second = MPI_KEYVAL_INVALID;
    TRY(MPI_Comm_free_keyval(&second));
    TRY(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL));
    TRY(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB));
    second = MPI_TAG_UB;
    TRY(MPI_Comm_free_keyval(&second));
    return end();
}
