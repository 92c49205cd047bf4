/* Shared by the files of the support code. */
#ifndef FARM_PROGRAMS_TREK_SUPPORT_OWN_H
#define FARM_PROGRAMS_TREK_SUPPORT_OWN_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* declares everything that is replaced here */
#endif

#include "trek_support.h"

#ifdef __cplusplus
extern "C" {
#endif

extern struct trek_support trek_own;

/* Does not return. No advice: the usual one. */
__attribute__((noreturn)) void trek_end(const char* what, const char* advice);
/* Reports that a node has no such function; returns -1 and sets errno. A static constructor ends. */
int trek_refused(const char* function, const char* advice);
extern const char trek_no_files[], trek_no_host[];

#ifdef __cplusplus
}
#endif

#endif
