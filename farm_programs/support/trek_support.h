/* The interface between Magicwire and a program's support code, which is compiled into the program. Neither its author
 * nor the rest of Magicwire needs this file. A change of a declaration must raise TREK_SUPPORT_VERSION, because a module keeps the
 * table it was built with. */
#ifndef FARM_PROGRAMS_TREK_SUPPORT_H
#define FARM_PROGRAMS_TREK_SUPPORT_H

#include <stddef.h>

#define TREK_SUPPORT_VERSION 3u
#define TREK_STARTUP_ROOM (16 << 20)

#ifdef __cplusplus
extern "C" {
#endif

/* Calls of the support code to Magicwire. All run on the stack of the user's function. */
struct trek_support_table {
    void (*do_task)(const void* task, size_t bytes, int priority);
    unsigned (*total_tasks)(void);
    const void* (*get_result)(unsigned* bytes);
    unsigned (*result_task)(void);
    void (*return_result)(const void* result, size_t bytes);
    void (*sub_task)(const void* task, size_t bytes);
    unsigned (*split_degree)(void);
    unsigned (*sub_results)(void);
    const void* (*sub_result)(unsigned index, unsigned* bytes);
    unsigned (*node)(void);
    void (*work_us)(unsigned long long microseconds);
    void (*work_cycles)(unsigned long long cycles);
    void (*work_operations)(int kind, unsigned long long count);
    void* (*allocate)(size_t bytes, size_t alignment); /* null: no memory */
    void (*release)(void* block);
    size_t (*block_bytes)(const void* block); /* 0: not a block */
    void (*write)(const char* text, size_t bytes);
    size_t (*read)(void* buffer, size_t bytes);
    void (*save)(const char* name, const void* data, size_t bytes);
    unsigned long long (*clock_us)(void);
    void (*spent)(void);                                      /* the budget of basic blocks is used up */
    void (*refuse)(const char* function, const char* advice); /* a call that no node supports */
    void (*end)(const char* what, const char* advice);        /* ends the process; does not return; no advice: the usual one */
    void (*no_memory)(size_t bytes);                          /* before operator new throws */
    void (*event)(unsigned number, long long value);
    void (*monitor)(const char* classes, int on);
};

/* The part of a module that Magicwire reads. */
struct trek_support {
    unsigned version;
    const struct trek_support_table* table;
    /* Cost of the basic block that begins behind a call of the counter: indexed by address from `text` on. */
    const unsigned short* weights;
    unsigned long text, text_bytes;
    long long budget;
    unsigned long frame; /* frame of the user's function that passes bytes; no live variable lies below it */
    /* Memory for static constructors, TREK_STARTUP_ROOM bytes, and the bytes used before the node existed. */
    char* startup;
    size_t startup_used;
    /* The program's constructors, which the loader does not call, and the error of one that was stopped. */
    const void* constructors;
    size_t constructor_count;
    const char* complaint;
};
struct trek_support* trek_support_of_program(void);

#ifdef __cplusplus
}
#endif
#endif
