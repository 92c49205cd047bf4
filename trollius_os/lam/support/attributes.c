/* Attributes of communicators and types: values that a program attaches under keys of its own. */
#include <stdlib.h>

#include "lam_communicators.h"

/* Both kinds have functions of the same form, since both handles are int. */
typedef int copier(int object, int keyval, void* extra_state, void* value_in, void* value_out, int* flag);
typedef int deleter(int object, int keyval, void* value, void* extra_state);
struct key {
    enum lam_kind kind;
    int number;
    bool freed;     /* attributes that are there stay */
    int attributes; /* that have it */
    copier* copy;
    deleter* del;
    void* extra_state;
};
struct lam_attribute {
    struct lam_attribute* next;
    struct key* key;
    void* value;
};

enum { first_key = 64 };
static struct key** keys;
static int key_count, key_room;

int lam_copy_always(int object, int keyval, void* extra_state, void* value_in, void* value_out, int* flag) {
    (void)object, (void)keyval, (void)extra_state;
    *(void**)value_out = value_in;
    *flag = 1;
    return MPI_SUCCESS;
}

static struct key* key_of(int keyval, enum lam_kind kind) {
    const int at = keyval - first_key;
    if (at < 0 || at >= key_count || keys[at] == NULL) return NULL;
    return keys[at]->kind == kind && !keys[at]->freed ? keys[at] : NULL;
}
static void drop_key(struct key* key) {
    if (!key->freed || key->attributes > 0) return;
    keys[key->number - first_key] = NULL; /* the number stays unused: a keyval that was freed is known as such */
    free(key);
}

/* Attributes are few, so each step may begin at the first one. A callback may change the list. */
static struct lam_attribute** find(struct lam_attribute** list, const struct key* key) {
    while (*list != NULL && (*list)->key != key) list = &(*list)->next;
    return list;
}
static int remove_one(int object, struct lam_attribute** all, struct key* key) {
    struct lam_attribute* its = *find(all, key);
    const int told = key->del == NULL ? MPI_SUCCESS : key->del(object, key->number, its->value, key->extra_state);
    if (told != MPI_SUCCESS) return told;
    struct lam_attribute** at = find(all, key);
    its = *at;
    if (its == NULL) return MPI_SUCCESS;
    *at = its->next;
    free(its);
    --key->attributes;
    drop_key(key);
    return MPI_SUCCESS;
}
/* MPI wants the last one of MPI_COMM_SELF to end first. Types have the order of setting, as under MPICH. */
static int insert(struct lam_attribute** at, struct key* key, void* value) {
    struct lam_attribute* its = malloc(sizeof *its);
    if (its == NULL) return MPI_ERR_NO_MEM;
    *its = (struct lam_attribute){*at, key, value};
    *at = its;
    ++key->attributes;
    return MPI_SUCCESS;
}

int lam_attributes_copy(int object, const struct lam_attribute* from, struct lam_attribute** to, enum lam_kind kind) {
    for (; from != NULL; from = from->next) {
        struct key* key = from->key;
        void* value = NULL;
        int flag = 0;
        if (key->copy == NULL || key->kind != kind) continue;
        int told = key->copy(object, key->number, key->extra_state, from->value, (void*)&value, &flag);
        if (told == MPI_SUCCESS && flag != 0) told = insert(find(to, NULL), key, value); /* at the end */
        if (told != MPI_SUCCESS) return told;
    }
    return MPI_SUCCESS;
}

int lam_attributes_delete(int object, struct lam_attribute** all, enum lam_kind kind) {
    (void)kind;
    while (*all != NULL) {
        const int told = remove_one(object, all, (*all)->key);
        if (told != MPI_SUCCESS) return told;
    }
    return MPI_SUCCESS;
}

/* ---- Calls of both kinds ---- */

static int create(enum lam_kind kind, copier* copy, deleter* del, int* keyval, void* extra_state, const char* function) {
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    if (keyval == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "keyval");
    if (key_count == key_room) {
        const int room = key_room == 0 ? 16 : 2 * key_room;
        struct key** more = realloc(keys, (size_t)room * sizeof(struct key*));
        if (more == NULL) return lam_fail_memory(MPI_COMM_WORLD, function);
        keys = more;
        key_room = room;
    }
    struct key* key = malloc(sizeof *key);
    if (key == NULL) return lam_fail_memory(MPI_COMM_WORLD, function);
    *key = (struct key){.kind = kind, .number = first_key + key_count, .copy = copy, .del = del, .extra_state = extra_state};
    keys[key_count++] = key;
    *keyval = key->number;
    return MPI_SUCCESS;
}

static int fail_key(MPI_Comm comm, int keyval, enum lam_kind kind, const char* function) {
    if (keyval == MPI_KEYVAL_INVALID) return lam_fail(comm, MPI_ERR_KEYVAL, function, "keyval is MPI_KEYVAL_INVALID");
    if (keyval >= MPI_TAG_UB && keyval <= MPI_LASTUSEDCODE)
        return lam_fail(comm, MPI_ERR_KEYVAL, function, "keyval is a predefined one, which nobody changes");
    return lam_fail(comm, MPI_ERR_KEYVAL, function, "keyval is %d, which is no keyval of %s, or has been freed", keyval,
                    kind == LAM_COMM ? "communicators" : "types");
}

static int free_key(enum lam_kind kind, int* keyval, const char* function) {
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    if (keyval == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "keyval");
    struct key* key = key_of(*keyval, kind);
    if (key == NULL) return fail_key(MPI_COMM_WORLD, *keyval, kind, function);
    key->freed = true;
    drop_key(key);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/* An object with attributes, as a call names it. */
struct holder {
    enum lam_kind kind;
    int handle;
    MPI_Comm comm; /* whose error handler hears of errors */
    struct lam_attribute** all;
    const char* function;
};
static int find_holder(struct holder* its, enum lam_kind kind, int handle, const char* function) {
    *its = (struct holder){kind, handle, kind == LAM_COMM ? handle : MPI_COMM_WORLD, NULL, function};
    if (kind == LAM_COMM) {
        struct lam_comm* comm = NULL;
        const int error = lam_find_comm(handle, function, LAM_ANY_SORT, &comm);
        if (error == MPI_SUCCESS) its->all = &comm->attributes;
        return error;
    }
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    struct lam_type* type = lam_type(handle);
    if (type == NULL)
        return lam_fail(
            MPI_COMM_WORLD, MPI_ERR_TYPE, function,
            "datatype %s", lam_why_not(LAM_TYPE, handle));
    its->all = &type->attributes;
    return MPI_SUCCESS;
}

static int fail_callback(const struct holder* its, int told) {
    return lam_fail(its->comm, told, its->function, "the function that deletes the attribute returned %d", told);
}

static int set(enum lam_kind kind, int handle, int keyval, void* value, const char* function) {
    struct holder its;
    const int error = find_holder(&its, kind, handle, function);
    if (error != MPI_SUCCESS) return error;
    struct key* key = key_of(keyval, kind);
    if (key == NULL) return fail_key(its.comm, keyval, kind, function);
    struct lam_attribute* old = *find(its.all, key);
    struct lam_attribute** const place = kind == LAM_TYPE ? find(its.all, NULL) : its.all;
    if (old == NULL) return insert(place, key, value) == MPI_SUCCESS ? MPI_SUCCESS : lam_fail_memory(its.comm, function);
    const int told = key->del == NULL ? MPI_SUCCESS : key->del(handle, keyval, old->value, key->extra_state);
    if (told != MPI_SUCCESS) return fail_callback(&its, told);
    old = *find(its.all, key); /* the function may have deleted it */
    if (old == NULL) return insert(its.all, key, value) == MPI_SUCCESS ? MPI_SUCCESS : lam_fail_memory(its.comm, function);
    old->value = value;
    return MPI_SUCCESS;
}

/* NULL: no predefined attribute. The program gets a pointer to an int. */
static int* predefined(int keyval) {
    static int tag_ub = LAM_HIGHEST_TAG, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, is_global, app_number;
    switch (keyval) {
        case MPI_TAG_UB:
            return &tag_ub;
        case MPI_HOST:
            return &host;
        case MPI_IO:
            return &io;
        case MPI_WTIME_IS_GLOBAL:
            return &is_global; /* each node has a clock of its own */
        case MPI_UNIVERSE_SIZE:
            return &lam_world_size;
        case MPI_APPNUM:
            return &app_number;
        case MPI_LASTUSEDCODE:
            return &lam_last_used_code;
        default:
            return NULL;
    }
}

static int get(enum lam_kind kind, int handle, int keyval, void* value, int* flag, const char* function) {
    struct holder its;
    const int error = find_holder(&its, kind, handle, function);
    if (error != MPI_SUCCESS) return error;
    if (value == NULL) return lam_fail_null(its.comm, function, "the place for the value");
    if (flag == NULL) return lam_fail_null(its.comm, function, "flag");
    void* const constant = kind == LAM_COMM ? predefined(keyval) : NULL;
    if (constant != NULL) {
        *flag = 1;
        *(void**)value = constant;
        return MPI_SUCCESS;
    }
    const struct key* key = key_of(keyval, kind);
    if (key == NULL) return fail_key(its.comm, keyval, kind, function);
    const struct lam_attribute* found = *find(its.all, key);
    *flag = found != NULL;
    if (found != NULL) *(void**)value = found->value;
    return MPI_SUCCESS;
}

static int delete_one(enum lam_kind kind, int handle, int keyval, const char* function) {
    struct holder its;
    const int error = find_holder(&its, kind, handle, function);
    if (error != MPI_SUCCESS) return error;
    struct key* key = key_of(keyval, kind);
    if (key == NULL) return fail_key(its.comm, keyval, kind, function);
    if (*find(its.all, key) == NULL) return MPI_SUCCESS;
    const int told = remove_one(handle, its.all, key);
    return told == MPI_SUCCESS ? told : fail_callback(&its, told);
}

/* ---- The functions of the standard ---- */

#define ATTRIBUTES(kind, object, copy_type, delete_type, create_name, free_name, set_name, get_name, delete_name) \
    LAM_API(int, create_name, (copy_type * copy, delete_type * del, int* keyval, void* extra_state)) {            \
        return create(kind, copy, del, keyval, extra_state, "MPI_" #create_name);                                 \
    }                                                                                                             \
    LAM_API(int, free_name, (int* keyval)) {                                                                      \
        return free_key(kind, keyval, "MPI_" #free_name);                                                         \
    }                                                                                                             \
    LAM_API(int, set_name, (object handle, int keyval, void* value)) {                                            \
        return set(kind, handle, keyval, value, "MPI_" #set_name);                                                \
    }                                                                                                             \
    LAM_API(int, get_name, (object handle, int keyval, void* value, int* flag)) {                                 \
        return get(kind, handle, keyval, value, flag, "MPI_" #get_name);                                          \
    }                                                                                                             \
    LAM_API(int, delete_name, (object handle, int keyval)) {                                                      \
        return delete_one(kind, handle, keyval, "MPI_" #delete_name);                                             \
    }
ATTRIBUTES(LAM_COMM, MPI_Comm, MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function, Comm_create_keyval, Comm_free_keyval,
           Comm_set_attr, Comm_get_attr, Comm_delete_attr)
ATTRIBUTES(LAM_COMM, MPI_Comm, MPI_Copy_function, MPI_Delete_function, Keyval_create, Keyval_free, Attr_put, Attr_get,
           Attr_delete)
ATTRIBUTES(LAM_TYPE, MPI_Datatype, MPI_Type_copy_attr_function, MPI_Type_delete_attr_function, Type_create_keyval,
           Type_free_keyval, Type_set_attr, Type_get_attr, Type_delete_attr)
