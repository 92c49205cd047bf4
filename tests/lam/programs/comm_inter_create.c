/* np: 7 */
/* Inter-communicators: their groups, messages between the sides, several over one pair of groups. */
#include "comm_check.h"

static void across(const char* text, MPI_Comm inter) {
    int own, count, others, number;
    MPI_Status status;
    MPI_Comm_rank(inter, &own);
    MPI_Comm_size(inter, &count);
    MPI_Comm_remote_size(inter, &others);
    say("%s: %d of %d, and %d others", text, own, count, others);
    for (int i = 0; i < others; ++i) MPI_Send(&rank, 1, MPI_INT, i, own, inter);
    for (int i = others - 1; i >= 0; --i) {
        MPI_Recv(&number, 1, MPI_INT, i, MPI_ANY_TAG, inter, &status);
        say("  from %d with tag %d: %d", status.MPI_SOURCE, status.MPI_TAG, number);
    }
}

int main(int argc, char** argv) {
    MPI_Comm half, inter, second, peer;
    int flag;
    begin(&argc, &argv);
    const int side = rank < 3;
    MPI_Comm_split(MPI_COMM_WORLD, side, -rank, &half);
    MPI_Intercomm_create(half, 1, MPI_COMM_WORLD, side ? 5 : 1, 17, &inter);
    MPI_Comm_test_inter(inter, &flag);
    say("inter %d", flag);
    show_comm("sides", inter);
    across("first", inter);
    MPI_Comm_dup(MPI_COMM_WORLD, &peer);
    MPI_Intercomm_create(half, 0, peer, side ? 6 : 2, 17, &second);
    across("second", second);
    MPI_Comm_free(&half);
    across("first", inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&peer);
    across("second", second);
    MPI_Comm_free(&second);
    /* Rank 0 alone and all others; the others' leader is their last one. */
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &half);
    MPI_Intercomm_create(half, rank == 0 ? 0 : size - 2, MPI_COMM_WORLD, rank == 0 ? size - 1 : 0, 1, &inter);
    across("one and many", inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    /* Three groups in a ring; each makes two inter-communicators, as in the example of the standard. */
    MPI_Comm ring[2];
    const int color = rank % 3, next = (color + 1) % 3, before = (color + 2) % 3;
    MPI_Comm_split(MPI_COMM_WORLD, color, rank, &half);
    if (color == 0) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1, 1, &ring[0]);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 2, 2, &ring[1]);
    } else if (color == 1) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 0, 1, &ring[0]);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 2, 12, &ring[1]);
    } else {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 0, 2, &ring[0]);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1, 12, &ring[1]);
    }
    say("%d %d", next, before);
    for (int i = 0; i < 2; ++i) {
        show_comm("ring", ring[i]);
        across("ring", ring[i]);
        MPI_Comm_free(&ring[i]);
    }
    MPI_Comm_free(&half);
    return end();
}
