/* Data as `external32`, the standard's form for all machines: the greatest byte first, with sizes of its own. */
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lam_transfer.h"
#include "lam_types.h"

enum { quad_bytes = 16, real_bytes = 10 }; /* of a long double in this form, and of the one of x86 without its gap */

/* What an element of a basic type is made of: so many parts of one size, as Fortran's and C's complex numbers are two. */
struct form {
    size_t parts, here, there; /* bytes of a part in memory, and in this form */
    bool has_sign, is_long_double;
};
static struct form form_of(int basic) {
    const size_t bytes = lam_basic_size(basic);
    switch (MPI_DATATYPE_NULL + basic) {
        case MPI_LONG:
            return (struct form){1, bytes, 4, true, false};
        case MPI_UNSIGNED_LONG:
            return (struct form){1, bytes, 4, false, false};
        case MPI_WCHAR:
            return (struct form){1, bytes, 2, false, false};
        case MPI_LONG_DOUBLE:
        case MPI_REAL16:
            return (struct form){1, bytes, quad_bytes, true, true};
        case MPI_C_COMPLEX:
        case MPI_C_DOUBLE_COMPLEX:
        case MPI_CXX_FLOAT_COMPLEX:
        case MPI_CXX_DOUBLE_COMPLEX:
        case MPI_COMPLEX:
        case MPI_DOUBLE_COMPLEX:
        case MPI_COMPLEX8:
        case MPI_COMPLEX16:
            return (struct form){2, bytes / 2, bytes / 2, true, false};
        case MPI_C_LONG_DOUBLE_COMPLEX:
        case MPI_CXX_LONG_DOUBLE_COMPLEX:
        case MPI_COMPLEX32:
            return (struct form){2, bytes / 2, quad_bytes, true, true};
        default:
            return (struct form){1, bytes, bytes, true, false};
    }
}

/* Both kinds of long double have a sign, 15 bits of exponent, and a fraction; the one of x86 writes the bit before it. */
static void write_quad(const unsigned char* from, unsigned char* to) {
    uint64_t fraction = 0;
    memcpy(&fraction, from, sizeof fraction);
    fraction <<= 1;
    memset(to, 0, quad_bytes);
    to[0] = from[real_bytes - 1];
    to[1] = from[real_bytes - 2];
    for (int i = 0; i < 8; ++i) to[2 + i] = (unsigned char)(fraction >> (56 - 8 * i));
}
static void read_quad(const unsigned char* from, unsigned char* to, size_t bytes) {
    uint64_t fraction = 0;
    for (int i = 0; i < 8; ++i) fraction = fraction << 8 | from[2 + i];
    fraction >>= 1;
    if ((from[0] & 0x7f) != 0 || from[1] != 0) fraction |= UINT64_C(1) << 63;
    memset(to, 0, bytes);
    memcpy(to, &fraction, sizeof fraction);
    to[real_bytes - 2] = from[1];
    to[real_bytes - 1] = from[0];
}

static void write_part(const struct form* form, const unsigned char* from, unsigned char* to) {
    if (form->is_long_double) return write_quad(from, to);
    for (size_t i = 0; i < form->there; ++i) to[form->there - 1 - i] = from[i];
}
static void read_part(const struct form* form, const unsigned char* from, unsigned char* to) {
    if (form->is_long_double) return read_quad(from, to, form->here);
    memset(to, form->has_sign && (from[0] & 0x80) != 0 ? 0xff : 0, form->here);
    for (size_t i = 0; i < form->there; ++i) to[i] = from[form->there - 1 - i];
}

static size_t bytes_there(const struct lam_type* type) {
    size_t bytes = 0;
    for (size_t i = 0; i < type->block_count; ++i) {
        const struct form form = form_of(type->blocks[i].basic);
        bytes += type->blocks[i].bytes / form.here * form.there;
    }
    return bytes;
}

/* Writes the row from a program's data, or reads them from it. */
static void convert(char* data, int count, const struct lam_type* type, unsigned char* row, bool writes) {
    for (int n = 0; n < count; ++n) {
        for (size_t i = 0; i < type->block_count; ++i) {
            const struct lam_block* block = &type->blocks[i];
            const struct form form = form_of(block->basic);
            const uintptr_t first = (uintptr_t)data + (uintptr_t)(n * lam_extent(type)) + (uintptr_t)block->at;
            for (size_t at = 0; at < block->bytes; at += form.here, row += form.there) {
                unsigned char* part = (unsigned char*)(first + at);
                if (writes)
                    write_part(&form, part, row);
                else
                    read_part(&form, row, part);
            }
        }
    }
}

struct external {
    const char *function, *datarep;
    void *data, *row;
    int count;
    MPI_Aint room;
    const MPI_Aint* position;
};
static int check(const struct external* its, MPI_Datatype datatype, struct lam_type** type) {
    const char* why = NULL;
    int error = lam_require_running(its->function);
    if (error != MPI_SUCCESS) return error;
    if (its->datarep == NULL || strcmp(its->datarep, "external32") != 0)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, its->function, "datarep is not \"external32\"");
    if (its->count < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_COUNT, its->function, "count is %d", its->count);
    error = lam_type_for_data(datatype, type, &why);
    if (error != MPI_SUCCESS) return lam_fail(MPI_COMM_WORLD, error, its->function, "datatype %s", why);
    if (its->position == NULL)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, its->function, "a pointer for an answer is null");
    const MPI_Aint position = *its->position;
    if (position < 0 || position > its->room)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, its->function, "position is %td, and the buffer has %td bytes", position,
                        its->room);
    const size_t bytes = (size_t)its->count * bytes_there(*type);
    if (bytes > (size_t)(its->room - position))
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_TRUNCATE, its->function,
                        "position is %td and the buffer has %td bytes, which leaves no room for %zu", position, its->room, bytes);
    if (bytes > 0 && (its->row == NULL || (its->data == NULL && (*type)->predefined)))
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_BUFFER, its->function, "a buffer is a null pointer, and there are %zu bytes",
                        bytes);
    return MPI_SUCCESS;
}
static void move(const struct external* its, const struct lam_type* type, MPI_Aint* position, bool writes) {
    const size_t bytes = (size_t)its->count * bytes_there(type);
    convert(its->data, its->count, type, (unsigned char*)its->row + *position, writes);
    *position += (MPI_Aint)bytes;
    lam_port_charge(LAM_PRICE_BYTE, bytes);
}

LAM_API(int, Pack_external,
        (const char datarep[], const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, MPI_Aint outsize,
         MPI_Aint* position)) {
    const struct external its = {"MPI_Pack_external", datarep, (void*)(uintptr_t)inbuf, outbuf, incount, outsize, position};
    struct lam_type* type = NULL;
    const int error = check(&its, datatype, &type);
    if (error == MPI_SUCCESS) move(&its, type, position, true);
    return error;
}
LAM_API(int, Unpack_external,
        (const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf, int outcount,
         MPI_Datatype datatype)) {
    const struct external its = {"MPI_Unpack_external", datarep, outbuf, (void*)(uintptr_t)inbuf, outcount, insize, position};
    struct lam_type* type = NULL;
    const int error = check(&its, datatype, &type);
    if (error == MPI_SUCCESS) move(&its, type, position, false);
    return error;
}
LAM_API(int, Pack_external_size, (const char datarep[], int incount, MPI_Datatype datatype, MPI_Aint* size)) {
    const MPI_Aint nowhere = 0;
    char any = 0;
    const struct external its = {"MPI_Pack_external_size",      datarep, &any, &any, incount, PTRDIFF_MAX,
                                 size == NULL ? NULL : &nowhere};
    struct lam_type* type = NULL;
    const int error = check(&its, datatype, &type);
    if (error == MPI_SUCCESS) *size = (MPI_Aint)((size_t)incount * bytes_there(type));
    return error;
}
