/* Shared by the files of the support code, also by that of each kind of program. */
#ifndef USER_PROGRAMS_PROGRAM_SUPPORT_OWN_H
#define USER_PROGRAMS_PROGRAM_SUPPORT_OWN_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* declares everything that is replaced here */
#endif

#include <stdio.h>

#include "program_support.h"

#ifdef __cplusplus
extern "C" {
#endif

extern struct program_support program_own;

/* Below the frame of a function that notes this nothing of the user lives; the caller's own variables begin above what the call
 * has pushed. */
#define NOTE_FRAME (program_own.frame = (unsigned long)__builtin_frame_address(0) + 2 * sizeof(long))

/* Does not return. No advice: the usual one. */
__attribute__((noreturn)) void program_end(const char* what, const char* advice);
/* Reports that a node has no such function; returns -1 and sets errno. A static constructor ends. */
int program_refused(const char* function, const char* advice);
extern const char program_no_host[];

/* The streams of a kind of program: it defines stdin, stdout and stderr, and what stdio does with a stream beside reading and
 * printing. All return the bytes moved. */
size_t program_put(FILE* file, const char* text, size_t bytes);
size_t program_take(void* buffer, size_t bytes, FILE* file);
ssize_t program_write(int descriptor, const void* data, size_t bytes); /* as write() */

/* Advice that each kind of program defines: instead of files, of other computers, of threads, of fork(), of sleeping; against
 * an exception that nobody catches. */
extern const char program_no_files[], program_no_network[], program_no_threads[], program_no_fork[], program_no_sleep[],
    program_catch_it[];

#ifdef __cplusplus
}
#endif

#endif
