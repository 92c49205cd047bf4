/* Shared by the files of point-to-point messages: the arguments of a send or receive, and their checks (arguments.c). */
#ifndef LAM_SUPPORT_LAM_ARGUMENTS_H
#define LAM_SUPPORT_LAM_ARGUMENTS_H

#include "lam.h"

struct lam_arguments {
    const char* function; /* "MPI_Send" */
    const void* data;
    int count;
    MPI_Datatype datatype;
    int peer, tag;
    MPI_Comm comm;
    enum lam_mode mode;
    bool receives;
};
int lam_check_arguments(const struct lam_arguments* its); /* has told what is wrong; or 0 */
/* For MPI_Probe() and its relatives. */
int lam_check_source(const char* function, int source, int tag, MPI_Comm comm);
int lam_fail_buffer(const struct lam_arguments* its); /* the buffer of MPI_Buffer_attach() has no room */
/* A message had an error. */
struct lam_failure {
    int error_class;
    MPI_Comm comm;
    int source;
    long long bytes; /* those of the status */
    const void* begun; /* the call that began the request; NULL: the one that tells it */
    bool general;      /* of a generalized request */
};
/* `error_class`: what the function returns, its own or MPI_ERR_IN_STATUS. */
int lam_fail_message(int error_class, const char* function, const struct lam_failure* its);

/* requests.c */
int lam_request_of(const struct lam_arguments* its, struct lam_request** made);
void lam_request_start(struct lam_request* request);
enum lam_mode lam_mode_of(enum lam_mode asked);
struct lam_request* lam_send_marked(const void* data, int count, struct lam_type* type, int to, int tag, uint32_t context,
                                    enum lam_mode mode, int32_t mark);

#endif
