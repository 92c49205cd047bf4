/* Loads and stores of a program that is compiled with -fsanitize=thread: the compiler calls one of these functions before each.
 * They stand in for the library of that sanitizer, which is not linked. So reads of buffers in use are seen, and writes of the value
 * that was there. Without the option nobody calls them.
 *
 * Source: the names are those of GCC's tsan_interface.h. Cost: two comparisons while no buffer is in use; else a search by
 * address. */
#include <stddef.h>

#include "lam_watches.h"

static inline void access_by(const void* at, size_t bytes, bool writes, const void* from) {
    if (lam_watch_any()) lam_watch_access(at, bytes, writes, from);
}

#define ACCESSES(name, bytes)                                                    \
    void __tsan_read##name(void* at);                                      \
    void __tsan_read##name(void* at) {                                     \
        access_by(at, bytes, false, __builtin_return_address(0));                \
    }                                                                            \
    void __tsan_write##name(void* at);                                     \
    void __tsan_write##name(void* at) {                                    \
        access_by(at, bytes, true, __builtin_return_address(0));                 \
    }
#define UNALIGNED(name, bytes)                                                   \
    void __tsan_unaligned_read##name(void* at);                            \
    void __tsan_unaligned_read##name(void* at) {                           \
        access_by(at, bytes, false, __builtin_return_address(0));                \
    }                                                                            \
    void __tsan_unaligned_write##name(void* at);                           \
    void __tsan_unaligned_write##name(void* at) {                          \
        access_by(at, bytes, true, __builtin_return_address(0));                 \
    }
ACCESSES(1, 1)
ACCESSES(2, 2)
ACCESSES(4, 4)
ACCESSES(8, 8)
ACCESSES(16, 16)
UNALIGNED(2, 2)
UNALIGNED(4, 4)
UNALIGNED(8, 8)
UNALIGNED(16, 16)

void __tsan_read_range(void* at, long bytes);
void __tsan_read_range(void* at, long bytes) {
    access_by(at, (size_t)bytes, false, __builtin_return_address(0));
}
void __tsan_write_range(void* at, long bytes);
void __tsan_write_range(void* at, long bytes) {
    access_by(at, (size_t)bytes, true, __builtin_return_address(0));
}
void __tsan_vptr_update(void* at, void* value);
void __tsan_vptr_update(void* at, void* value) {
    (void)value;
    access_by(at, sizeof(void*), true, __builtin_return_address(0));
}
void __tsan_vptr_read(void* at);
void __tsan_vptr_read(void* at) {
    access_by(at, sizeof(void*), false, __builtin_return_address(0));
}

/* Calls and the beginning say nothing about buffers. */
void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_func_entry(void* caller);
void __tsan_func_entry(void* caller) {
    (void)caller;
}
void __tsan_func_exit(void* unused);
void __tsan_func_exit(void* unused) {
    (void)unused;
}
