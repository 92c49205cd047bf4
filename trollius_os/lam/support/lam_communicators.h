/* Shared by the files that make groups, communicators, topologies, error handlers and infos. */
#ifndef LAM_SUPPORT_LAM_COMMUNICATORS_H
#define LAM_SUPPORT_LAM_COMMUNICATORS_H

#include "lam.h"

/* ---- errors.c, error_handlers.c ---- */

extern int lam_last_used_code; /* of MPI_Add_error_class() and MPI_Add_error_code() */
/* `code` is a class, or a code of a user. Calls the handler of `comm`. */
int lam_tell(struct lam_comm* comm, int code, const char* function, const char* text);
void lam_errhandler_hold(MPI_Errhandler handle);
void lam_errhandler_drop(MPI_Errhandler handle);
void lam_errhandlers_begin(void);
int lam_fail_memory(MPI_Comm comm, const char* function);
int lam_fail_null(MPI_Comm comm, const char* function, const char* argument);

/* ---- groups.c ---- */

extern int lam_world_size;
void lam_groups_begin(int rank, int size);
struct lam_group* lam_group_copy(const struct lam_group* group); /* NULL: no memory */
/* Gives the group a handle. An empty one is dropped, and MPI_GROUP_EMPTY is its handle. Fails with MPI_ERR_NO_MEM. */
int lam_group_handle(struct lam_group* group, MPI_Group* handle);
/* 0, or the class after lam_fail(). */
int lam_find_group(MPI_Group handle, const char* function, const char* argument, MPI_Comm comm, struct lam_group** group);
int lam_groups_compare(const struct lam_group* first, const struct lam_group* second);

/* ---- communicators.c, communicator_copies.c, communicator_queries.c ---- */

enum { LAM_HIGHEST_TAG = 0x3fffffff };

extern uint32_t lam_next_context; /* no communicator of this rank has it, or one above it */
enum lam_sort { LAM_ANY_SORT, LAM_INTRA, LAM_INTER };
/* 0, or the class after lam_fail(): MPI does not run, there is no such communicator, or it is of another sort. */
int lam_find_comm(MPI_Comm handle, const char* function, enum lam_sort sort, struct lam_comm** comm);
/* Agrees with all members, of both sides, on a context that is free for all of them. Takes it. */
int lam_agree_on_context(struct lam_comm* comm, uint32_t* context);
/* Takes the contexts from `wanted` on for so many communicators, and all below. Returns `wanted`. */
uint32_t lam_take_context(uint32_t wanted, int communicators);
/* Takes the groups over, even when it fails. `remote` NULL: an intra-communicator. The error handler is that of `parent`. */
struct lam_comm* lam_comm_new(struct lam_group* local, struct lam_group* remote, uint32_t context,
                              const struct lam_comm* parent);
/* Gives it a handle. `comm` NULL, or no memory for a handle: MPI_ERR_NO_MEM by lam_fail(). */
int lam_comm_publish(struct lam_comm* comm, const struct lam_comm* parent, const char* function, MPI_Comm* handle);
void lam_comm_wait(struct lam_comm* comm); /* until none of its operations is under way */
/* Tells that the members could not agree. */
int lam_fail_agreement(const struct lam_comm* comm, int error, const char* function);

/* ---- splits.c ---- */

struct lam_split {
    int32_t color, key;
    uint32_t next_context;
};
int lam_comm_split(struct lam_comm* comm, int color, int key, const char* function, MPI_Comm* newcomm);

/* ---- intercommunicators.c ---- */

int lam_private_broadcast(void* data, size_t bytes, int root, struct lam_comm* comm);
/* Each side's rank 0 has `own`; all members get that of the other side as `other`. */
int lam_swap_sides(struct lam_comm* comm, const void* own, size_t own_bytes, void* other, size_t other_bytes);

/* ---- topologies.c ---- */

struct lam_topology {
    int kind; /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
    int size; /* dimensions, nodes, or the rank's sources */
    int* lists;
    /* Inside `lists`: of a grid `size` entries each; of a graph `size` and `edge_count` entries. */
    int *dims, *periods, *coords;
    int *index, *edges;
    int edge_count; /* of a distributed graph: the rank's destinations */
    /* Of a distributed graph, with a weight for each. */
    int *sources, *source_weights, *destinations, *destination_weights;
    bool weighted;
};
struct lam_topology* lam_topology_new(int kind, int size, int edge_count); /* NULL: no memory */
struct lam_topology* lam_topology_copy(const struct lam_topology* topology);
/* 0, or the class after lam_fail(): the communicator has no topology of this kind. */
int lam_find_topology(MPI_Comm handle, const char* function, int kind, struct lam_comm** comm);
/* The rank's neighbours, in the order of neighbourhood collectives: those that send to it, and those that it sends to. Some may be
 * MPI_PROC_NULL. 0, or the class after lam_fail(). The caller frees both lists, which are one block that begins at `*from`. */
struct lam_neighbors {
    int *from, *to;
    int from_count, to_count;
};
int lam_find_neighbors(const struct lam_comm* comm, const char* function, struct lam_neighbors* its);
/* A communicator of the first `count` ranks of `comm`; MPI_COMM_NULL on others. The topology is taken over. */
int lam_comm_with_topology(struct lam_comm* comm, int count, struct lam_topology* topology, const char* function,
                           MPI_Comm* newcomm);

/* ---- info.c ---- */

void lam_info_begin(int size);
/* A new info with the same pairs; MPI_INFO_NULL gives MPI_INFO_NULL. Returns an error class. */
int lam_info_copy(MPI_Info from, MPI_Info* to);
int lam_info_add(MPI_Info from, MPI_Info to); /* pairs with equal keys are replaced */
void lam_info_drop(MPI_Info info);
bool lam_is_info(MPI_Info info);

#endif
