/* The way into main(), and out of the process: the functions that run at its end. */
#include <program_support_own.h> /* first: it asks for everything that the C library declares */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "streams.h"
#include "trollius_calls.h"

/* In one list, as the C standard has it: atexit(), on_exit(), atkexit(), and the destructors of static objects, which the compiler
 * registers when it has constructed them. Those of the module's static constructors are there when a process begins. */
struct ending {
    enum { with_nothing, with_argument, with_status } how;
    void* function;
    void* argument;
};
enum { own = 32, most_atkexit = 32 };
static struct ending first[own], *endings = first;
static unsigned count, room = own, atkexits;

static int add(int how, void* function, void* argument) {
    if (count == room) {
        struct ending* more = malloc(2 * room * sizeof *more);
        if (more == NULL) return -1;
        for (unsigned i = 0; i < count; ++i) more[i] = endings[i];
        if (endings != first) free(endings);
        endings = more;
        room *= 2;
    }
    const struct ending made = {how, function, argument};
    endings[count++] = made;
    return 0;
}

int atexit(void (*function)(void)) {
    return add(with_nothing, (void*)function, NULL);
}
int on_exit(void (*function)(int, void*), void* argument) {
    return add(with_status, (void*)function, argument);
}
int __cxa_atexit(void (*function)(void*), void* argument, void* module);
int __cxa_atexit(void (*function)(void*), void* argument, void* module) {
    (void)module;
    return add(with_argument, (void*)function, argument);
}
int atkexit(void (*function)(void* argument), void* argument) {
    if (atkexits == most_atkexit || add(with_argument, (void*)function, argument) != 0) {
        errno = ENOEXDESCRIPTORS;
        return -1;
    }
    ++atkexits;
    return 0;
}

static void run_registered(int status) {
    while (count > 0) {
        const struct ending now = endings[--count];
        if (now.how == with_nothing) ((void (*)(void))now.function)();
        if (now.how == with_argument) ((void (*)(void*))now.function)(now.argument);
        if (now.how == with_status) ((void (*)(int, void*))now.function)(status, now.argument);
    }
}

/* The compiler's own destructor calls it, which stands among the user's: the list above does this work. */
void __cxa_finalize(void* module);
void __cxa_finalize(void* module) {
    (void)module;
}

/* Each is forgotten before it runs: one that calls exit() lets the others run. Functions with the attribute destructor come
 * last, as in the C library. */
static size_t destroyed;
static void run_endings(int status) {
    void (*const* const destructors)(void) = program_own.destructors;
    run_registered(status);
    while (destroyed < program_own.destructor_count) {
        ++destroyed;
        destructors[program_own.destructor_count - destroyed]();
        run_registered(status);
    }
    program_end_streams();
}

static _Noreturn void end_with(const char* function, int status) {
    if (program_own.common == NULL) program_end(function, NULL);
    program_own.common->exit(status);
    __builtin_unreachable();
}
void exit(int status) {
    /* The end of a process in one of its threads is refused. */
    if (program_own.common != NULL && !((const struct trollius_calls*)program_own.calls)->is_thread()) run_endings(status);
    end_with("calls exit()", status);
}
void kexit(int status) {
    exit(status);
}
void _exit(int status) {
    end_with("calls _exit()", status);
}
void _Exit(int status) {
    end_with("calls _Exit()", status);
}
void _kexit(int status) {
    end_with("calls _kexit()", status);
}

/* The process goes on from an image, so nobody waits here for the end of main(). */
int trollius_goes_on;

/* Magicwire calls this. */
int trollius_start(int (*code)(int, char**), int words, char** vector);
int trollius_start(int (*code)(int, char**), int words, char** vector) {
    char** const environment = vector + words + 1;
    program_begin_environment(environment);
    const int status = ((int (*)(int, char**, char**))code)(words, vector, environment); /* main() may ask for all three */
    run_endings(status);
    if (trollius_goes_on) end_with("returns from main()", status);
    return status;
}

int trollius_thread(void (*function)(void*), void* argument);
int trollius_thread(void (*function)(void*), void* argument) {
    function(argument);
    return 0;
}
