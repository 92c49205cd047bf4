/* The MPI library's port inside one process: each rank is a copy of the library, loaded by a test that moves the packets. */
#ifndef TESTS_LAM_FIBER_PORT_H
#define TESTS_LAM_FIBER_PORT_H

#include <stddef.h>

struct lam_event;
struct lam_script_head;

/* The test's side. A packet is so many bytes to it, and nothing else. */
struct fiber_port {
    void* context;
    int rank, size, short_bytes;
    void (*send)(void* context, int from, int to, const void* packet, size_t bytes);
    int (*receive)(void* context, int rank, void* packet, int wait); /* 1: one has come; comes back later if `wait` */
    void (*abort)(void* context, int rank, int code);
    /* lam_start.h: wishes about deliveries. The others are used with LAM_SCRIPT and with LAM_STAMPS alone. */
    int wishes;
    const struct lam_event* (*script)(void* context, int rank, struct lam_script_head* head, int* count);
    void (*tell)(void* context, int rank, const int* words, const void* body, int bytes);
    void (*note)(void* context, int what, void* record); /* LAM_NOTE_RECEIVE and LAM_NOTE_MATCHED */
};

#endif
