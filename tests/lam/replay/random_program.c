/* A random program: `random_program SEED OPERATIONS`. All ranks draw one sequence of sends, receives and collective operations from
 * the seed, and each works off its own. A receive stands where more messages of its class have been sent than received before it,
 * so the first operation that is left can always go on. How a rank receives depends on all that it has got so far, and so
 * does all that it sends: results differ with the order of messages.
 *
 * Classes: 0 and 1 by tag from any source, 2 any source and any tag on a communicator of its own, 3 from a named source. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { classes = 4, most_ranks = 8, most_open = 6, long_words = 1500 };
static int rank, size;
static MPI_Comm second;
static unsigned state, jitter, hash = 1;

static unsigned draw(unsigned* from, unsigned below) {
    *from = *from * 1664525u + 1013904223u;
    return (*from >> 8) % below;
}
static void mix(unsigned value) {
    hash = (hash ^ value) * 16777619u + 1u;
}
static void rest(void) {
    if (jitter != 0 && draw(&jitter, 3) == 0) usleep(draw(&jitter, 300));
}

struct open_receive {
    MPI_Request request;
    unsigned* value;
} open[most_open];
static int open_count;
static char came[1 << 16];
static size_t came_length;

static void got(const MPI_Status* status, unsigned value) {
    mix(value);
    mix((unsigned)status->MPI_SOURCE * 7u + (unsigned)status->MPI_TAG);
    if (came_length + 16 < sizeof came)
        came_length += (size_t)snprintf(came + came_length, 16, " %d.%d", status->MPI_SOURCE, status->MPI_TAG);
}
static void close_at(int index, const MPI_Status* status) {
    got(status, open[index].value[0]);
    free(open[index].value);
    memmove(&open[index], &open[index + 1], (size_t)(open_count - index - 1) * sizeof *open);
    --open_count;
}

static void finish_some(void) {
    MPI_Request all[most_open];
    MPI_Status status, statuses[most_open];
    int index = 0, flag = 0, indices[most_open];
    if (open_count == 0) return;
    for (int i = 0; i < open_count; ++i) all[i] = open[i].request;
    switch (hash % 6) {
        case 0:
            MPI_Waitany(open_count, all, &index, &status);
            mix((unsigned)index);
            return close_at(index, &status);
        case 1:
            MPI_Wait(&open[0].request, &status);
            return close_at(0, &status);
        case 2:
            MPI_Waitsome(open_count, all, &index, indices, statuses);
            for (int i = index - 1; i >= 0; --i) close_at(indices[i], &statuses[i]);
            return;
        case 3:
            for (int turn = 0; turn < 3 && !flag; ++turn) {
                MPI_Testany(open_count, all, &index, &flag, &status);
                mix((unsigned)flag);
            }
            if (flag) close_at(index, &status);
            return;
        case 4:
            for (int turn = 0; turn < 3 && !flag; ++turn) {
                MPI_Test(&open[0].request, &flag, &status);
                mix((unsigned)flag);
            }
            if (flag) close_at(0, &status);
            return;
        default:
            MPI_Testsome(open_count, all, &index, indices, statuses);
            mix((unsigned)index);
            for (int i = index - 1; i >= 0; --i) close_at(indices[i], &statuses[i]);
            return;
    }
}
static void finish_all(void) {
    while (open_count > 0) {
        MPI_Status status;
        MPI_Wait(&open[0].request, &status);
        close_at(0, &status);
    }
}

static void receive(int class, int source) {
    static unsigned value[long_words];
    MPI_Status status;
    MPI_Comm comm = class == 2 ? second : MPI_COMM_WORLD;
    const int from = class == 3 ? source : MPI_ANY_SOURCE, tag = class == 2 ? MPI_ANY_TAG : class;
    int flag = 0;
    MPI_Message message;
    switch (hash % 5) {
        case 0: /* a probe first; receives that are open would take the message */
            finish_all();
            MPI_Probe(from, tag, comm, &status);
            mix((unsigned)status.MPI_SOURCE);
            MPI_Recv(value, long_words, MPI_UNSIGNED, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
            return got(&status, value[0]);
        case 1:
            finish_all();
            while (!flag) {
                MPI_Iprobe(from, tag, comm, &flag, &status);
                mix(3);
            }
            MPI_Recv(value, long_words, MPI_UNSIGNED, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
            return got(&status, value[0]);
        case 2:
            MPI_Mprobe(from, tag, comm, &message, &status);
            rest();
            MPI_Mrecv(value, long_words, MPI_UNSIGNED, &message, &status);
            return got(&status, value[0]);
        case 3:
            MPI_Recv(value, long_words, MPI_UNSIGNED, from, tag, comm, &status);
            return got(&status, value[0]);
        default:
            if (open_count == most_open) finish_all();
            open[open_count].value = malloc(long_words * sizeof(unsigned));
            MPI_Irecv(open[open_count].value, long_words, MPI_UNSIGNED, from, tag, comm, &open[open_count].request);
            ++open_count;
    }
}

static MPI_Request sends[4096];
static unsigned* sent_data[4096];
static int send_count;
static void send(int class, int to, unsigned kind, int tag) {
    const int words = kind % 8 == 0 ? long_words : 1;
    unsigned* data = calloc((size_t)words, sizeof *data);
    data[0] = hash;
    MPI_Comm comm = class == 2 ? second : MPI_COMM_WORLD;
    if (kind % 8 == 1) {
        MPI_Issend(data, words, MPI_UNSIGNED, to, tag, comm, &sends[send_count]);
    } else {
        MPI_Isend(data, words, MPI_UNSIGNED, to, tag, comm, &sends[send_count]);
    }
    sent_data[send_count++] = data;
}

static void together(unsigned kind) {
    unsigned all = 0;
    if (kind % 3 == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (kind % 3 == 1) {
        MPI_Allreduce(&hash, &all, 1, MPI_UNSIGNED, MPI_BXOR, MPI_COMM_WORLD);
        mix(all);
    } else {
        MPI_Request request;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        finish_some();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    state = (unsigned)atoi(argv[1]);
    const int operations = atoi(argv[2]);
    if (getenv("JITTER") != NULL) jitter = (unsigned)atoi(getenv("JITTER")) * 31u + (unsigned)rank + 1u;
    static int ready[classes][most_ranks][most_ranks]; /* class, receiver, sender (0 but for class 3) */
    static int anywhere;
    for (int step = 0; step < operations || anywhere > 0; ++step) {
        const unsigned what = draw(&state, 10), class = draw(&state, classes), kind = draw(&state, 1000);
        const int from = (int)draw(&state, (unsigned)size), to = (int)draw(&state, (unsigned)size);
        int* waiting = &ready[class][to][class == 3 ? from : 0];
        if (what < 5 && step < operations) {
            ++*waiting;
            ++anywhere;
            if (from == rank) send((int)class, to, kind, class == 2 ? (int)(kind % 3) : (int)class);
        } else if (what < 9 || step >= operations) {
            if (*waiting == 0) continue;
            --*waiting;
            --anywhere;
            if (to == rank) receive((int)class, from);
            if (to == rank && kind % 3 == 0) finish_some();
        } else if (what == 9 && kind % 4 == 0) {
            together(kind / 4);
        }
        rest();
    }
    finish_all();
    MPI_Waitall(send_count, sends, MPI_STATUSES_IGNORE);
    printf("%d: %08x%s\n", rank, hash, came);
    for (int i = 0; i < send_count; ++i) free(sent_data[i]);
    MPI_Comm_free(&second);
    MPI_Finalize();
    return 0;
}
