/* Numbers for objects. A number has its kind in bits 26 to 30, how often its place was used before in bits 20 to 25, and its
 * place below. So a handle that was freed is known as such until its place has been used 64 times more. */
#include <stdlib.h>
#include <string.h>

#include "lam.h"

const void* lam_freed_by;

enum { kind_shift = 26, age_shift = 20, places = 1 << age_shift, ages = 1 << (kind_shift - age_shift), first_new = 64 };

struct place {
    void* object;
    int age;
    int next_free;    /* 0: none */
    struct lam_called call; /* the one that made the object, or that freed it */
};
static struct {
    struct place* all;
    int room, used, first_free;
} tables[LAM_KINDS];

int lam_null_handle(enum lam_kind kind) {
    return (int)kind << kind_shift;
}

static bool make_room(enum lam_kind kind, int at) {
    if (at < tables[kind].room) return true;
    int room = tables[kind].room == 0 ? 2 * first_new : 2 * tables[kind].room;
    while (room <= at) room *= 2;
    struct place* all = realloc(tables[kind].all, (size_t)room * sizeof *all);
    if (all == NULL) return false;
    memset(all + tables[kind].room, 0, (size_t)(room - tables[kind].room) * sizeof *all);
    tables[kind].all = all;
    tables[kind].room = room;
    return true;
}

void lam_handle_set(enum lam_kind kind, int handle, void* object) {
    const int at = handle & (places - 1);
    if (!make_room(kind, at)) lam_port_abort(MPI_ERR_NO_MEM);
    tables[kind].all[at].object = object;
    if (at >= tables[kind].used) tables[kind].used = at + 1;
}

int lam_handle_new(enum lam_kind kind, void* object) {
    int at = tables[kind].first_free;
    if (at != 0) {
        tables[kind].first_free = tables[kind].all[at].next_free;
    } else {
        at = tables[kind].used < first_new ? first_new : tables[kind].used;
        if (at >= places || !make_room(kind, at)) return lam_null_handle(kind);
        tables[kind].used = at + 1;
    }
    tables[kind].all[at].object = object;
    tables[kind].all[at].call = lam_called;
    return lam_null_handle(kind) | tables[kind].all[at].age << age_shift | at;
}

static struct place* place_of(enum lam_kind kind, int handle) {
    if (handle >> kind_shift != (int)kind) return NULL;
    const int at = handle & (places - 1);
    if (at >= tables[kind].used) return NULL;
    struct place* place = &tables[kind].all[at];
    return place->age == (handle >> age_shift & (ages - 1)) ? place : NULL;
}

void* lam_object(enum lam_kind kind, int handle) {
    const struct place* place = place_of(kind, handle);
    return place == NULL ? NULL : place->object;
}

void lam_handle_free(enum lam_kind kind, int handle) {
    struct place* place = place_of(kind, handle);
    if (place == NULL || place->object == NULL) return;
    place->object = NULL;
    place->call = lam_called;
    const int at = handle & (places - 1);
    if (at < first_new) return;
    place->age = (place->age + 1) & (ages - 1);
    place->next_free = tables[kind].first_free;
    tables[kind].first_free = at;
}

const struct lam_called* lam_made_by(enum lam_kind kind, int handle) {
    const struct place* place = place_of(kind, handle);
    return place == NULL || place->object == NULL || place->call.function == NULL ? NULL : &place->call;
}
void lam_handle_hide(enum lam_kind kind, int handle) {
    struct place* place = place_of(kind, handle);
    if (place != NULL) place->call = (struct lam_called){NULL, NULL};
}

/* How often the place was used since it had this handle; 0: it never had. */
static int uses_since(enum lam_kind kind, int handle, const struct place** place) {
    const int at = handle & (places - 1);
    if (handle >> kind_shift != (int)kind || at < first_new || at >= tables[kind].used) return 0;
    *place = &tables[kind].all[at];
    return ((*place)->age - (handle >> age_shift & (ages - 1))) & (ages - 1);
}
const char* lam_why_not(enum lam_kind kind, int handle) {
    static const char* const nulls[LAM_KINDS] = {
        NULL,
        "is MPI_COMM_NULL",
        "is MPI_GROUP_NULL",
        "is MPI_DATATYPE_NULL",
        "is MPI_OP_NULL",
        "is MPI_REQUEST_NULL",
        "is MPI_ERRHANDLER_NULL",
        "is MPI_INFO_NULL",
        "is MPI_MESSAGE_NULL",
    };
    static const char* const others[LAM_KINDS] = {
        NULL, "is no communicator", "is no group", "is no datatype", "is no operation", "is no request", "is no error handler",
        "is no info", "is no message",
    };
    const struct place* place = NULL;
    if (handle == lam_null_handle(kind)) return nulls[kind];
    const int uses = uses_since(kind, handle, &place);
    if (uses == 0) return others[kind];
    if (uses > 1 || place->object != NULL || place->call.from == NULL) return "has been freed";
    lam_freed_by = place->call.from;
    return kind == LAM_REQUEST ? "was completed or freed at " LAM_OTHER_LINE : "was freed at " LAM_OTHER_LINE;
}

void lam_each_object(enum lam_kind kind, void (*visit)(int handle, void* object, void* context), void* context) {
    for (int at = 0; at < tables[kind].used; ++at) {
        const struct place place = tables[kind].all[at];
        if (place.object != NULL) visit(lam_null_handle(kind) | place.age << age_shift | at, place.object, context);
    }
}
