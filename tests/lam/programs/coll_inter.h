/* Shared by the programs of collective operations between two groups: ranks below a third of all, and the others. */
#ifndef LAM_TESTS_COLL_INTER_H
#define LAM_TESTS_COLL_INTER_H

#include "coll_check.h"

static MPI_Comm side, across;
static int low, side_rank, side_size, other_size;

/* Rank in MPI_COMM_WORLD of a rank of the own or the other group. */
static inline int world_of(int is_low, int its_rank) {
    const int first = size / 3 > 0 ? size / 3 : 1;
    return is_low ? its_rank : first + its_rank;
}
static inline void split_sides(void) {
    const int first = size / 3 > 0 ? size / 3 : 1;
    low = rank < first;
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, low ? first : 0, 9, &across);
    MPI_Comm_rank(across, &side_rank);
    MPI_Comm_size(across, &side_size);
    MPI_Comm_remote_size(across, &other_size);
}
static inline void free_sides(void) {
    MPI_Comm_free(&across);
    MPI_Comm_free(&side);
}
/* The root argument of this rank when rank `at` of group `low_has_root` is the root. */
static inline int root_argument(int low_has_root, int at) {
    if (low != low_has_root) return at;
    return side_rank == at ? MPI_ROOT : MPI_PROC_NULL;
}

#endif
