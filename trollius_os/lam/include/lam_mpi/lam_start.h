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
    LAM_PRICES_SENT = 4,          /* of the costs mpi.*, always */
    LAM_STAMP_PRICES_SENT = 2,    /* with LAM_STAMPS */
    LAM_MOST_CRITICAL = 256,  /* receives with other sources that a rank keeps for more of them; older ones go */
    /* of a packet between ranks: words; transfer.c says what the others are */
    LAM_WORD_KIND = 0, LAM_WORD_SENDER = 1, LAM_WORD_CONTEXT = 2,
    LAM_PACKET_WORDS_NOTED = 8, /* of a packet, in all */
    LAM_KIND_BITS = 8, /* of LAM_WORD_KIND */
    LAM_DATA = 1, LAM_ANNOUNCEMENT = 2, LAM_PIECE = 4, /* kinds of a packet: the first one of a message, and further data */
    LAM_HOLD = 8, /* likewise: announce your messages from now on (flow.c) */
    LAM_PRIVATE_CONTEXT = 3, LAM_ALL_CONTEXTS = 4 /* context modulo the second: a message of the library itself */
};
/* Wishes of mpirun about deliveries, above the sixteen bits of lam_start_header.short_bytes. */
enum lam_wishes {
    LAM_STAMPS = 0x10000,     /* vector clocks ride with the messages, and ranks tell races */
    LAM_CHANGES = 0x20000,    /* only those entries of a clock that have changed */
    LAM_ANNAI = 0x40000,      /* the rule of Annai's tool as printed; else the exact one */
    LAM_ALL_SOURCES = 0x80000, /* tell all messages that race with a receive, not only the first */
    LAM_SCRIPT = 0x100000,    /* a script of events follows */
    LAM_ASKS = 0x200000,      /* receives of any source are LAM_NOTE_RECEIVE and LAM_NOTE_MATCHED */
    LAM_EVENTS = 0x400000     /* packets are LAM_NOTE_SENDS, LAM_NOTE_TAKES and LAM_NOTE_TAKEN, and clocks LAM_NOTE_CLOCK */
};
enum {
    LAM_NO_BUFFERING = 1, /* a send in standard mode ends when its receive has begun */
    LAM_NO_CHECKS = 2,    /* buffers in use are not compared */
    LAM_EVENT_CYCLES = 16 /* with LAM_EVENTS: above so many bits the cost checkpoint.event */
};
struct lam_start_header {
    int32_t rank, size;
    int32_t first, count; /* the places that follow in this message */
    int32_t short_bytes;  /* cost mpi.short; above its 16 bits lam_wishes */
    int32_t host_event;   /* where mpirun hears of MPI_Abort() */
    int32_t options;      /* LAM_NO_BUFFERING, LAM_NO_CHECKS */
    int32_t thousandths[LAM_PRICES_SENT]; /* of a cycle; costs mpi.*, in the order of lam_price */
};
/* With LAM_STAMPS it comes between the header and the places. */
struct lam_stamp_prices {
    int32_t thousandths[LAM_STAMP_PRICES_SENT]; /* of a cycle; the costs mpi.stamp and mpi.race */
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
    /* Of a collective operation among one group: its communicator, its number there, its root. */
    uint32_t context;
    int32_t order, root; /* root -1: it has none */
    uint64_t members;    /* a word that groups of the same ranks share; 0: it is no such operation */
    /* For mpirun's tables; addresses in the rank's memory. Null: not known. */
    const char *communicator, *type; /* names, in rooms of LAM_NAME_ROOM bytes */
    int32_t local_rank, local_peer;  /* in the communicator; below 0: none */
    int32_t count;
};
enum { LAM_NAME_ROOM = 128 };

/* A basic datatype, by the number that its handle ends with. */
struct lam_basic {
    const char* name; /* "MPI_INT"; null: there is none of this number */
    int32_t bytes, alignment;
};
/* Where mpirun finds the messages that no receive has taken: the variable lam_tables of the program. A message is a structure of
 * the library; the numbers say how far from its beginning each part lies. */
struct lam_tables {
    const void* const* first_message;
    int32_t sender, tag, context, bytes, signature, next;
    const struct lam_basic* basics;
    int32_t basic_count, contexts; /* of a communicator */
};

/* The call of MPI that the program is in, or made last. The variable lam_last_call of the program is a pointer to it. */
struct lam_called {
    const void* from;     /* the instruction behind the call; null: none was made */
    const char* function; /* "MPI_Send" */
};

/* Records that a rank hands to mpirun at once, without modelled time: program_note(). */
enum lam_note {
    LAM_NOTE_BEGUN = 1, /* MPI_Init() is over; `struct lam_called` */
    LAM_NOTE_ENDED,     /* so is MPI_Finalize() */
    LAM_NOTE_FINDING,   /* `struct lam_finding` */
    LAM_NOTE_RECEIVE,   /* a receive or blocking probe of any source begins; `struct lam_question`, which mpirun may answer */
    LAM_NOTE_MATCHED,   /* it has got its message; `struct lam_question` */
    /* Of a rank that is recorded, or repeats a record packet by packet; mpirun may answer in the record. */
    LAM_NOTE_STARTS, /* it knows the others; `struct lam_event_note` */
    LAM_NOTE_SENDS,  /* a packet; likewise */
    LAM_NOTE_TAKES,  /* it looks for a packet; likewise, and the answer may name the sender */
    LAM_NOTE_TAKEN,  /* a packet; likewise */
    LAM_NOTE_CLOCK,  /* it reads the clock; `struct lam_clock_note` */
    LAM_NOTE_IMAGE,  /* it stands where it can go on later; `struct lam_image_point` */
    LAM_NOTE_ROOM    /* it needs room outside its heap, or gives it back; `struct lam_room_note` */
};
struct lam_event_note {
    int32_t rank, peer;   /* of LAM_NOTE_TAKES 1: it waits; 0: it does not */
    int32_t bytes;        /* of the body */
    int32_t answer;       /* enum lam_answer; of LAM_NOTE_TAKES also a rank and LAM_FROM */
    const int32_t* words; /* of the packet, in the memory of the rank; with LAM_FED mpirun has put another there */
    const void* body;
    const void* from; /* the call of the program; null: none */
};
enum lam_answer {
    LAM_GO_ON = 0,
    LAM_STOP = -1,    /* go on no further */
    LAM_FAIL = -2,    /* of LAM_NOTE_TAKES: find nothing */
    LAM_IMAGE = -3,   /* of LAM_NOTE_SENDS and LAM_NOTE_TAKES: hand over an image first, and ask again */
    LAM_SWALLOW = -4, /* of LAM_NOTE_SENDS: the packet has been received already */
    LAM_FED = -5,     /* of LAM_NOTE_TAKES: here is the packet */
    LAM_WAIT = -6,    /* of LAM_NOTE_STARTS: others are not there yet; ask again soon */
    LAM_FROM = 1
};
struct lam_room_note {
    void* room;    /* null: mpirun puts one there, if there is one; else mpirun takes this one back */
    int64_t bytes;
};
struct lam_image_point {
    void* registers[5]; /* of __builtin_setjmp(): frame, instruction, stack */
};
struct lam_clock_note {
    int32_t rank, unused;
    double seconds; /* mpirun may put another one there */
};
struct lam_question {
    int32_t rank, receive; /* its number */
    int32_t source;        /* that it shall take, or has taken; below 0: it may take any */
};
/* mpi_runs has their names; a new one goes to the end. */
enum lam_finding_kind {
    LAM_BY_CLASS, /* the error class says it */
    LAM_INVALID_ARGUMENT,
    LAM_CALL_ORDER,
    LAM_LEAK,
    LAM_MISSING_WAIT,
    LAM_MISSING_START,
    LAM_BUFFER_IN_USE,
    LAM_COLLECTIVE_MISMATCH,
    LAM_TYPE_MISMATCH,
    LAM_TRUNCATION,
    LAM_UNRECEIVED,
    LAM_NO_MEMORY,
    LAM_OTHER_ERROR,
    LAM_FINDING_KINDS
};
/* A mistake that the library has seen. The mark LAM_OTHER_LINE in `text` stands for the line of `other`. */
#define LAM_OTHER_LINE "\1"
struct lam_finding {
    int32_t kind;
    int32_t rank;      /* of the world; -1: the library does not know it yet */
    int32_t is_likely; /* the standard allows it, but hardly anybody means it */
    int32_t is_fatal;  /* the program ends by it */
    const void *from, *other;             /* of `function`, and of the call that the text names; null: unknown */
    char function[48], communicator[132]; /* empty: none */
    char error_class[24];                 /* "MPI_ERR_RANK"; empty: none */
    char text[512], advice[256];
};

/* Beside it the variable lam_way_is_full of the program, an int: the rank tries again and again to send, and nothing has left. */

#ifdef __cplusplus
}
#endif
#endif
