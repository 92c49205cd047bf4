/* The way of data between a program's buffers and a row of bytes, and the counts of what has come. */
#include <limits.h>
#include <string.h>

#include "lam_logs.h"
#include "lam_types.h"

/* A type may hold absolute addresses, so the sum is one of numbers. */
static char* place(const void* base, ptrdiff_t at) {
    return (char*)((uintptr_t)base + (uintptr_t)at);
}

/* Short blocks are what vectors consist of; a copy of a known length is a few instructions. */
static inline void copy(char* to, const char* from, size_t bytes) {
    switch (bytes) {
        case 4:
            memcpy(to, from, 4);
            return;
        case 8:
            memcpy(to, from, 8);
            return;
        case 16:
            memcpy(to, from, 16);
            return;
        default:
            memcpy(to, from, bytes);
    }
}

void lam_pack(const void* from, size_t count, const struct lam_type* type, void* to) {
    if (count == 0 || type->size == 0) return;
    if (type->gapless) {
        memcpy(to, place(from, type->true_lb), count * type->size);
        return;
    }
    const ptrdiff_t extent = lam_extent(type);
    const struct lam_block* const end = type->blocks + type->block_count;
    char* out = to;
    for (size_t i = 0; i < count; ++i) {
        const char* base = place(from, (ptrdiff_t)i * extent);
        for (const struct lam_block* its = type->blocks; its != end; ++its) {
            copy(out, place(base, its->at), its->bytes);
            out += its->bytes;
        }
    }
}

void lam_unpack(const void* from, size_t bytes, void* to, size_t count, const struct lam_type* type) {
    if (count == 0 || type->size == 0 || bytes == 0) return;
    if (type->gapless) {
        memcpy(place(to, type->true_lb), from, bytes);
        return;
    }
    const ptrdiff_t extent = lam_extent(type);
    const struct lam_block* const end = type->blocks + type->block_count;
    const char* in = from;
    for (size_t i = 0; i < count; ++i) {
        const char* base = place(to, (ptrdiff_t)i * extent);
        for (const struct lam_block* its = type->blocks; its != end; ++its) {
            const size_t length = its->bytes < bytes ? its->bytes : bytes;
            copy(place(base, its->at), in, length);
            in += length;
            bytes -= length;
            if (bytes == 0) return;
        }
    }
}

/* The first basic type in the lower six bits; if there are several, their set above (type_build.c). */
uint32_t lam_signature(size_t count, const struct lam_type* type) {
    if (count == 0 || type->elements == 0 || lam_own_const(type)->has_bytes) return 0;
    return type->mark;
}

bool lam_signatures_fit(uint32_t sent, uint32_t received) {
    if (sent == 0 || received == 0) return true;
    const uint32_t first = 0x3f;
    return (sent & first) == (received & first) && (sent & ~received & ~first) == 0;
}

struct packing {
    const char* function;
    const void *data, *row;
    int count;
    const int* position;
    int room;
};
static int check_packing(const struct packing* its, MPI_Datatype datatype, MPI_Comm comm, struct lam_type** type) {
    int error = lam_require_running(its->function);
    if (error != MPI_SUCCESS) return error;
    if (lam_comm(comm) == NULL)
        return lam_fail(comm, MPI_ERR_COMM, its->function,
                        "comm %s", lam_why_not(LAM_COMM, comm));
    if (its->count < 0) return lam_fail(comm, MPI_ERR_COUNT, its->function, "count is %d", its->count);
    const char* why = NULL;
    error = lam_type_for_data(datatype, type, &why);
    if (error != MPI_SUCCESS) return lam_fail(comm, error, its->function, "datatype %s", why);
    if (its->position == NULL) return lam_fail(comm, MPI_ERR_ARG, its->function, "a pointer for an answer is null");
    const int position = *its->position;
    if (position < 0 || position > its->room)
        return lam_fail(comm, MPI_ERR_ARG, its->function, "position is %d, and the buffer has %d bytes", position, its->room);
    const size_t bytes = (size_t)its->count * (*type)->size;
    if (bytes > (size_t)(its->room - position))
        return lam_fail(comm, MPI_ERR_TRUNCATE, its->function,
                        "position is %d and the buffer has %d bytes, which leaves no room for %zu", position, its->room, bytes);
    if (bytes > 0 && (its->row == NULL || (its->data == NULL && (*type)->predefined)))
        return lam_fail(comm, MPI_ERR_BUFFER, its->function, "a buffer is a null pointer, and there are %zu bytes", bytes);
    return MPI_SUCCESS;
}

LAM_API(int, Pack,
        (const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position, MPI_Comm comm)) {
    const struct packing its = {"MPI_Pack", inbuf, outbuf, incount, position, outsize};
    struct lam_type* type = NULL;
    const int error = check_packing(&its, datatype, comm, &type);
    if (error != MPI_SUCCESS) return error;
    const struct lam_row row = {place(outbuf, *position), (size_t)incount * type->size, lam_type(MPI_BYTE)};
    lam_log_copied((struct lam_row){inbuf, (size_t)incount, type}, row, row.count);
    lam_pack(inbuf, (size_t)incount, type, place(outbuf, *position));
    *position += incount * (int)type->size;
    lam_port_charge(LAM_PRICE_BYTE, (size_t)incount * type->size);
    return MPI_SUCCESS;
}

LAM_API(int, Unpack,
        (const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype, MPI_Comm comm)) {
    const struct packing its = {"MPI_Unpack", outbuf, inbuf, outcount, position, insize};
    struct lam_type* type = NULL;
    const int error = check_packing(&its, datatype, comm, &type);
    if (error != MPI_SUCCESS) return error;
    const size_t bytes = (size_t)outcount * type->size;
    lam_log_copied((struct lam_row){place(inbuf, *position), bytes, lam_type(MPI_BYTE)},
                   (struct lam_row){outbuf, (size_t)outcount, type}, bytes);
    lam_unpack(place(inbuf, *position), bytes, outbuf, (size_t)outcount, type);
    *position += (int)bytes;
    lam_port_charge(LAM_PRICE_BYTE, bytes);
    return MPI_SUCCESS;
}

LAM_API(int, Pack_size, (int incount, MPI_Datatype datatype, MPI_Comm comm, int* size)) {
    static const char name[] = "MPI_Pack_size";
    const int nowhere = 0;
    const struct packing its = {name, "", "", incount, size == NULL ? NULL : &nowhere, INT_MAX};
    struct lam_type* type = NULL;
    const int error = check_packing(&its, datatype, comm, &type);
    if (error != MPI_SUCCESS) return error;
    *size = incount * (int)type->size;
    return MPI_SUCCESS;
}

LAM_API(int, Get_address, (const void* location, MPI_Aint* address)) {
    if (address == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, "MPI_Get_address", "address is a null pointer");
    *address = (MPI_Aint)(uintptr_t)location;
    return MPI_SUCCESS;
}
LAM_API(int, Address, (void* location, MPI_Aint* address)) {
    return lam_api_Get_address(location, address);
}

static int check_status(const char* function, const MPI_Status* status, MPI_Datatype datatype, const void* count,
                        struct lam_type** type) {
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    if (status == NULL || status == MPI_STATUS_IGNORE)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "status is null or MPI_STATUS_IGNORE");
    if (count == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "count is a null pointer");
    return lam_named_type(function, datatype, type);
}

LAM_API(int, Get_count, (const MPI_Status* status, MPI_Datatype datatype, int* count)) {
    struct lam_type* type = NULL;
    const int error = check_status("MPI_Get_count", status, datatype, count, &type);
    if (error != MPI_SUCCESS) return error;
    const long long bytes = status->lam_bytes, size = (long long)type->size;
    *count = MPI_UNDEFINED;
    if (size == 0) {
        if (bytes == 0) *count = 0;
    } else if (bytes % size == 0 && bytes / size <= INT_MAX) {
        *count = (int)(bytes / size);
    }
    return MPI_SUCCESS;
}

/* Whole basic elements in the first `bytes` of one type; `bytes` of its size at most. */
static size_t elements_in(const struct lam_type* type, size_t bytes) {
    size_t elements = 0;
    for (size_t i = 0; i < type->block_count; ++i) {
        const struct lam_block* its = &type->blocks[i];
        const size_t size = lam_basic_size(its->basic);
        if (its->bytes > bytes) return elements + bytes / size;
        elements += its->bytes / size;
        bytes -= its->bytes;
    }
    return elements;
}

int lam_count_elements(const char* function, const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
    struct lam_type* type = NULL;
    const int error = check_status(function, status, datatype, count, &type);
    if (error != MPI_SUCCESS) return error;
    const size_t bytes = (size_t)status->lam_bytes;
    *count = MPI_UNDEFINED;
    if (type->size == 0) {
        if (bytes == 0) *count = 0;
        return MPI_SUCCESS;
    }
    /* MPICH leaves out the part of an element that a message ends with, but for the basic types. */
    if (type->predefined && type->elements == 1 && bytes % type->size != 0) return MPI_SUCCESS;
    *count = (MPI_Count)(bytes / type->size * type->elements + elements_in(type, bytes % type->size));
    return MPI_SUCCESS;
}
LAM_API(int, Get_elements, (const MPI_Status* status, MPI_Datatype datatype, int* count)) {
    MPI_Count all = MPI_UNDEFINED;
    const int error = lam_count_elements("MPI_Get_elements", status, datatype, count == NULL ? NULL : &all);
    if (error == MPI_SUCCESS) *count = all > INT_MAX ? MPI_UNDEFINED : (int)all;
    return error;
}

/* Bytes of the first `elements` basic elements. */
static size_t bytes_of(const struct lam_type* type, size_t elements) {
    if (type->elements == 0) return 0;
    size_t bytes = elements / type->elements * type->size;
    size_t rest = elements % type->elements;
    for (size_t i = 0; rest > 0; ++i) {
        const struct lam_block* its = &type->blocks[i];
        const size_t size = lam_basic_size(its->basic);
        const size_t here = its->bytes / size < rest ? its->bytes / size : rest;
        bytes += here * size;
        rest -= here;
    }
    return bytes;
}

int lam_set_elements(const char* function, MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
    struct lam_type* type = NULL;
    const int error = check_status(function, status, datatype, &count, &type);
    if (error != MPI_SUCCESS) return error;
    if (count < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_COUNT, function, "count is %lld", count);
    status->lam_bytes = (long long)bytes_of(type, (size_t)count);
    return MPI_SUCCESS;
}
LAM_API(int, Status_set_elements, (MPI_Status * status, MPI_Datatype datatype, int count)) {
    return lam_set_elements("MPI_Status_set_elements", status, datatype, count);
}
LAM_API(int, Status_set_cancelled, (MPI_Status * status, int flag)) {
    if (status == NULL || status == MPI_STATUS_IGNORE)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, "MPI_Status_set_cancelled", "status is null or MPI_STATUS_IGNORE");
    status->lam_cancelled = flag != 0;
    return MPI_SUCCESS;
}
