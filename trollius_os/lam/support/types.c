/* Datatypes as objects: the basic ones, handles, references, commit, free. */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "lam_types.h"

#define BASIC(name, type) [MPI_##name - MPI_DATATYPE_NULL] = {"MPI_" #name, sizeof(type), _Alignof(type)}
#define COMPLEX(name, type) [MPI_##name - MPI_DATATYPE_NULL] = {"MPI_" #name, 2 * sizeof(type), _Alignof(type)}
const struct lam_basic lam_basics[LAM_BASIC_TYPES + 1] = {
    BASIC(CHAR, char),
    BASIC(SIGNED_CHAR, signed char),
    BASIC(UNSIGNED_CHAR, unsigned char),
    BASIC(BYTE, char),
    BASIC(WCHAR, wchar_t),
    BASIC(SHORT, short),
    BASIC(UNSIGNED_SHORT, unsigned short),
    BASIC(INT, int),
    BASIC(UNSIGNED, unsigned),
    BASIC(LONG, long),
    BASIC(UNSIGNED_LONG, unsigned long),
    BASIC(LONG_LONG_INT, long long),
    BASIC(UNSIGNED_LONG_LONG, unsigned long long),
    BASIC(FLOAT, float),
    BASIC(DOUBLE, double),
    BASIC(LONG_DOUBLE, long double),
    BASIC(PACKED, char),
    BASIC(INT8_T, int8_t),
    BASIC(INT16_T, int16_t),
    BASIC(INT32_T, int32_t),
    BASIC(INT64_T, int64_t),
    BASIC(UINT8_T, uint8_t),
    BASIC(UINT16_T, uint16_t),
    BASIC(UINT32_T, uint32_t),
    BASIC(UINT64_T, uint64_t),
    BASIC(C_BOOL, bool),
    COMPLEX(C_COMPLEX, float),
    COMPLEX(C_DOUBLE_COMPLEX, double),
    COMPLEX(C_LONG_DOUBLE_COMPLEX, long double),
    BASIC(AINT, MPI_Aint),
    BASIC(OFFSET, MPI_Offset),
    BASIC(COUNT, MPI_Count),
    BASIC(CXX_BOOL, bool),
    COMPLEX(CXX_FLOAT_COMPLEX, float),
    COMPLEX(CXX_DOUBLE_COMPLEX, double),
    COMPLEX(CXX_LONG_DOUBLE_COMPLEX, long double),
    BASIC(CHARACTER, char),
    BASIC(LOGICAL, MPI_Fint),
    BASIC(INTEGER, MPI_Fint),
    BASIC(REAL, float),
    BASIC(DOUBLE_PRECISION, double),
    COMPLEX(COMPLEX, float),
    COMPLEX(DOUBLE_COMPLEX, double),
    BASIC(INTEGER1, int8_t),
    BASIC(INTEGER2, int16_t),
    BASIC(INTEGER4, int32_t),
    BASIC(INTEGER8, int64_t),
    BASIC(REAL4, float),
    BASIC(REAL8, double),
    BASIC(REAL16, long double),
    COMPLEX(COMPLEX8, float),
    COMPLEX(COMPLEX16, double),
    COMPLEX(COMPLEX32, long double),
};

struct pair {
    MPI_Datatype handle, value;
    const char* name;
    ptrdiff_t at;
    size_t bytes;
};
#define PAIR(type, name, value)                \
    {                                          \
        MPI_##name, MPI_##value, "MPI_" #name, \
            offsetof(                          \
                struct {                       \
                    type a;                    \
                    int b;                     \
                },                             \
                b),                            \
            sizeof(struct {                    \
                type a;                        \
                int b;                         \
            })                                 \
    }
static const struct pair pairs[] = {PAIR(float, FLOAT_INT, FLOAT), PAIR(double, DOUBLE_INT, DOUBLE),
                                    PAIR(long, LONG_INT, LONG),    PAIR(int, 2INT, INT),
                                    PAIR(short, SHORT_INT, SHORT), PAIR(long double, LONG_DOUBLE_INT, LONG_DOUBLE)};

static struct lam_own_type predefined[LAM_BASIC_TYPES + 1];
static struct lam_block basic_blocks[LAM_BASIC_TYPES + 1];
static struct lam_block pair_blocks[sizeof pairs / sizeof pairs[0]][2];

size_t lam_basic_size(int basic) {
    return (size_t)lam_basics[basic].bytes;
}

static struct lam_type* begin_predefined(int number, const char* name) {
    struct lam_own_type* own = &predefined[number];
    struct lam_type* type = &own->type;
    own->handles = type->references = 1;
    own->has_handle = type->predefined = type->committed = true;
    type->handle = MPI_DATATYPE_NULL + number;
    type->combiner = MPI_COMBINER_NAMED;
    strcpy(type->name, name);
    lam_handle_set(LAM_TYPE, type->handle, type);
    return type;
}

static void begin_basic(int number) {
    const struct lam_basic* its = &lam_basics[number];
    struct lam_type* type = begin_predefined(number, its->name);
    basic_blocks[number] = (struct lam_block){0, (size_t)its->bytes, number};
    type->blocks = &basic_blocks[number];
    type->block_count = type->elements = 1;
    type->size = (size_t)its->bytes;
    type->ub = type->true_ub = its->bytes;
    type->gapless = true;
    type->uniform = number;
    type->mark = lam_mark_of(number);
    lam_own(type)->alignment = (size_t)its->alignment;
    lam_own(type)->has_bytes = type->handle == MPI_BYTE || type->handle == MPI_PACKED;
}

static void begin_pair(size_t index) {
    const struct pair* its = &pairs[index];
    struct lam_type* type = begin_predefined(its->handle - MPI_DATATYPE_NULL, its->name);
    /* The same steps as for a type of the program give the parts that follow from the type map. */
    struct lam_build build = {.own = lam_own(type)};
    type->blocks = pair_blocks[index];
    lam_own(type)->block_room = 2;
    lam_build_add(&build, &predefined[its->value - MPI_DATATYPE_NULL].type, 0, 1);
    lam_build_add(&build, &predefined[MPI_INT - MPI_DATATYPE_NULL].type, its->at, 1);
    type->ub = (ptrdiff_t)its->bytes;
    type->gapless = type->size == its->bytes;
}

void lam_types_begin(void) {
    for (int i = 1; i <= LAM_BASIC_TYPES; ++i)
        if (lam_basics[i].name != NULL) begin_basic(i);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) begin_pair(i);
    lam_own(begin_predefined(MPI_LB - MPI_DATATYPE_NULL, "MPI_LB"))->lb_marked = true;
    lam_own(begin_predefined(MPI_UB - MPI_DATATYPE_NULL, "MPI_UB"))->ub_marked = true;
}

const char* lam_basic_name(int number) {
    const bool is_one = number > 0 && number <= LAM_BASIC_TYPES && lam_basics[number].name != NULL;
    return is_one ? lam_basics[number].name : "an unknown type";
}

struct lam_type* lam_type(MPI_Datatype handle) {
    return lam_object(LAM_TYPE, handle);
}

static void drop_part(struct lam_type* part);

static void destroy(struct lam_type* type) {
    for (int i = 0; i < type->part_count; ++i)
        if (type->parts[i] != NULL) drop_part(type->parts[i]);
    free(type->blocks);
    free(type->integers);
    free(type->addresses);
    free(type->parts);
    free(type);
}

/* Frees what nobody needs after a reference has gone: the handle first, and the type with its last reference. */
static void settle(struct lam_type* type) {
    struct lam_own_type* own = lam_own(type);
    if (own->has_handle && own->handles == 0 && type->references == own->wholes) {
        lam_handle_free(LAM_TYPE, type->handle);
        own->has_handle = false;
    }
    if (type->references == 0) destroy(type);
}

void lam_type_hold(struct lam_type* type) {
    if (!type->predefined) ++type->references;
}
void lam_type_drop(struct lam_type* type) {
    if (type->predefined) return;
    --type->references;
    settle(type);
}
void lam_type_hold_part(struct lam_type* part) {
    if (part->predefined) return;
    ++part->references;
    ++lam_own(part)->wholes;
}
static void drop_part(struct lam_type* part) {
    if (part->predefined) return;
    --part->references;
    --lam_own(part)->wholes;
    settle(part);
}
void lam_type_discard(struct lam_type* type) {
    destroy(type);
}

bool lam_type_give_handle(struct lam_type* type) {
    struct lam_own_type* own = lam_own(type);
    if (type->predefined) return true;
    if (!own->has_handle) {
        const int handle = lam_handle_new(LAM_TYPE, type);
        if (handle == lam_null_handle(LAM_TYPE)) return false;
        type->handle = handle;
        own->has_handle = true;
    }
    ++own->handles;
    ++type->references;
    return true;
}

int lam_named_type(const char* function, MPI_Datatype handle, struct lam_type** type) {
    *type = lam_type(handle);
    if (*type != NULL) return MPI_SUCCESS;
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_TYPE, function, "datatype %s", lam_why_not(LAM_TYPE, handle));
}

int lam_type_for_data(MPI_Datatype handle, struct lam_type** type, const char** why) {
    *type = lam_type(handle);
    *why = NULL;
    if (*type == NULL)
        *why = lam_why_not(LAM_TYPE, handle);
    else if (!(*type)->committed)
        *why = "has not been committed with MPI_Type_commit()";
    return *why == NULL ? MPI_SUCCESS : MPI_ERR_TYPE;
}

static int type_behind(const char* function, const MPI_Datatype* handle, struct lam_type** type) {
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    if (handle == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "datatype is a null pointer");
    return lam_named_type(function, *handle, type);
}

LAM_API(int, Type_commit, (MPI_Datatype * datatype)) {
    struct lam_type* type = NULL;
    const int error = type_behind("MPI_Type_commit", datatype, &type);
    if (error == MPI_SUCCESS) type->committed = true;
    return error;
}

LAM_API(int, Type_free, (MPI_Datatype * datatype)) {
    struct lam_type* type = NULL;
    const int error = type_behind("MPI_Type_free", datatype, &type);
    if (error != MPI_SUCCESS) return error;
    struct lam_own_type* own = lam_own(type);
    if (type->predefined)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_TYPE, "MPI_Type_free", "datatype is %s; only a program's own types are freed",
                        type->name);
    if (own->handles == 0)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_TYPE, "MPI_Type_free", "datatype has been freed (0x%x)", (unsigned)*datatype);
    if (own->handles == 1) {
        const int told = lam_attributes_delete(type->handle, &type->attributes, LAM_TYPE);
        if (told != MPI_SUCCESS)
            return lam_fail(MPI_COMM_WORLD, told, "MPI_Type_free", "a callback that deletes an attribute returned %d", told);
    }
    --own->handles;
    --type->references;
    settle(type);
    *datatype = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
