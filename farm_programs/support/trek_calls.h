/* The calls of trek.h that go to Magicwire: program_support::calls of a farm program. See program_support.h. */
#ifndef FARM_PROGRAMS_TREK_CALLS_H
#define FARM_PROGRAMS_TREK_CALLS_H

#include <stddef.h>

/* NOLINTNEXTLINE(readability-identifier-naming) */
struct trek_calls {
    void (*do_task)(const void* task, size_t bytes, int priority);
    unsigned (*total_tasks)(void);
    const void* (*get_result)(unsigned* bytes);
    unsigned (*result_task)(void);
    void (*return_result)(const void* result, size_t bytes);
    void (*sub_task)(const void* task, size_t bytes);
    unsigned (*split_degree)(void);
    unsigned (*sub_results)(void);
    const void* (*sub_result)(unsigned index, unsigned* bytes);
    void (*save)(const char* name, const void* data, size_t bytes);
    void (*event)(unsigned number, long long value);
    void (*monitor)(const char* classes, int on);
};

#endif
