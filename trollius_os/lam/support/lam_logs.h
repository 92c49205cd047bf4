/* logs.c: what the library does with data of the program, for the logs of flowback (docs/guide/flowback.md). Only the logging
 * version of a program has somebody to tell; elsewhere each of these is one look at a pointer. */
#ifndef LAM_SUPPORT_LAM_LOGS_H
#define LAM_SUPPORT_LAM_LOGS_H

#include "lam.h"

bool lam_logs(void);
/* An operation may go on in later calls than the one that begins it. Its number, or 0 without logs. Steps of a collective
 * operation are told with that number in `lam_log_operation`, others with their own. */
uint32_t lam_log_begun(int handle);
extern uint32_t lam_log_operation;
void lam_log_rank(int rank, int size);
/* Messages of a pair of ranks are numbered from 1, in the order in which they are sent. The number travels in bits of the first
 * packet that only stamps use otherwise, with a checksum: 0 where it is not known. */
void lam_log_sent(struct lam_request* request); /* numbers it, too */
int32_t lam_flow_word(uint32_t flow);
uint32_t lam_flow_of(int sender, int32_t word); /* of a message that has come; in the order of their coming */
void lam_log_waits(const struct lam_request* request); /* a receive without a message, or a send that must be taken */
void lam_log_probe_waits(int peer, int tag, uint32_t context, uint32_t operation);
void lam_log_saw(int peer, uint32_t flow, uint32_t operation); /* the program hears of the message */
void lam_log_status(const MPI_Status* status, bool error);     /* with MPI_ERROR, which some calls leave */
void lam_log_read(const void* data, size_t bytes);             /* an argument that decides what the call does */
void lam_log_function(void); /* a function of the program is called; lam_log_combined() follows */
void lam_log_aborted(void);
void lam_log_received(const struct lam_request* request, size_t bytes);
struct lam_row { /* `count` elements */
    const void* at;
    size_t count;
    const struct lam_type* type;
};
void lam_log_copied(struct lam_row from, struct lam_row to, size_t bytes);
void lam_log_combined(const void* from, const void* to, int count, const struct lam_type* type);
void lam_log_answer(const void* data, size_t bytes); /* memory of the library that it hands to a function of the program */
void lam_log_wrote(const void* data, size_t bytes); /* an answer to the program, beside those that are the same in each call */

#endif
