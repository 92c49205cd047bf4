/* logs.c: what the library does with data of the program, for the logs of flowback (docs/guide/flowback.md). Only the logging
 * version of a program has somebody to tell; elsewhere each of these is one look at a pointer. */
#ifndef LAM_SUPPORT_LAM_LOGS_H
#define LAM_SUPPORT_LAM_LOGS_H

#include "lam.h"

bool lam_logs(void);
/* An operation may go on in later calls than the one that begins it. Its number, or 0 without logs. Steps of a collective
 * operation are told with that number in `lam_log_operation`, others with their own. */
uint32_t lam_log_begun(void);
extern uint32_t lam_log_operation;
void lam_log_rank(int rank, int size);
/* Messages of a pair of ranks are numbered from 1, in the order in which they are sent. The number travels in bits of the first
 * packet that only stamps use otherwise, with a checksum: 0 where it is not known. */
void lam_log_sent(struct lam_request* request); /* numbers it, too */
int32_t lam_flow_word(uint32_t flow);
uint32_t lam_flow_of(int sender, int32_t word); /* of a message that has come; in the order of their coming */
void lam_log_waits(const struct lam_request* request); /* a receive without a message */
void lam_log_received(const struct lam_request* request, size_t bytes);
struct lam_row { /* `count` elements */
    const void* at;
    size_t count;
    const struct lam_type* type;
};
void lam_log_copied(struct lam_row from, struct lam_row to, size_t bytes);
void lam_log_combined(const void* from, const void* to, int count, const struct lam_type* type);
void lam_log_wrote(const void* data, size_t bytes); /* an answer to the program, beside those that are the same in each call */

#endif
