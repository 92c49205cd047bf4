/* Inter-communicators: made of two groups, and merged to one. */
#include <stdlib.h>
#include <string.h>

#include "lam_communicators.h"

/* Tags of private messages; those of MPI_Comm_create_group() are below, those of private.c above. */
enum { leader_tag = 0x40000000, broadcast_tag = 0x7e000001, swap_tag };

int lam_private_broadcast(void* data, size_t bytes, int root, struct lam_comm* comm) {
    if (comm->rank != root) return lam_private_receive(data, bytes, root, broadcast_tag, comm);
    int error = MPI_SUCCESS;
    for (int rank = 0; rank < comm->local->size && error == MPI_SUCCESS; ++rank)
        if (rank != root) error = lam_private_send(data, bytes, rank, broadcast_tag, comm);
    return error;
}

/* Both leaders send, and a long message waits for its receive: so the lower one in the world sends first. */
static int exchange(const void* own, size_t own_bytes, void* other, size_t other_bytes, int rank, int tag,
                    struct lam_comm* comm) {
    const bool is_first = lam_world->rank < comm->remote->world[rank];
    int error = is_first ? lam_private_send(own, own_bytes, rank, tag, comm) : MPI_SUCCESS;
    if (error == MPI_SUCCESS) error = lam_private_receive(other, other_bytes, rank, tag, comm);
    if (error == MPI_SUCCESS && !is_first) error = lam_private_send(own, own_bytes, rank, tag, comm);
    return error;
}

int lam_swap_sides(struct lam_comm* comm, const void* own, size_t own_bytes, void* other, size_t other_bytes) {
    int error = comm->rank == 0 ? exchange(own, own_bytes, other, other_bytes, 0, swap_tag, comm) : MPI_SUCCESS;
    return error != MPI_SUCCESS ? error : lam_private_broadcast(other, other_bytes, 0, comm->own_side);
}

/* ---- Making one ---- */

struct side {
    uint32_t next_context;
    int32_t size;
};
struct meeting { /* arguments of MPI_Intercomm_create() */
    struct lam_comm *local, *peer;
    int leader, remote_leader, tag;
    const char* function;
};

/* Only the leader's peer communicator counts. */
static int check_leader(struct meeting* its, MPI_Comm peer_handle) {
    const MPI_Comm handle = its->local->handle;
    if (its->leader < 0 || its->leader >= its->local->local->size)
        return lam_fail(handle, MPI_ERR_RANK, its->function, "local_leader is %d, and local_comm has %d ranks", its->leader,
                        its->local->local->size);
    if (its->tag < 0 || its->tag > LAM_HIGHEST_TAG) return lam_fail(handle, MPI_ERR_TAG, its->function, "tag is %d", its->tag);
    if (its->local->rank != its->leader) return MPI_SUCCESS;
    its->peer = lam_comm(peer_handle);
    if (its->peer == NULL)
        return lam_fail(handle, MPI_ERR_COMM, its->function, "peer_comm %s",
                        lam_why_not(LAM_COMM, peer_handle));
    const int peers = its->peer->remote->size;
    if (its->remote_leader < 0 || its->remote_leader >= peers)
        return lam_fail(handle, MPI_ERR_RANK, its->function, "remote_leader is %d, and peer_comm has %d ranks",
                        its->remote_leader, peers);
    if (its->peer->remote->world[its->remote_leader] == lam_world->rank)
        return lam_fail(handle, MPI_ERR_RANK, its->function, "remote_leader is %d, which is this rank itself",
                        its->remote_leader);
    return MPI_SUCCESS;
}

/* Learns the other side's size, contexts and members. */
static int meet(const struct meeting* its, struct side* other, int** members) {
    struct lam_comm* local = its->local;
    struct side own = {lam_next_context, local->local->size};
    const bool leads = local->rank == its->leader;
    int error = lam_private_maximum(&own.next_context, local);
    const int tag = leader_tag | its->tag;
    if (leads && error == MPI_SUCCESS)
        error = exchange(&own, sizeof own, other, sizeof *other, its->remote_leader, tag, its->peer);
    if (error == MPI_SUCCESS) error = lam_private_broadcast(other, sizeof *other, its->leader, local);
    if (error != MPI_SUCCESS) return error;
    if (own.next_context > other->next_context) other->next_context = own.next_context;
    const size_t bytes = (size_t)other->size * sizeof **members;
    *members = malloc(bytes);
    if (*members == NULL) return MPI_ERR_NO_MEM;
    if (leads)
        error = exchange(local->local->world, (size_t)own.size * sizeof **members, *members, bytes, its->remote_leader, tag,
                         its->peer);
    return error != MPI_SUCCESS ? error : lam_private_broadcast(*members, bytes, its->leader, local);
}

LAM_API(int, Intercomm_create,
        (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm* newintercomm)) {
    struct meeting its = {
        .leader = local_leader, .remote_leader = remote_leader, .tag = tag, .function = "MPI_Intercomm_create"};
    int error = lam_find_comm(local_comm, its.function, LAM_INTRA, &its.local);
    if (error == MPI_SUCCESS) error = check_leader(&its, peer_comm);
    if (error != MPI_SUCCESS) return error;
    if (newintercomm == NULL) return lam_fail_null(local_comm, its.function, "newintercomm");
    *newintercomm = MPI_COMM_NULL;
    struct side other = {0, 0};
    int* members = NULL;
    error = meet(&its, &other, &members);
    if (error != MPI_SUCCESS) {
        free(members);
        return lam_fail_agreement(its.local, error, its.function);
    }
    const uint32_t context = lam_take_context(other.next_context, 2);
    for (int i = 0; i < other.size; ++i) {
        if (its.local->local->inverse[members[i]] == MPI_UNDEFINED) continue;
        const int both = members[i];
        free(members);
        return lam_fail(local_comm, MPI_ERR_COMM, its.function, "rank %d of MPI_COMM_WORLD is in both groups", both);
    }
    struct lam_group* remote = lam_group_new(other.size, members);
    if (remote == NULL) return lam_fail_memory(local_comm, its.function);
    lam_group_hold(its.local->local);
    struct lam_comm* made = lam_comm_new(its.local->local, remote, context, its.local);
    return lam_comm_publish(made, its.local, its.function, newintercomm);
}

/* ---- Merging ---- */

struct vote {
    uint32_t next_context;
    int32_t high;
};

/* One vote for each side; or the error class: its members do not agree. */
static int gather_votes(struct lam_comm* comm, int high, struct vote votes[2]) {
    const struct vote own = {lam_next_context, high != 0};
    const int size = comm->local->size;
    struct vote* all = malloc((size_t)size * sizeof *all);
    if (all == NULL) return MPI_ERR_NO_MEM;
    int error = lam_private_gather(&own, sizeof own, all, comm->own_side);
    votes[0] = all[0];
    for (int i = 0; i < size && error == MPI_SUCCESS; ++i) {
        if (all[i].next_context > votes[0].next_context) votes[0].next_context = all[i].next_context;
        if (all[i].high != own.high) votes[0].high = -1;
    }
    free(all);
    if (error == MPI_SUCCESS) error = lam_swap_sides(comm, &votes[0], sizeof votes[0], &votes[1], sizeof votes[1]);
    return error;
}

LAM_API(int, Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm* newintracomm)) {
    const char* const function = "MPI_Intercomm_merge";
    struct lam_comm* comm = NULL;
    int error = lam_find_comm(intercomm, function, LAM_INTER, &comm);
    if (error != MPI_SUCCESS) return error;
    if (newintracomm == NULL) return lam_fail_null(intercomm, function, "newintracomm");
    *newintracomm = MPI_COMM_NULL;
    struct vote votes[2] = {{0, 0}, {0, 0}};
    error = gather_votes(comm, high, votes);
    if (error != MPI_SUCCESS) return lam_fail_agreement(comm, error, function);
    const bool is_higher = votes[1].next_context > votes[0].next_context;
    const uint32_t context = lam_take_context(votes[is_higher ? 1 : 0].next_context, 1);
    if (votes[0].high < 0 || votes[1].high < 0)
        return lam_fail(intercomm, MPI_ERR_ARG, function, "high is not the same on all ranks of one group");
    bool own_first = votes[0].high < votes[1].high;
    if (votes[0].high == votes[1].high) own_first = comm->local->world[0] < comm->remote->world[0];
    const struct lam_group* sides[2] = {own_first ? comm->local : comm->remote, own_first ? comm->remote : comm->local};
    int* world = malloc((size_t)(sides[0]->size + sides[1]->size) * sizeof *world);
    if (world == NULL) return lam_fail_memory(intercomm, function);
    memcpy(world, sides[0]->world, (size_t)sides[0]->size * sizeof *world);
    memcpy(world + sides[0]->size, sides[1]->world, (size_t)sides[1]->size * sizeof *world);
    struct lam_group* group = lam_group_new(sides[0]->size + sides[1]->size, world);
    return lam_comm_publish(lam_comm_new(group, NULL, context, comm), comm, function, newintracomm);
}
