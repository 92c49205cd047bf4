/* Infos: lists of keys with values, in the order that the keys were set. And memory for programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lam_communicators.h"

struct pair {
    struct pair* next;
    char *key, *value;
};
struct info {
    struct pair* pairs;
};

static struct info* info_of(MPI_Info handle) {
    return lam_object(LAM_INFO, handle);
}
bool lam_is_info(MPI_Info info) {
    return info_of(info) != NULL;
}

static struct pair** find(struct info* info, const char* key) {
    struct pair** at = &info->pairs;
    while (*at != NULL && strcmp((*at)->key, key) != 0) at = &(*at)->next;
    return at;
}
static char* copy_text(const char* text) {
    char* copy = malloc(strlen(text) + 1);
    if (copy != NULL) strcpy(copy, text);
    return copy;
}
static int set(struct info* info, const char* key, const char* value) {
    struct pair** at = find(info, key);
    char* text = copy_text(value);
    if (text == NULL) return MPI_ERR_NO_MEM;
    if (*at != NULL) {
        free((*at)->value);
        (*at)->value = text;
        return MPI_SUCCESS;
    }
    struct pair* pair = malloc(sizeof *pair);
    char* name = copy_text(key);
    if (pair == NULL || name == NULL) {
        free(pair);
        free(name);
        free(text);
        return MPI_ERR_NO_MEM;
    }
    *pair = (struct pair){NULL, name, text};
    *at = pair;
    return MPI_SUCCESS;
}
static void remove_at(struct pair** at) {
    struct pair* pair = *at;
    *at = pair->next;
    free(pair->key);
    free(pair->value);
    free(pair);
}

void lam_info_drop(MPI_Info handle) {
    struct info* info = info_of(handle);
    if (info == NULL) return;
    while (info->pairs != NULL) remove_at(&info->pairs);
    free(info);
    lam_handle_free(LAM_INFO, handle);
}

/* NULL: no memory. */
static struct info* new_info(MPI_Info* handle) {
    struct info* info = calloc(1, sizeof *info);
    *handle = MPI_INFO_NULL;
    if (info == NULL) return NULL;
    *handle = lam_handle_new(LAM_INFO, info);
    if (*handle != MPI_INFO_NULL) return info;
    free(info);
    return NULL;
}

int lam_info_add(MPI_Info from, MPI_Info to) {
    int error = MPI_SUCCESS;
    for (const struct pair* pair = info_of(from)->pairs; pair != NULL && error == MPI_SUCCESS; pair = pair->next)
        error = set(info_of(to), pair->key, pair->value);
    return error;
}
int lam_info_copy(MPI_Info from, MPI_Info* to) {
    *to = MPI_INFO_NULL;
    if (from == MPI_INFO_NULL) return MPI_SUCCESS;
    int error = new_info(to) == NULL ? MPI_ERR_NO_MEM : lam_info_add(from, *to);
    if (error == MPI_SUCCESS) return error;
    lam_info_drop(*to);
    *to = MPI_INFO_NULL;
    return error;
}

/* MPI_INFO_ENV says what this library knows about the start. */
void lam_info_begin(int size) {
    char text[MPI_MAX_PROCESSOR_NAME] = "";
    struct info* env = calloc(1, sizeof *env);
    if (env == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    snprintf(text, sizeof text, "%d", size);
    int error = set(env, "maxprocs", text);
    lam_port_name(text, sizeof text);
    if (error == MPI_SUCCESS) error = set(env, "host", text);
    if (error != MPI_SUCCESS) lam_port_abort(error);
    lam_handle_set(LAM_INFO, MPI_INFO_ENV, env);
}

/* ---- The functions of the standard ---- */

static int find_info(MPI_Info handle, const char* function, struct info** info) {
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    *info = info_of(handle);
    if (*info != NULL) return MPI_SUCCESS;
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_INFO, function,
                    "info %s", lam_why_not(LAM_INFO, handle));
}
static int fail_constant(const char* function) {
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_INFO, function, "info is MPI_INFO_ENV, which nobody changes");
}
static int check_key(const char* key, const char* function) {
    if (key == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_INFO_KEY, function, "key is a null pointer");
    if (key[0] == '\0') return lam_fail(MPI_COMM_WORLD, MPI_ERR_INFO_KEY, function, "key is empty");
    if (strlen(key) <= MPI_MAX_INFO_KEY) return MPI_SUCCESS;
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_INFO_KEY, function, "key has %zu characters; at most %d fit", strlen(key),
                    MPI_MAX_INFO_KEY);
}
static int find_pair(MPI_Info handle, const char* key, const char* function, struct info** info) {
    const int error = find_info(handle, function, info);
    return error != MPI_SUCCESS ? error : check_key(key, function);
}

LAM_API(int, Info_create, (MPI_Info * info)) {
    const int error = lam_require_running("MPI_Info_create");
    if (error != MPI_SUCCESS) return error;
    if (info == NULL) return lam_fail_null(MPI_COMM_WORLD, "MPI_Info_create", "info");
    return new_info(info) != NULL ? MPI_SUCCESS : lam_fail_memory(MPI_COMM_WORLD, "MPI_Info_create");
}
LAM_API(int, Info_set, (MPI_Info handle, const char* key, const char* value)) {
    const char* const function = "MPI_Info_set";
    struct info* info = NULL;
    const int error = find_pair(handle, key, function, &info);
    if (error != MPI_SUCCESS) return error;
    if (handle == MPI_INFO_ENV) return fail_constant(function);
    if (value == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_INFO_VALUE, function, "value is a null pointer");
    if (strlen(value) > MPI_MAX_INFO_VAL)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_INFO_VALUE, function, "value has %zu characters; at most %d fit", strlen(value),
                        MPI_MAX_INFO_VAL);
    return set(info, key, value) == MPI_SUCCESS ? MPI_SUCCESS : lam_fail_memory(MPI_COMM_WORLD, function);
}
LAM_API(int, Info_get, (MPI_Info handle, const char* key, int valuelen, char* value, int* flag)) {
    const char* const function = "MPI_Info_get";
    struct info* info = NULL;
    const int error = find_pair(handle, key, function, &info);
    if (error != MPI_SUCCESS) return error;
    if (valuelen < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "valuelen is %d", valuelen);
    if (value == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_INFO_VALUE, function, "value is a null pointer");
    if (flag == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "flag");
    const struct pair* pair = *find(info, key);
    *flag = pair != NULL;
    if (pair == NULL) return MPI_SUCCESS;
    /* In C the end of the text needs one more place, which the standard does not count. */
    const size_t length = strlen(pair->value), taken = length < (size_t)valuelen ? length : (size_t)valuelen;
    memcpy(value, pair->value, taken);
    value[taken] = '\0';
    return MPI_SUCCESS;
}
LAM_API(int, Info_get_valuelen, (MPI_Info handle, const char* key, int* valuelen, int* flag)) {
    const char* const function = "MPI_Info_get_valuelen";
    struct info* info = NULL;
    const int error = find_pair(handle, key, function, &info);
    if (error != MPI_SUCCESS) return error;
    if (valuelen == NULL || flag == NULL)
        return lam_fail_null(MPI_COMM_WORLD, function, valuelen == NULL ? "valuelen" : "flag");
    const struct pair* pair = *find(info, key);
    *flag = pair != NULL;
    if (pair != NULL) *valuelen = (int)strlen(pair->value);
    return MPI_SUCCESS;
}
LAM_API(int, Info_get_nkeys, (MPI_Info handle, int* nkeys)) {
    struct info* info = NULL;
    const int error = find_info(handle, "MPI_Info_get_nkeys", &info);
    if (error != MPI_SUCCESS) return error;
    if (nkeys == NULL) return lam_fail_null(MPI_COMM_WORLD, "MPI_Info_get_nkeys", "nkeys");
    *nkeys = 0;
    for (const struct pair* pair = info->pairs; pair != NULL; pair = pair->next) ++*nkeys;
    return MPI_SUCCESS;
}
LAM_API(int, Info_get_nthkey, (MPI_Info handle, int n, char* key)) {
    const char* const function = "MPI_Info_get_nthkey";
    struct info* info = NULL;
    const int error = find_info(handle, function, &info);
    if (error != MPI_SUCCESS) return error;
    if (key == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "key");
    const struct pair* pair = info->pairs;
    int count = 0;
    for (; pair != NULL && count != n; pair = pair->next) ++count;
    if (n < 0 || pair == NULL)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "n is %d, which is no key's number; they begin at 0", n);
    strcpy(key, pair->key);
    return MPI_SUCCESS;
}
LAM_API(int, Info_delete, (MPI_Info handle, const char* key)) {
    const char* const function = "MPI_Info_delete";
    struct info* info = NULL;
    const int error = find_pair(handle, key, function, &info);
    if (error != MPI_SUCCESS) return error;
    if (handle == MPI_INFO_ENV) return fail_constant(function);
    struct pair** at = find(info, key);
    if (*at == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_INFO_NOKEY, function, "info has no key \"%s\"", key);
    remove_at(at);
    return MPI_SUCCESS;
}
LAM_API(int, Info_dup, (MPI_Info handle, MPI_Info* newinfo)) {
    struct info* info = NULL;
    const int error = find_info(handle, "MPI_Info_dup", &info);
    if (error != MPI_SUCCESS) return error;
    if (newinfo == NULL) return lam_fail_null(MPI_COMM_WORLD, "MPI_Info_dup", "newinfo");
    return lam_info_copy(handle, newinfo) == MPI_SUCCESS ? MPI_SUCCESS : lam_fail_memory(MPI_COMM_WORLD, "MPI_Info_dup");
}
LAM_API(int, Info_free, (MPI_Info * handle)) {
    struct info* info = NULL;
    if (handle == NULL) return lam_fail_null(MPI_COMM_WORLD, "MPI_Info_free", "info");
    const int error = find_info(*handle, "MPI_Info_free", &info);
    if (error != MPI_SUCCESS) return error;
    if (*handle == MPI_INFO_ENV) return fail_constant("MPI_Info_free");
    lam_info_drop(*handle);
    *handle = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

/* ---- Memory ---- */

LAM_API(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void* baseptr)) {
    const char* const function = "MPI_Alloc_mem";
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    if (size < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "size is %td", size);
    if (info != MPI_INFO_NULL && !lam_is_info(info))
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_INFO, function, "info %s", lam_why_not(LAM_INFO, info));
    if (baseptr == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "baseptr");
    void* memory = malloc((size_t)size + (size == 0));
    if (memory == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_NO_MEM, function, "the node has no memory for %td bytes", size);
    *(void**)baseptr = memory;
    return MPI_SUCCESS;
}
LAM_API(int, Free_mem, (void* base)) {
    const int error = lam_require_running("MPI_Free_mem");
    if (error != MPI_SUCCESS) return error;
    free(base);
    return MPI_SUCCESS;
}
