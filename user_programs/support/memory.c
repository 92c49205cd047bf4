/* Memory of the modelled node instead of the host's, for malloc() and its relatives and for what the C library allocates for
 * its caller. */
#include "program_support_own.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { least_alignment = 16, page_bytes = 4096, startup_room = PROGRAM_STARTUP_ROOM };

/* Static constructors run when the module is loaded, before there is a node: what they allocate is kept with the globals, of
 * which every process has a copy. */
static void* startup_allocate(size_t bytes, size_t alignment) {
    if (program_own.startup == NULL) return NULL;
    const size_t at = (program_own.startup_used + sizeof(size_t) + alignment - 1) / alignment * alignment;
    if (bytes > (size_t)startup_room || at + bytes > (size_t)startup_room) return NULL;
    program_own.startup_used = at + bytes;
    memcpy(program_own.startup + at - sizeof(size_t), &bytes, sizeof bytes);
    return program_own.startup + at;
}

static int of_startup(const void* block) {
    return program_own.startup != NULL && (uintptr_t)block - (uintptr_t)program_own.startup < (uintptr_t)startup_room;
}

static void* allocate(size_t bytes, size_t alignment) {
    void* block = program_own.common == NULL ? startup_allocate(bytes, alignment) : program_own.common->allocate(bytes, alignment);
    if (block == NULL) errno = ENOMEM;
    return block;
}

void* malloc(size_t bytes) {
    return allocate(bytes, least_alignment);
}

void free(void* block) {
    if (block == NULL || of_startup(block)) return; /* what a static constructor took stays with the globals */
    if (program_own.common != NULL) program_own.common->release(block);
}

void* calloc(size_t count, size_t bytes) {
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) all = SIZE_MAX;
    void* block = malloc(all);
    if (block != NULL) memset(block, 0, all);
    return block;
}

size_t malloc_usable_size(void* block) {
    size_t bytes;
    if (block == NULL) return 0;
    if (!of_startup(block)) return program_own.common->block_bytes(block);
    memcpy(&bytes, (char*)block - sizeof bytes, sizeof bytes);
    return bytes;
}

void* realloc(void* block, size_t bytes) {
    if (block == NULL) return malloc(bytes);
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    const size_t had = malloc_usable_size(block);
    void* other = malloc(bytes);
    if (other == NULL) return NULL;
    memcpy(other, block, had < bytes ? had : bytes);
    free(block);
    return other;
}

void* reallocarray(void* block, size_t count, size_t bytes) {
    size_t all;
    return realloc(block, __builtin_mul_overflow(count, bytes, &all) ? SIZE_MAX : all);
}

void* memalign(size_t alignment, size_t bytes) {
    return allocate(bytes, alignment < least_alignment ? least_alignment : alignment);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
    return memalign(alignment, bytes);
}
void* valloc(size_t bytes) {
    return memalign(page_bytes, bytes);
}
void* pvalloc(size_t bytes) {
    return memalign(page_bytes, (bytes + page_bytes - 1) / page_bytes * page_bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
    void* got = memalign(alignment, bytes);
    if (got == NULL) return ENOMEM;
    *block = got;
    return 0;
}

char* strndup(const char* text, size_t most) {
    const size_t length = strnlen(text, most);
    char* copy = malloc(length + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}
wchar_t* wcsdup(const wchar_t* text) {
    const size_t bytes = (wcslen(text) + 1) * sizeof *text;
    wchar_t* copy = malloc(bytes);
    return copy == NULL ? NULL : memcpy(copy, text, bytes);
}
char* strdup(const char* text) {
    return strndup(text, SIZE_MAX);
}

int vasprintf(char** text, const char* format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    *text = length < 0 ? NULL : malloc((size_t)length + 1);
    return *text == NULL ? -1 : vsnprintf(*text, (size_t)length + 1, format, arguments);
}
int asprintf(char** text, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}
