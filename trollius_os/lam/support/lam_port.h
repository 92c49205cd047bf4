/* The way from the MPI library to its machine. port.c has it over Trollius; the tests have another over sockets. */
#ifndef LAM_SUPPORT_LAM_PORT_H
#define LAM_SUPPORT_LAM_PORT_H

#include <stddef.h>
#include <stdint.h>

enum { LAM_PACKET_BODY = 4096, LAM_PACKET_WORDS = 8 };
struct lam_packet {
    int32_t words[LAM_PACKET_WORDS]; /* transfer.c says what each is */
    int bytes;
    char body[LAM_PACKET_BODY];
};

/* Sets the own rank and the number of ranks. Returns 0, or -1: the program was not started by mpirun. */
int lam_port_begin(int* rank, int* size);
/* Sends to a rank of the world, the own one excluded. Packets of one sender come in order. Blocks until it has left. */
void lam_port_send(int rank, const int32_t* words, const void* body, int bytes);
/* 1: a packet has come. 0: none is here, and `wait` was 0. */
int lam_port_receive(struct lam_packet* packet, int wait);
int lam_port_short_bytes(void);      /* longest message that is sent before its receive is known; at most LAM_PACKET_BODY */
double lam_port_time(void);          /* seconds of the node's clock */
double lam_port_tick(void);          /* its resolution */
void lam_port_name(char* room, int bytes); /* of the node: "n3" */
/* Modelled time of the library's own work. The rows are those of `magicwire costs`. */
enum lam_price {
    LAM_PRICE_CALL,
    LAM_PRICE_MATCH,
    LAM_PRICE_BYTE,
    LAM_PRICE_REDUCE,
    LAM_PRICE_STAMP, /* from here on only with LAM_STAMPS */
    LAM_PRICE_RACE,
    LAM_PRICES
};
void lam_port_charge(enum lam_price row, size_t times);
/* lam_wishes of lam_start.h */
int lam_port_wishes(void);
/* The events that shall be repeated, with LAM_SCRIPT; NULL: the node has no memory. */
struct lam_event;
struct lam_script_head;
const struct lam_event* lam_port_script(struct lam_script_head* head, int* count);
/* Tells mpirun. `words` as lam_start.h says for LAM_RECORD_TYPE. Waits for its answer to LAM_TOLD_END. */
void lam_port_tell(const int32_t* words, const void* body, int bytes);
__attribute__((noreturn)) void lam_port_stop(void); /* until mpirun ends all ranks */
int lam_port_options(void); /* LAM_NO_BUFFERING, LAM_NO_CHECKS; after lam_port_begin() */
/* Hands a record to mpirun, which takes no modelled time. `what`: enum lam_note. */
void lam_port_note(int what, const void* record, int bytes);
int lam_port_can_read(const void* data, size_t bytes); /* 1: all of it can be read without a fault */
/* flow.c, for a port that takes packets before their turn: a receiver has said so. */
void lam_flow_hold(int receiver, int hold);
void lam_port_end(void); /* in MPI_Finalize() */
/* Ends all ranks. */
__attribute__((noreturn)) void lam_port_abort(int code);

#endif
