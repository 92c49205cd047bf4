/* What Magicwire reads of the module; the functions of work.h; and the counter of basic blocks that the compiler calls. The
 * last file of the support code, by its name: what the user's code writes below its globals hits `program_own` first, and is
 * found. */
#include <vocabulary/work.h>

#include "program_support_own.h"

struct program_support program_own = {.version = PROGRAM_SUPPORT_VERSION};

struct program_support* support_of_program(void) {
    return &program_own;
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    const unsigned long at = (unsigned long)__builtin_return_address(0) - program_own.text;
    if (at >= program_own.text_bytes) return;
    program_own.budget -= program_own.weights[at];
    if (program_own.budget < 0) program_own.common->spent();
}

/* For libraries of programs, whose blocks are not counted: the time of their own work, charged before the next call. */
void program_library_work(unsigned long long cycles);
void program_library_work(unsigned long long cycles) {
    program_own.library_cycles += cycles;
}

void work_us(unsigned long long microseconds) {
    program_own.common->work_us(microseconds);
}
void work_cycles(unsigned long long cycles) {
    program_own.common->work_cycles(cycles);
}
void work_operations(enum trek_operation kind, unsigned long long count) {
    program_own.common->work_operations((int)kind, count);
}
