/* Shared by the files of datatypes: the parts of a type that no other file needs, and the way to make one. */
#ifndef LAM_SUPPORT_LAM_TYPES_H
#define LAM_SUPPORT_LAM_TYPES_H

#include "lam.h"

/* Each struct lam_type is the beginning of one of these. */
struct lam_own_type {
    struct lam_type type;
    size_t alignment;          /* largest of its basic types; 0: no data */
    bool lb_marked, ub_marked; /* by MPI_LB, MPI_UB or MPI_Type_create_resized(), here or in a part */
    int handles;               /* references of the program; 0: the handle is only for operations that still run */
    int wholes;                /* references of types made from it */
    bool has_handle;
    bool has_bytes; /* MPI_BYTE or MPI_PACKED is among its elements, so it fits all signatures */
    size_t block_room;
};
static inline struct lam_own_type* lam_own(struct lam_type* type) {
    return (struct lam_own_type*)(void*)type;
}
static inline const struct lam_own_type* lam_own_const(const struct lam_type* type) {
    return (const struct lam_own_type*)(const void*)type;
}
static inline ptrdiff_t lam_extent(const struct lam_type* type) {
    return type->ub - type->lb;
}

/* types.c */
size_t lam_basic_size(int basic);
/* 0, or the class after lam_fail(): no type, or no memory for the answers. */
int lam_named_type(const char* function, MPI_Datatype handle, struct lam_type** type);
void lam_type_hold_part(struct lam_type* part);
/* Gives the type the handle that the program gets, or one more reference of it. False: no memory. */
bool lam_type_give_handle(struct lam_type* type);
void lam_type_discard(struct lam_type* type); /* it never had a handle */

/* pack.c: of a status, with an answer beyond the range of int. */
int lam_count_elements(const char* function, const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count);
int lam_set_elements(const char* function, MPI_Status* status, MPI_Datatype datatype, MPI_Count count);

/* type_build.c: a type grows part by part, in the order of its type map. */
uint32_t lam_mark_of(int basic); /* the `mark` of a basic type */
struct lam_edge {                /* lowest or highest byte so far: of explicit markers, and of the other parts */
    bool is_marked, is_known;
    ptrdiff_t marked, known;
};
struct lam_build {
    const char* function;
    struct lam_own_type* own; /* NULL: no memory */
    struct lam_edge lb, ub;
    bool failed;
};
/* Begins, with room for what MPI_Type_get_contents() will give. */
void lam_build_begin(struct lam_build* build, const char* function, int combiner, int integers, int addresses, int parts);
/* One of those parts. */
void lam_build_part(struct lam_build* build, int index, struct lam_type* part);
/* `count` copies of a part, one extent apart. */
void lam_build_add(struct lam_build* build, const struct lam_type* part, ptrdiff_t at, size_t count);
void lam_build_pad(struct lam_build* build); /* to the alignment, unless the upper bound is marked */
void lam_build_bounds(struct lam_build* build, ptrdiff_t lb, ptrdiff_t ub); /* replaces all others */
/* Ends: the handle, or the class after lam_fail(). */
int lam_build_end(struct lam_build* build, MPI_Datatype* newtype);

/* type_makers.c: the checks that all makers need. 0, or the class after lam_fail(). */
int lam_check_part(const char* function, MPI_Datatype oldtype, const MPI_Datatype* newtype, struct lam_type** part);
int lam_check_list(const char* function, const char* name, int count, const void* list);

#endif
