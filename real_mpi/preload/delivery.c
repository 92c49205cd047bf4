/* The script of a replay. trollius_os/lam/support/delivery.c follows such a script on the modelled machine by the same rules. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder.h"

bool real_replay;
MPI_Comm real_nobody;

static const struct real_script_head* scripted;
static const struct real_event* script;
static int next_of[REAL_CALLS], end_of[REAL_CALLS];

static const void* mapped(const char* name) {
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    struct stat its;
    if (file < 0) return NULL;
    void* at = fstat(file, &its) == 0 ? mmap(NULL, (size_t)its.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    return at == MAP_FAILED ? NULL : at;
}

void real_script_begin(const char* folder, int rank) {
    char name[4096];
    if (getenv(REAL_REPLAY_VARIABLE) == NULL) return;
    snprintf(name, sizeof name, "%s/%d.script", folder, rank);
    scripted = mapped(name);
    if (scripted == NULL || scripted->ranks != real_size) { /* magicwire says what is wrong, from the size in the head */
        PMPI_Abort(MPI_COMM_WORLD, 3);
        _exit(3);
    }
    real_replay = true;
    script = (const struct real_event*)(scripted + 1);
    for (int call = 0, at = 0; call < REAL_CALLS; ++call) {
        next_of[call] = at;
        while (at < scripted->count && script[at].call == call) ++at;
        end_of[call] = at;
    }
    PMPI_Comm_dup(MPI_COMM_SELF, &real_nobody);
}

int32_t real_known(enum real_call call) {
    return real_replay ? scripted->known[call] : 0;
}

static bool always_succeeds(enum real_call call) {
    return call == REAL_RECV || call == REAL_WAITANY || call == REAL_WAITSOME;
}

struct decision real_decide(enum real_call call) {
    struct decision its = {FREE, (uint32_t)++real_head_of_rank->counters[call], NULL, 0};
    if (!real_replay) return its;
    const int32_t number = (int32_t)its.number;
    int at = next_of[call];
    while (at < end_of[call] && script[at].last < number) ++at;
    next_of[call] = at;
    if (at < end_of[call] && script[at].first <= number) {
        its.verdict = FORCED;
        its.event = &script[at];
        while (at < end_of[call] && script[at].first <= number) ++at, ++its.events;
    } else if (!always_succeeds(call) && number <= scripted->known[call]) {
        its.verdict = NOT_YET;
    }
    return its;
}

void real_diverged(enum real_call call, uint32_t number, int wanted, int came) {
    struct real_record* its = real_put();
    its->number = number;
    its->tag = (int32_t)call;
    its->peer = wanted;
    its->bytes = (uint32_t)came;
    real_done(its, REAL_DIVERGED);
    PMPI_Abort(MPI_COMM_WORLD, 5);
    _exit(5);
}

/* Whoever watches sees here that it never comes. */
void real_wait_begin(const struct decision* its, enum real_call call) {
    real_head_of_rank->waits_call = (int32_t)call;
    real_head_of_rank->waits_source = its->event->source;
    real_head_of_rank->waits_number = (int32_t)its->number;
}
void real_wait_end(void) {
    real_head_of_rank->waits_number = 0;
}

void real_outcome(enum real_call call, uint32_t number, int index) {
    const uint8_t kind = (uint8_t)(REAL_OUTCOME + call);
    struct real_record* its = real_put();
    its->number = number;
    its->peer = index;
    real_done(its, kind);
}

/* Entries that are left: the program ends earlier than it did. */
void real_script_end(void) {
    if (!real_replay || scripted->receives < 0) return;
    const int32_t* counters = real_head_of_rank->counters;
    for (int call = 0; call < REAL_CALLS; ++call) {
        int at = next_of[call];
        while (at < end_of[call] && script[at].last <= counters[call]) ++at;
        if (at < end_of[call]) real_diverged((enum real_call)call, (uint32_t)script[at].first, script[at].source, REAL_CAME_END);
    }
    if (counters[REAL_RECV] != scripted->receives)
        real_diverged(REAL_RECV, (uint32_t)counters[REAL_RECV], scripted->receives, REAL_CAME_MORE);
}
