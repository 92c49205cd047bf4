/* The file that the preloaded library writes for each rank of a real MPI run, and the script that it follows in a replay. Both are
 * of this host alone: host byte order. A rank's file begins with a head and a window of records, both mapped shared, so a rank that is killed loses nothing. When the
 * window is full its records are written behind it, in one call, as that is ten times cheaper than pages of a larger mapping. */
#ifndef REAL_MPI_RANK_FILE_H
#define REAL_MPI_RANK_FILE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The environment of the ranks. */
#define REAL_FOLDER_VARIABLE "MAGICWIRE_REAL_MPI_FOLDER" /* where the files of the ranks lie: N.rank, and N.script of a replay */
#define REAL_REPLAY_VARIABLE "MAGICWIRE_REAL_MPI_REPLAY" /* it is set: there are scripts */
#define REAL_MAGIC "MWRANK1"

/* Calls whose outcome may depend on arrivals: tmon_replay::CallKind, in its order. */
enum real_call {
    REAL_RECV,
    REAL_IPROBE,
    REAL_TEST,
    REAL_TESTANY,
    REAL_TESTSOME,
    REAL_WAITANY,
    REAL_WAITSOME,
    REAL_CANCEL,
    REAL_CALLS
};

enum real_kind {
    REAL_NOTHING,
    /* Outcomes: real_call + REAL_OUTCOME. number: the counter. peer: rank of the world, or index of a request. */
    REAL_OUTCOME = 1,
    REAL_CAME = 1,    /* of a receive: its end; tag, bytes */
    REAL_PROBED = 2,  /* of MPI_Iprobe(): tag */
    REAL_LAST_OUTCOME = 8,
    REAL_SEND, /* begins. number: from 1; peer, tag, bytes */
    REAL_SENT,                        /* the send of this number is over */
    REAL_POST,                        /* a receive begins. peer and tag: as the program names them, REAL_ANY for any */
    REAL_GONE,                        /* the receive of this number was cancelled */
    REAL_FREED,                       /* the receive of this number was freed before its end */
    REAL_TOOK_BACK,                   /* the send of this number was cancelled */
    REAL_COLLECTIVE,                  /* begins. number: from 1 on its communicator; tag: real_shape; peer: root, rank of the world */
    REAL_COLLECTIVE_END,
    REAL_COMMUNICATOR,                /* its time: its identity, the same on each of its ranks; number: this rank's name for it */
    REAL_MEMBER,                      /* follows it, one for each member; number: the member's rank there, peer: that of the world */
    REAL_UNSEEN,                      /* the program does what the library does not see. number: a real_unseen */
    REAL_DIVERGED,                    /* number: the counter; tag: real_call; peer: the source or index of the script; bytes: what came */
    REAL_ABORT,                       /* number: the code */
    REAL_FINALIZE
};
enum { REAL_ANY = -1000, REAL_NOBODY = -2000 }; /* no rank, and no wildcard of any MPI */
enum real_flags {
    REAL_WILD = 1,    /* names no source */
    REAL_PROBE = 2,   /* a blocking probe */
    REAL_MATCHED = 4, /* a probe that took its message: MPI_Mprobe(), MPI_Improbe() */
    REAL_TAKEN = 8    /* an end of MPI_Mrecv(): number is that of the REAL_MATCHED probe's record, from 0 in the file */
};
enum real_shape { REAL_ALL, REAL_FROM_ROOT, REAL_TO_ROOT, REAL_PREFIX };
enum real_unseen { REAL_ONE_SIDED = 1, REAL_FILES, REAL_PROCESSES, REAL_NEIGHBOURS, REAL_INTERCOMMUNICATORS, REAL_THREADS, REAL_FULL, REAL_MPI_4, REAL_SYNCHRONOUS };
/* Beside ranks and indices, what came in a REAL_DIVERGED. */
enum { REAL_CAME_END = -3, REAL_CAME_INACTIVE = -4, REAL_CAME_MORE = -5 };

struct real_record {
    uint64_t time;  /* counter of the processor: RankFiles::ns() */
    uint32_t number;
    int32_t peer, tag;
    uint32_t comm;  /* of the rank; 0: MPI_COMM_WORLD */
    uint32_t bytes; /* 2^32 - 1: that many or more */
    uint8_t flags, kind;
    uint16_t place; /* number of the record in the file from 1, modulo 2^16: written last, so a record without it is not there yet */
};

struct real_head {
    char magic[8];
    int32_t rank, size; /* of the world */
    int32_t pid, is_mpich;
    uint64_t began, began_ns; /* the same moment: as real_record::time, and by CLOCK_MONOTONIC */
    uint64_t behind; /* records behind the window */
    int32_t counters[REAL_CALLS]; /* calls that have begun */
    int32_t waits_call, waits_number, waits_source; /* a replay waits here for what the script names; number 0: it does not */
};
enum { REAL_HEAD_BYTES = 4096, REAL_WINDOW = 2048 }; /* records of the window */

/* N.script: this, then the events, sorted by call and counter. */
struct real_script_head {
    int32_t known[REAL_CALLS]; /* up to these counters calls without an event have failed, or are free */
    int32_t receives;          /* in all; -1: not known */
    int32_t count;
    int32_t ranks; /* of the world */
};
struct real_event {
    int32_t call, first, last, source; /* source: REAL_NOBODY for a receive that was cancelled */
};

#ifdef __cplusplus
}
#endif
#endif
