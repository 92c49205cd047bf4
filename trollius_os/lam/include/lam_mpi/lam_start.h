/* The messages between mpirun and the ranks; job.cpp includes it, too. */
#ifndef LAM_SUPPORT_LAM_START_H
#define LAM_SUPPORT_LAM_START_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LAM_FIRST_EVENT = 0x10000000, /* of a rank: its process id more */
    LAM_START_TYPE = 1,           /* mpirun tells a rank who and where all are */
    LAM_PACKET_TYPE = 2,          /* between ranks */
    LAM_ABORT_TYPE = 4,           /* a rank tells mpirun; word 0: the code, word 1: the rank */
    LAM_PRICES_SENT = 4,
    LAM_WORD_SENDER = 1 /* of a packet between ranks: the word with the sender's rank; transfer.c says what the others are */
};
struct lam_start_header {
    int32_t rank, size;
    int32_t first, count; /* the places that follow in this message */
    int32_t short_bytes;  /* cost mpi.short */
    int32_t host_event;   /* where mpirun hears of MPI_Abort() */
    int32_t thousandths[LAM_PRICES_SENT]; /* of a cycle; costs mpi.*, in the order of lam_price */
};
struct lam_start_place {
    int32_t node, event;
};

/* The call in which a rank waits, for mpirun's words about a standstill: the variable lam_waits_in of the program. */
struct lam_waits {
    const char* function; /* "MPI_Recv"; null: it waits in none */
    int32_t peer;         /* rank of the world; -1: any; -2: several, or none */
    int32_t tag;          /* -1: any */
    int32_t sends;        /* 1: until a message is taken; 0: until one comes */
    int32_t collective;   /* 1: a message of a collective operation */
};

/* Beside it the variable lam_way_is_full of the program, an int: the rank tries again and again to send, and nothing has left. */

#ifdef __cplusplus
}
#endif
#endif
