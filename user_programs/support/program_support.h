/* The interface between Magicwire and a program's support code, which is compiled into the program. Neither its author
 * nor the rest of Magicwire needs this file. A change of a declaration must raise PROGRAM_SUPPORT_VERSION, because a module keeps the
 * table it was built with. */
#ifndef USER_PROGRAMS_PROGRAM_SUPPORT_H
#define USER_PROGRAMS_PROGRAM_SUPPORT_H

#include <stddef.h>

#define PROGRAM_SUPPORT_VERSION 9u
#define PROGRAM_STARTUP_ROOM (16 << 20)

#ifdef __cplusplus
extern "C" {
#endif

/* What a library does with data of the program, for the logs of flowback; the numbers are those of flowback_log::ActKind. */
enum program_act_kind { PROGRAM_SENT = 1, PROGRAM_RECEIVED, PROGRAM_COPIED, PROGRAM_COMBINED, PROGRAM_RANK, PROGRAM_BEGUN, PROGRAM_WAITS, PROGRAM_READ, PROGRAM_SAW, PROGRAM_ABORTED, PROGRAM_FUNCTION };
struct program_piece {
    unsigned long address, bytes;
};
struct program_act {
    enum program_act_kind kind;
    unsigned peer, flow, tag, context, operation;
    const struct program_piece *from, *to;
    unsigned long from_count, to_count;
};

/* Calls of the logging version of a program (user_programs/flowback/log.c); the bytes are those of flowback_log. */
struct program_flowback_calls {
    unsigned (*enter)(unsigned function, const void* addresses, const void* words, unsigned long bytes);
    void (*leave)(unsigned depth, const void* value, unsigned long bytes);
    void (*read)(unsigned long address, unsigned long bytes);
    void (*wrote)(unsigned long address, unsigned long bytes);
    void (*variable)(unsigned long address, unsigned long bytes);
    void (*call)(unsigned site, unsigned depth, unsigned effect, const void* value, unsigned long bytes, unsigned long first,
                 unsigned long second);
    void (*output)(unsigned long address, unsigned long bytes);
    void (*act)(const struct program_act* act);
};

/* Calls of the support code to Magicwire that every program has. All run on the stack of the user's function. */
struct program_calls {
    unsigned (*node)(void);
    void (*work_us)(unsigned long long microseconds);
    void (*work_cycles)(unsigned long long cycles);
    void (*work_operations)(int kind, unsigned long long count);
    void* (*allocate)(size_t bytes, size_t alignment); /* null: no memory */
    void (*release)(void* block);
    size_t (*block_bytes)(const void* block); /* 0: not a block */
    void (*write)(const char* text, size_t bytes);
    size_t (*read)(void* buffer, size_t bytes);
    unsigned long long (*clock_us)(void);
    void (*spent)(void);                                      /* the budget of basic blocks is used up */
    void (*refuse)(const char* function, const char* advice); /* a call that no node supports */
    void (*end)(const char* what, const char* advice);        /* ends the process; does not return; no advice: the usual one */
    void (*exit)(int status);                                 /* the program calls exit(); does not return */
    void (*no_memory)(size_t bytes);                          /* before operator new throws */
    const struct program_flowback_calls* flowback;
};

/* The part of a module that Magicwire reads. */
struct program_support {
    unsigned version;
    const struct program_calls* common;
    const void* calls; /* those of the kind of program: trek_calls.h, trollius_calls.h */
    /* Cost of the basic block that begins behind a call of the counter: indexed by address from `text` on. */
    const unsigned short* weights;
    unsigned long text, text_bytes;
    long long budget;
    unsigned long frame; /* frame of the user's function that passes bytes; no live variable lies below it */
    unsigned long long library_cycles; /* of a library's own work, not charged yet; charged whatever the program's costs are */
    /* Memory for static constructors, PROGRAM_STARTUP_ROOM bytes, and the bytes used before the node existed. */
    char* startup;
    size_t startup_used;
    /* The program's constructors, which the loader does not call, and the error of one that was stopped. */
    const void* constructors;
    size_t constructor_count;
    /* Its functions with the attribute destructor, which the loader does not call either. A kind of program may call them, the
     * last one first. */
    const void* destructors;
    size_t destructor_count;
    const char* complaint;
};
struct program_support* support_of_program(void);

#ifdef __cplusplus
}
#endif
#endif
