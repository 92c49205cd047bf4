/* np: 2 */
/* Classes and codes of errors: the standard's, and those of the program. */
#include "comm_check.h"

static void hear(MPI_Comm* comm, int* code, ...) {
    char text[MPI_MAX_ERROR_STRING];
    int length, class;
    (void)comm;
    MPI_Error_string(*code, text, &length);
    MPI_Error_class(*code, &class);
    say("heard: '%s' %d, class differs %d", text, length, class != *code);
}

int main(int argc, char** argv) {
    MPI_Errhandler handler;
    char text[MPI_MAX_ERROR_STRING];
    int class, code, second, other, its, length;
    begin(&argc, &argv);
    static const int all[] = {MPI_SUCCESS,
                              MPI_ERR_BUFFER,
                              MPI_ERR_COUNT,
                              MPI_ERR_TYPE,
                              MPI_ERR_TAG,
                              MPI_ERR_COMM,
                              MPI_ERR_RANK,
                              MPI_ERR_ROOT,
                              MPI_ERR_GROUP,
                              MPI_ERR_OP,
                              MPI_ERR_TOPOLOGY,
                              MPI_ERR_DIMS,
                              MPI_ERR_ARG,
                              MPI_ERR_UNKNOWN,
                              MPI_ERR_TRUNCATE,
                              MPI_ERR_OTHER,
                              MPI_ERR_INTERN,
                              MPI_ERR_IN_STATUS,
                              MPI_ERR_PENDING,
                              MPI_ERR_REQUEST,
                              MPI_ERR_KEYVAL,
                              MPI_ERR_NO_MEM,
                              MPI_ERR_INFO,
                              MPI_ERR_INFO_KEY,
                              MPI_ERR_INFO_VALUE,
                              MPI_ERR_INFO_NOKEY,
                              MPI_ERR_NAME,
                              MPI_ERR_PORT,
                              MPI_ERR_SERVICE,
                              MPI_ERR_SPAWN,
                              MPI_ERR_UNSUPPORTED_OPERATION};
    for (int i = 0; i < (int)(sizeof all / sizeof all[0]); ++i) {
        MPI_Error_class(all[i], &its);
        const int told = MPI_Error_string(all[i], text, &length);
        say("%d: own class %d, %d, text %d", i, its == all[i], told == MPI_SUCCESS, length > 0 && length == (int)strlen(text));
        for (int j = 0; j < i; ++j)
            if (all[i] == all[j]) say("%d is %d", i, j);
    }
    int* last;
    int flag;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    const int before = *last;
    MPI_Add_error_class(&class);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    say("more than all: %d, last %d", class > before && class > MPI_ERR_LASTCODE, *last >= class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_code(class, &second);
    MPI_Add_error_code(MPI_ERR_ARG, &other);
    say("different: %d", code != second && second != other && code != class && other != code);
    MPI_Error_string(code, text, &length);
    say("no text yet: '%s' %d", text, length);
    TRY(MPI_Add_error_string(class, "the class"));
    TRY(MPI_Add_error_string(code, "the first code"));
    TRY(MPI_Add_error_string(second, "the second code"));
    TRY(MPI_Add_error_string(code, "the code, again"));
    MPI_Error_string(class, text, &length);
    say("'%s' %d", text, length);
    MPI_Error_string(code, text, &length);
    say("'%s' %d", text, length);
    MPI_Error_string(second, text, &length);
    say("'%s' %d", text, length);
    MPI_Error_class(code, &its);
    say("its class: %d", its == class);
    MPI_Error_class(class, &its);
    say("its class: %d", its == class);
    MPI_Error_class(other, &its);
    say("of MPI: %d", its == MPI_ERR_ARG);
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    TRY(MPI_Comm_call_errhandler(MPI_COMM_WORLD, code));
    TRY(MPI_Comm_call_errhandler(MPI_COMM_WORLD, class));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    TRY(MPI_Comm_call_errhandler(MPI_COMM_WORLD, second));
    TRY(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_RANK));
    TRY(MPI_Comm_call_errhandler(MPI_COMM_NULL, code));
    MPI_Errhandler_free(&handler);
    return end();
}
