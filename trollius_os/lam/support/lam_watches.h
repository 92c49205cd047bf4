/* watches.c: buffers that operations under way read or write. Their program may not write them meanwhile, and nobody may use those
 * that are written. Two operations whose buffers meet are found by an ordered tree; a write of the program by sums of the bytes at
 * two times, so one that leaves all bytes as they were is not seen.
 *
 * Cost: a sum is a pass over the buffer; a search takes steps as the logarithm of the number of operations under way. */
#ifndef LAM_SUPPORT_LAM_WATCHES_H
#define LAM_SUPPORT_LAM_WATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lam_start.h>

struct lam_type;
struct lam_watch {
    const char* at; /* `count` elements of `type` */
    int count;
    const struct lam_type* type;
    bool writes;             /* the operation writes the buffer */
    struct lam_called begun; /* the call that began it */
    /* Of watches.c. */
    bool on, has_sum, told, is_readable;
    uint64_t sum;
    uintptr_t low, high, reach; /* its bytes lie from `low` up to `high`; the highest `high` below it in the tree */
    uint32_t priority;
    struct lam_watch *left, *right;
};
/* Tells when the buffer meets one that is in use. For operations that end before their call does. */
void lam_watch_look(const struct lam_watch* watch);
bool lam_watch_any(void); /* some buffer is in use */
/* The same, and the buffer is in use from now on. Its memory must stay. */
void lam_watch_begin(struct lam_watch* watch);
void lam_watch_note(struct lam_watch* watch);  /* its bytes are as they shall be now, until the next note or check */
void lam_watch_check(struct lam_watch* watch); /* tells if they are not */
void lam_watch_pause(struct lam_watch* watch); /* the operation writes them now */
/* The program loads or stores so many bytes, by an instruction before `from`. */
void lam_watch_access(const void* at, size_t bytes, bool writes, const void* from);
void lam_watch_rest(bool now); /* functions of the program run for the library, which has the buffers */
void lam_watch_end(struct lam_watch* watch);   /* the buffer is the program's again; without a check */

#endif
