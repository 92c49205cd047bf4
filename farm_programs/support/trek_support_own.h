/* Shared by the files of the support code. */
#ifndef FARM_PROGRAMS_TREK_SUPPORT_OWN_H
#define FARM_PROGRAMS_TREK_SUPPORT_OWN_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* declares everything that is replaced here */
#endif

#include "trek_support.h"

extern struct trek_support trek_own;

#endif
