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
    LAM_RECORD_TYPE = 8,          /* a rank tells mpirun; word 0: a lam_told, word 1: the rank */
    LAM_SCRIPT_TYPE = 16,         /* mpirun tells a rank what to repeat; word 0: all events, word 1: the first one of this message */
    LAM_PRICES_SENT = 4
};
/* Wishes of mpirun about deliveries, above the sixteen bits of lam_start_header.short_bytes. */
enum lam_wishes {
    LAM_STAMPS = 0x10000,     /* vector clocks ride with the messages, and ranks tell races */
    LAM_CHANGES = 0x20000,    /* only those entries of a clock that have changed */
    LAM_ANNAI = 0x40000,      /* the rule of Annai's tool as printed; else the exact one */
    LAM_ALL_SOURCES = 0x80000, /* tell all messages that race with a receive, not only the first */
    LAM_SCRIPT = 0x100000     /* a script of events follows */
};
struct lam_start_header {
    int32_t rank, size;
    int32_t first, count; /* the places that follow in this message */
    int32_t short_bytes;  /* cost mpi.short; above its 16 bits lam_wishes */
    int32_t host_event;   /* where mpirun hears of MPI_Abort() */
    int32_t thousandths[LAM_PRICES_SENT]; /* of a cycle; costs mpi.*, in the order of lam_price */
};
struct lam_start_place {
    int32_t node, event;
};

/* ---- Records of deliveries ---- */

/* Calls whose outcome may depend on the order of arrivals; each kind has a counter of its own on each rank. */
enum lam_event_kind {
    LAM_EVENT_RECV,   /* receives in the order of their beginning, and blocking probes */
    LAM_EVENT_IPROBE, /* and MPI_Improbe() */
    LAM_EVENT_TEST,   /* MPI_Test(), MPI_Testall(), MPI_Request_get_status() */
    LAM_EVENT_TESTANY,
    LAM_EVENT_TESTSOME,
    LAM_EVENT_WAITANY,
    LAM_EVENT_WAITSOME,
    LAM_EVENT_CANCEL, /* of a send */
    LAM_EVENT_KINDS
};
enum { LAM_NO_OTHER = -1, LAM_MAYBE = -2 /* not known yet to race */, LAM_NOBODY = -3 /* the receive was cancelled */ };
struct lam_event {
    int32_t kind;
    int32_t first, last; /* counter; a range of receives of one source */
    int32_t source;      /* rank of the world; of Testany and its relatives an index, one event for each */
    int32_t other;       /* another rank whose message could have come */
};
enum lam_told {
    LAM_TOLD_EVENTS, /* a lam_record_head and events; more of this kind belong to it */
    LAM_TOLD_CLOCK,  /* an int32_t for each rank: the clock at the LAM_TOLD_ALL that follows; the own entry ticks after it */
    LAM_TOLD_ALL,    /* as LAM_TOLD_EVENTS: now everything up to the counters is told */
    LAM_TOLD_END,    /* as LAM_TOLD_ALL, in MPI_Finalize(); mpirun answers with LAM_SCRIPT_TYPE */
    LAM_TOLD_DIVERGED /* the rank cannot repeat its script: words 2 to 5 are kind, counter, wanted, came */
};
enum { LAM_RECORD_EVENTS = 48 };
struct lam_record_head {
    int32_t counters[LAM_EVENT_KINDS];
    int32_t met; /* receives and probes that have got the source that a script names */
};
/* The variable lam_recorded of the program: what is not told yet, for mpirun at a standstill. */
struct lam_record {
    struct lam_record_head head;
    int32_t count;
    struct lam_event events[LAM_RECORD_EVENTS];
};
/* At the beginning of the first message of a script. Events of a rank are sorted by kind, then by counter, then by source. */
struct lam_script_head {
    int32_t known[LAM_EVENT_KINDS]; /* calls up to here without an event fail; later ones are free */
    int32_t receives;               /* in all; -1: unknown */
};
/* Instead of a source in LAM_TOLD_DIVERGED */
enum { LAM_CAME_END = -10, LAM_CAME_INACTIVE = -11, LAM_CAME_MORE = -12 };

/* The call in which a rank waits, for mpirun's words about a standstill: the variable lam_waits_in of the program. */
struct lam_waits {
    const char* function; /* "MPI_Recv"; null: it waits in none */
    int32_t peer;         /* rank of the world; -1: any; -2: several, or none */
    int32_t tag;          /* -1: any */
    int32_t sends;        /* 1: until a message is taken; 0: until one comes */
    int32_t collective;   /* 1: a message of a collective operation */
};

#ifdef __cplusplus
}
#endif
#endif
