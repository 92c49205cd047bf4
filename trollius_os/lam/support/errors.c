/* Errors: their classes, codes and texts, and how a program or a user hears of one. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lam_communicators.h"

struct row {
    int error_class;
    const char *name, *text;
    const char* hint; /* NULL: that of all */
};
static const struct row rows[] = {
    {MPI_SUCCESS, "MPI_SUCCESS", "no error", NULL},
    {MPI_ERR_BUFFER, "MPI_ERR_BUFFER", "invalid buffer pointer", "MPI_Buffer_attach() gives room to buffered sends."},
    {MPI_ERR_COUNT, "MPI_ERR_COUNT", "invalid count argument", "A count is 0 or more."},
    {MPI_ERR_TYPE, "MPI_ERR_TYPE", "invalid datatype argument", "MPI_Type_commit() comes before the first use of a type."},
    {MPI_ERR_TAG, "MPI_ERR_TAG", "invalid tag argument", "A tag is 0 or more; MPI_ANY_TAG is for receives and probes."},
    {MPI_ERR_COMM, "MPI_ERR_COMM", "invalid communicator",
     "Ranks outside a new communicator get MPI_COMM_NULL; test for it before its use."},
    {MPI_ERR_RANK, "MPI_ERR_RANK", "invalid rank", "MPI_Comm_size() gives the number of ranks; they begin at 0."},
    {MPI_ERR_ROOT, "MPI_ERR_ROOT", "invalid root", "MPI_Comm_size() gives the number of ranks; they begin at 0."},
    {MPI_ERR_GROUP, "MPI_ERR_GROUP", "null or wrong group", NULL},
    {MPI_ERR_OP, "MPI_ERR_OP", "invalid operation", "Each predefined operation takes some basic types only."},
    {MPI_ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY", "invalid topology", "MPI_Topo_test() tells the topology of a communicator."},
    {MPI_ERR_DIMS, "MPI_ERR_DIMS", "invalid dimension argument", NULL},
    {MPI_ERR_ARG, "MPI_ERR_ARG", "invalid argument", NULL},
    {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN", "unknown error", NULL},
    {MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE", "message truncated on receive",
     "MPI_Probe() and MPI_Get_count() tell the length before the receive."},
    {MPI_ERR_OTHER, "MPI_ERR_OTHER", "another known error", NULL},
    {MPI_ERR_INTERN, "MPI_ERR_INTERN", "internal error of the MPI library", NULL},
    {MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS", "error code is in the status", NULL},
    {MPI_ERR_PENDING, "MPI_ERR_PENDING", "request is pending", NULL},
    {MPI_ERR_REQUEST, "MPI_ERR_REQUEST", "invalid request", "A request is used once; a completed one is MPI_REQUEST_NULL."},
    {MPI_ERR_KEYVAL, "MPI_ERR_KEYVAL", "invalid keyval", "Keyvals of communicators and of types are apart."},
    {MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM", "no memory is left", "The node's memory is full; free objects, or use more nodes."},
    {MPI_ERR_INFO, "MPI_ERR_INFO", "invalid info", NULL},
    {MPI_ERR_INFO_KEY, "MPI_ERR_INFO_KEY", "invalid info key", NULL},
    {MPI_ERR_INFO_VALUE, "MPI_ERR_INFO_VALUE", "invalid info value", NULL},
    {MPI_ERR_INFO_NOKEY, "MPI_ERR_INFO_NOKEY", "info has no such key", NULL},
    {MPI_ERR_NAME, "MPI_ERR_NAME", "invalid service name", NULL},
    {MPI_ERR_PORT, "MPI_ERR_PORT", "invalid port", NULL},
    {MPI_ERR_SERVICE, "MPI_ERR_SERVICE", "invalid service", NULL},
    {MPI_ERR_SPAWN, "MPI_ERR_SPAWN", "error at the start of processes", NULL},
    {MPI_ERR_UNSUPPORTED_OPERATION, "MPI_ERR_UNSUPPORTED_OPERATION", "operation is not supported", NULL},
};
enum { row_count = sizeof rows / sizeof rows[0] };

/* Classes and codes that the program added; the number of the first is MPI_ERR_LASTCODE + 1. */
struct added {
    int error_class;
    char* text; /* NULL: none yet */
};
static struct added* added;
static int added_count, added_room;
int lam_last_used_code = MPI_ERR_LASTCODE;

static const struct row* row_of(int error_class) {
    for (int i = 0; i < row_count; ++i)
        if (rows[i].error_class == error_class) return &rows[i];
    return NULL;
}
static struct added* added_of(int code) {
    const int at = code - MPI_ERR_LASTCODE - 1;
    return code > MPI_ERR_LASTCODE && at < added_count ? &added[at] : NULL;
}

int lam_error_class(int code) {
    const struct added* its = added_of(code);
    if (its != NULL) return its->error_class;
    return row_of(code) != NULL ? code : MPI_ERR_UNKNOWN;
}

/* ---- Telling ---- */

static void name_of(const struct lam_comm* comm, char* room, size_t bytes) {
    if (comm->name[0] != '\0') {
        snprintf(room, bytes, "%s", comm->name);
    } else {
        snprintf(room, bytes, "an unnamed %s of %d ranks", comm->inter ? "inter-communicator" : "communicator",
                 comm->local->size);
    }
}

const char* lam_class_name(int error_class) {
    const struct row* row = row_of(error_class);
    return row == NULL ? "an error" : row->name;
}
enum lam_finding_kind lam_kind_of_class(int error_class) {
    switch (error_class) {
        case MPI_ERR_TRUNCATE:
            return LAM_TRUNCATION;
        case MPI_ERR_NO_MEM:
            return LAM_NO_MEMORY;
        case MPI_ERR_OTHER:
        case MPI_ERR_INTERN:
        case MPI_ERR_UNKNOWN:
            return LAM_OTHER_ERROR;
        default:
            return error_class > MPI_ERR_LASTCODE ? LAM_OTHER_ERROR : LAM_INVALID_ARGUMENT;
    }
}

/* Words about an error, and the call that they are about. */
struct words {
    enum lam_finding_kind kind;
    const char *function, *text;
    const void* other;
};

__attribute__((noreturn)) static void end_all(struct lam_comm* comm, int code, const struct words* words) {
    struct lam_finding finding;
    const int error_class = lam_error_class(code);
    const struct row* row = row_of(error_class);
    const char* const hint =
        row != NULL && row->hint != NULL ? row->hint : "The standard tells the arguments of each function.";
    lam_finding_of(&finding, words->kind == LAM_BY_CLASS ? lam_kind_of_class(error_class) : words->kind, NULL);
    snprintf(finding.function, sizeof finding.function, "%s", words->function);
    snprintf(finding.text, sizeof finding.text, "%s", words->text);
    finding.other = words->other;
    finding.is_fatal = 1;
    if (row != NULL && code <= MPI_ERR_LASTCODE) {
        snprintf(finding.error_class, sizeof finding.error_class, "%s", row->name);
    } else {
        snprintf(finding.error_class, sizeof finding.error_class, "error code %d", code);
    }
    if (comm == NULL) {
        snprintf(finding.advice, sizeof finding.advice, "MPI_Init() comes first, and MPI_Finalize() last.");
    } else {
        name_of(comm, finding.communicator, sizeof finding.communicator);
        snprintf(finding.advice, sizeof finding.advice,
                 "%s MPI_Comm_set_errhandler() with MPI_ERRORS_RETURN lets a program go on.", hint);
    }
    fflush(stdout);
    lam_port_note(LAM_NOTE_FINDING, &finding, sizeof finding);
    lam_port_abort(code);
}

static int tell(struct lam_comm* comm, int code, const struct words* words) {
    const MPI_Errhandler handler = comm->errhandler;
    if (handler == MPI_ERRORS_RETURN) return code;
    const struct lam_errhandler* its = lam_object(LAM_ERRHANDLER, handler);
    if (its == NULL || its->function == NULL) end_all(comm, code, words);
    /* The function may free the communicator and its handler. */
    MPI_Comm handle = comm->handle;
    int told = code;
    lam_errhandler_hold(handler);
    its->function(&handle, &told);
    lam_errhandler_drop(handler);
    return code;
}

int lam_tell(struct lam_comm* comm, int code, const char* function, const char* text) {
    const struct words words = {LAM_BY_CLASS, function, text, NULL};
    return tell(comm, code, &words);
}

static int fail(MPI_Comm handle, int error_class, const struct words* words) {
    struct lam_comm* comm = lam_world == NULL ? NULL : lam_comm(handle);
    lam_freed_by = NULL;
    if (comm == NULL) comm = lam_world;
    if (comm == NULL || lam_finalized) end_all(NULL, error_class, words);
    return tell(comm, error_class, words);
}
int lam_fail(MPI_Comm handle, int error_class, const char* function, const char* format, ...) {
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    const struct words words = {LAM_BY_CLASS, function, text, lam_freed_by};
    return fail(handle, error_class, &words);
}
int lam_fail_as(enum lam_finding_kind kind, const void* other, MPI_Comm handle, int error_class, const char* function,
                const char* format, ...) {
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    const struct words words = {kind, function, text, other};
    return fail(handle, error_class, &words);
}

int lam_fail_memory(MPI_Comm comm, const char* function) {
    return lam_fail(comm, MPI_ERR_NO_MEM, function, "the node has no memory for it");
}
int lam_fail_null(MPI_Comm comm, const char* function, const char* argument) {
    return lam_fail(comm, MPI_ERR_ARG, function, "%s is a null pointer", argument);
}

/* ---- Classes, codes and texts ---- */

LAM_API(int, Error_class, (int errorcode, int* errorclass)) {
    if (errorclass == NULL) return lam_fail_null(MPI_COMM_WORLD, "MPI_Error_class", "errorclass");
    if (added_of(errorcode) == NULL && row_of(errorcode) == NULL)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, "MPI_Error_class", "errorcode is %d, which no function returns",
                        errorcode);
    *errorclass = lam_error_class(errorcode);
    return MPI_SUCCESS;
}

LAM_API(int, Error_string, (int errorcode, char* string, int* resultlen)) {
    const char* const function = "MPI_Error_string";
    if (string == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "string");
    if (resultlen == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "resultlen");
    const struct added* its = added_of(errorcode);
    const struct row* row = row_of(errorcode);
    if (its != NULL) {
        snprintf(string, MPI_MAX_ERROR_STRING, "%s", its->text == NULL ? "" : its->text);
    } else if (row != NULL) {
        snprintf(string, MPI_MAX_ERROR_STRING, "%s: %s", row->name, row->text);
    } else {
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "errorcode is %d, which no function returns", errorcode);
    }
    *resultlen = (int)strlen(string);
    return MPI_SUCCESS;
}

/* A class is its own class: `error_class` 0. */
static int add(int error_class, const char* function, int* code) {
    if (added_count == added_room) {
        const int room = added_room == 0 ? 16 : 2 * added_room;
        struct added* more = realloc(added, (size_t)room * sizeof *more);
        if (more == NULL) return lam_fail_memory(MPI_COMM_WORLD, function);
        added = more;
        added_room = room;
    }
    *code = ++lam_last_used_code;
    added[added_count++] = (struct added){.error_class = error_class != 0 ? error_class : *code, .text = NULL};
    return MPI_SUCCESS;
}

LAM_API(int, Add_error_class, (int* errorclass)) {
    const int error = lam_require_running("MPI_Add_error_class");
    if (error != MPI_SUCCESS) return error;
    if (errorclass == NULL) return lam_fail_null(MPI_COMM_WORLD, "MPI_Add_error_class", "errorclass");
    return add(0, "MPI_Add_error_class", errorclass);
}
LAM_API(int, Add_error_code, (int errorclass, int* errorcode)) {
    const int error = lam_require_running("MPI_Add_error_code");
    if (error != MPI_SUCCESS) return error;
    const struct added* its = added_of(errorclass);
    if (its == NULL ? row_of(errorclass) == NULL : its->error_class != errorclass)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, "MPI_Add_error_code", "errorclass is %d, which is no class", errorclass);
    if (errorcode == NULL) return lam_fail_null(MPI_COMM_WORLD, "MPI_Add_error_code", "errorcode");
    return add(errorclass, "MPI_Add_error_code", errorcode);
}
LAM_API(int, Add_error_string, (int errorcode, const char* string)) {
    const char* const function = "MPI_Add_error_string";
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    struct added* its = added_of(errorcode);
    if (its == NULL)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "errorcode is %d, which the program has not added", errorcode);
    if (string == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "string");
    const size_t length = strlen(string);
    if (length >= MPI_MAX_ERROR_STRING)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "string has %zu characters; at most %d fit", length,
                        MPI_MAX_ERROR_STRING - 1);
    char* copy = malloc(length + 1);
    if (copy == NULL) return lam_fail_memory(MPI_COMM_WORLD, function);
    strcpy(copy, string);
    free(its->text);
    its->text = copy;
    return MPI_SUCCESS;
}
