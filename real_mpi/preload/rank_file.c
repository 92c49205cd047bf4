/* A rank's file: rank_file.h says how it lies. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "recorder.h"

bool real_on;
int real_rank, real_size;
struct real_head* real_head_of_rank;

static int file = -1;
static struct real_record *window, *next, *end; /* lost: records go nowhere, as the disk is full */
static struct real_record lost[2];
static uint64_t behind;
static _Atomic(unsigned) lock_word;
static bool threaded;

static void full(void) {
    fprintf(stderr, "magicwire: rank %d has no room for more records (%s); the record is cut off here\n", real_rank, strerror(errno));
    end[-1] = (struct real_record){.number = REAL_FULL, .kind = REAL_UNSEEN, .place = end[-1].place};
    next = lost;
    end = lost + 2;
}

/* What is in the window goes behind it. */
static bool flush(void) {
    const size_t bytes = (size_t)((char*)next - (char*)window);
    const char* from = (const char*)window;
    off_t to = REAL_HEAD_BYTES + (off_t)((REAL_WINDOW + behind) * sizeof *window);
    for (size_t done = 0; done < bytes;) {
        const ssize_t some = pwrite(file, from + done, bytes - done, to + (off_t)done);
        if (some <= 0 && errno != EINTR) return false;
        if (some > 0) done += (size_t)some;
    }
    behind += bytes / sizeof *window;
    *(volatile uint64_t*)&real_head_of_rank->behind = behind;
    next = window;
    return true;
}

/* The counter of the processor, which is the same on all of its cores. Whoever reads the file knows how fast it goes. */
static uint64_t ticks(void) {
#if defined __x86_64__ || defined __i386__
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#endif
}

bool real_file_begin(const char* folder, int rank, int size) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%d.rank", folder, rank);
    file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        fprintf(stderr, "magicwire: rank %d cannot write '%s': %s; it is not recorded\n", rank, name, strerror(errno));
        return false;
    }
    const size_t bytes = REAL_HEAD_BYTES + REAL_WINDOW * sizeof *window;
    void* mapped = posix_fallocate(file, 0, (off_t)bytes) == 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (mapped == MAP_FAILED) {
        fprintf(stderr, "magicwire: rank %d has no room for '%s'; it is not recorded\n", rank, name);
        close(file);
        return false;
    }
    real_head_of_rank = mapped;
    window = next = (struct real_record*)((char*)mapped + REAL_HEAD_BYTES);
    end = window + REAL_WINDOW;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *real_head_of_rank = (struct real_head){.rank = rank, .size = size, .pid = (int32_t)getpid(), .began = ticks()};
    real_head_of_rank->began_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#ifndef OPEN_MPI
    real_head_of_rank->is_mpich = 1;
#endif
    memcpy(real_head_of_rank->magic, REAL_MAGIC, sizeof real_head_of_rank->magic);
    int provided = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&provided);
    threaded = provided == MPI_THREAD_MULTIPLE;
    return true;
}

void real_file_end(void) {
    if (end != lost + 2) flush();
}

struct real_record* real_put(void) {
    if (threaded) {
        while (atomic_exchange_explicit(&lock_word, 1, memory_order_acquire) != 0) {
        }
    }
    if (next == end && !flush()) full();
    next->time = ticks();
    return next;
}
void real_done(struct real_record* its, uint8_t kind) {
    its->kind = kind;
    atomic_signal_fence(memory_order_release); /* stores of one process keep their order on their way to the file */
    *(volatile uint16_t*)&its->place = (uint16_t)(real_put_count() + 1);
    if (end != lost + 2) next = its + 1;
    if (threaded) atomic_store_explicit(&lock_word, 0, memory_order_release);
}
uint32_t real_put_count(void) {
    return (uint32_t)behind + (uint32_t)(next - window);
}
void real_take_back(struct real_record* its) {
    if (threaded || its < window || its + 1 != next) return;
    ++its->place;
    next = its;
}

void real_unseen(enum real_unseen what) {
    static unsigned told;
    if (!real_on || (told >> what & 1) != 0) return;
    told |= 1U << what;
    struct real_record* its = real_put();
    its->number = what;
    real_done(its, REAL_UNSEEN);
}
