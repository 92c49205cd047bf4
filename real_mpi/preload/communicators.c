/* Communicators: the ranks of their members in the world, and an identity that all members agree on without a message. It is made
 * of the parent's identity, the members, and how manieth child with these members it is. All members make the communicators of one
 * parent in the same order, as these calls are collective. */
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

enum { first_size = 16 };
struct place {
    uint64_t key; /* 0: free; 1: was freed */
    struct comm* its;
};
static struct place* table;
static size_t size, used;
static uint64_t last_key;
static struct comm* last;
static uint32_t numbers;

static uint64_t key_of(MPI_Comm handle) {
    return KEY(handle) + 2;
}
static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 29;
}

struct comm* real_comm(MPI_Comm handle) {
    const uint64_t key = key_of(handle);
    if (key == last_key) return last;
    for (size_t at = (size_t)mix(1, key) & (size - 1); size > 0 && table[at].key != 0; at = (at + 1) & (size - 1)) {
        if (table[at].key != key) continue;
        last_key = key;
        return last = table[at].its;
    }
    return NULL;
}

static void insert(uint64_t key, struct comm* its) {
    if (2 * (used + 1) > size) {
        struct place* old = table;
        const size_t old_size = size;
        size = size == 0 ? first_size : 2 * size;
        table = calloc(size, sizeof *table);
        if (table == NULL) abort();
        used = 0;
        for (size_t i = 0; i < old_size; ++i) {
            if (old[i].key > 1) insert(old[i].key, old[i].its);
        }
        free(old);
    }
    size_t at = (size_t)mix(1, key) & (size - 1);
    while (table[at].key != 0) at = (at + 1) & (size - 1);
    table[at] = (struct place){key, its};
    ++used;
    last_key = 0;
}

void real_comm_release(struct comm* its) {
    if (--its->uses > 0) return;
    free(its->world);
    free(its->inverse);
    free(its->born);
    free(its);
}

static void forget(MPI_Comm handle) {
    const uint64_t key = key_of(handle);
    for (size_t at = (size_t)mix(1, key) & (size - 1); size > 0 && table[at].key != 0; at = (at + 1) & (size - 1)) {
        if (table[at].key != key) continue;
        table[at].key = 1;
        real_comm_release(table[at].its);
        last_key = 0;
        return;
    }
}

static uint64_t hash_of(const int32_t* ranks, int count) {
    uint64_t hash = (uint64_t)count + 1;
    for (int i = 0; i < count; ++i) hash = mix(hash, (uint64_t)ranks[i]);
    return hash;
}

/* Ranks of the world; NULL: no memory. */
static int32_t* world_ranks(MPI_Group group, int* count) {
    static MPI_Group world;
    static bool known;
    if (!known) PMPI_Comm_group(MPI_COMM_WORLD, &world);
    known = true;
    PMPI_Group_size(group, count);
    int32_t* ranks = malloc(((size_t)*count + 1) * sizeof *ranks);
    int* own = malloc(((size_t)*count + 1) * sizeof *own);
    if (ranks == NULL || own == NULL) abort();
    for (int i = 0; i < *count; ++i) own[i] = i;
    PMPI_Group_translate_ranks(group, *count, own, world, ranks);
    free(own);
    PMPI_Group_free(&group);
    return ranks;
}

static uint32_t manieth(struct comm* parent, uint64_t members) {
    for (uint32_t i = 0; i < parent->borns; ++i) {
        if (parent->born[i].members == members) return ++parent->born[i].count;
    }
    parent->born = realloc(parent->born, (parent->borns + 1) * sizeof *parent->born);
    if (parent->born == NULL) abort();
    parent->born[parent->borns++] = (struct born){members, 1};
    return 1;
}

static void tell(const struct comm* its) {
    struct real_record* record = real_put();
    record->time = its->id;
    record->number = its->number;
    record->bytes = (uint32_t)its->size;
    record->flags = its->inter;
    real_done(record, REAL_COMMUNICATOR);
    for (int32_t i = 0; i < its->size; ++i) {
        record = real_put();
        record->number = (uint32_t)i;
        record->peer = its->world[i];
        record->comm = its->number;
        real_done(record, REAL_MEMBER);
    }
}

static void take(MPI_Comm handle, struct comm* parent) {
    struct comm* its = calloc(1, sizeof *its);
    if (its == NULL) abort();
    int inter = 0, local_count = 0;
    MPI_Group group;
    PMPI_Comm_group(handle, &group);
    its->world = world_ranks(group, &its->size);
    uint64_t members = hash_of(its->world, its->size);
    PMPI_Comm_test_inter(handle, &inter);
    local_count = its->size;
    if (inter != 0) { /* both sides see the two groups in other order */
        free(its->world);
        PMPI_Comm_remote_group(handle, &group);
        its->world = world_ranks(group, &its->size);
        members = (members + hash_of(its->world, its->size)) ^ ((uint64_t)local_count * (uint64_t)its->size);
    }
    its->inter = inter != 0;
    its->inverse = malloc((size_t)real_size * sizeof *its->inverse);
    if (its->inverse == NULL) abort();
    memset(its->inverse, 0xff, (size_t)real_size * sizeof *its->inverse);
    for (int32_t i = 0; i < its->size; ++i) {
        if (its->world[i] >= 0 && its->world[i] < real_size) {
            its->inverse[its->world[i]] = i;
        } else {
            real_unseen(REAL_PROCESSES);
        }
    }
    its->id = parent == NULL ? members : mix(mix(parent->id, members), manieth(parent, members));
    its->number = numbers++;
    its->uses = 1;
    insert(key_of(handle), its);
    tell(its);
}

void real_comms_begin(void) {
    take(MPI_COMM_WORLD, NULL);
    take(MPI_COMM_SELF, real_comm(MPI_COMM_WORLD));
}

/* The calls that make communicators wait for each other, so they order messages as an MPI_Barrier() does. */
void real_comm_made(MPI_Comm parent, MPI_Comm made) {
    if (!real_on || made == MPI_COMM_NULL || real_comm(parent) == NULL) return;
    forget(made); /* a handle that was freed in a way that is not seen */
    take(made, real_comm(parent));
}

#define MAKES(name, parameters, arguments)                          \
    API int MPI_##name parameters {                                 \
        const uint32_t number = real_collective(comm, REAL_ALL, -1); \
        const int error = PMPI_##name arguments;                    \
        real_collective_over(comm, REAL_ALL, -1, number);           \
        if (error == MPI_SUCCESS) real_comm_made(comm, *made);      \
        return error;                                               \
    }
MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made), (comm, info, made))
MAKES(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm* made), (comm, colour, key, made))
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made), (comm, type, key, info, made))
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made))
MAKES(Cart_create, (MPI_Comm comm, int dims, const int sizes[], const int periods[], int reorder, MPI_Comm* made),
      (comm, dims, sizes, periods, reorder, made))
MAKES(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm* made), (comm, remain, made))
MAKES(Graph_create, (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm* made),
      (comm, nodes, index, edges, reorder, made))
MAKES(Dist_graph_create,
      (MPI_Comm comm, int n, const int sources[], const int degrees[], const int targets[], const int weights[], MPI_Info info,
       int reorder, MPI_Comm* made),
      (comm, n, sources, degrees, targets, weights, info, reorder, made))
MAKES(Dist_graph_create_adjacent,
      (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out, const int targets[], const int out_weights[],
       MPI_Info info, int reorder, MPI_Comm* made),
      (comm, in, sources, in_weights, out, targets, out_weights, info, reorder, made))
MAKES(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made), (comm, high, made))

/* Of the members alone, and not of the whole parent: no order of messages follows. */
API int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
    const int error = PMPI_Comm_create_group(comm, group, tag, made);
    if (error == MPI_SUCCESS) real_comm_made(comm, *made);
    return error;
}
/* Its group is that of its parent, so it need not be complete to be known. */
API int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
    struct comm* parent = real_on ? real_comm(comm) : NULL;
    const uint32_t number = real_collective(comm, REAL_ALL, -1);
    const int error = PMPI_Comm_idup(comm, made, request);
    real_collective_begun(comm, REAL_ALL, -1, number, *request);
    if (error != MPI_SUCCESS || parent == NULL) return error;
    struct comm* its = calloc(1, sizeof *its);
    if (its == NULL) abort();
    its->size = parent->size;
    its->world = malloc(((size_t)its->size + 1) * sizeof *its->world);
    its->inverse = malloc((size_t)real_size * sizeof *its->inverse);
    if (its->world == NULL || its->inverse == NULL) abort();
    memcpy(its->world, parent->world, (size_t)its->size * sizeof *its->world);
    memcpy(its->inverse, parent->inverse, (size_t)real_size * sizeof *its->inverse);
    its->inter = parent->inter;
    its->id = mix(mix(parent->id, 0x1d0b), manieth(parent, 0x1d0b));
    its->number = numbers++;
    its->uses = 1;
    forget(*made);
    insert(key_of(*made), its);
    tell(its);
    return error;
}
/* Its parent is the local communicator, which differs on the two sides: the identity is that of the peers' one. */
API int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm* made) {
    const int error = PMPI_Intercomm_create(local, leader, peer, remote, tag, made);
    if (error == MPI_SUCCESS) real_comm_made(MPI_COMM_WORLD, *made);
    return error;
}

API int MPI_Comm_free(MPI_Comm* comm) {
    const MPI_Comm handle = *comm;
    const int error = PMPI_Comm_free(comm);
    if (real_on && error == MPI_SUCCESS) forget(handle);
    return error;
}
API int MPI_Comm_disconnect(MPI_Comm* comm) {
    const MPI_Comm handle = *comm;
    const int error = PMPI_Comm_disconnect(comm);
    if (real_on && error == MPI_SUCCESS) forget(handle);
    return error;
}
