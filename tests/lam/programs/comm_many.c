/* np: 6 */
/* Many communicators of many makers, alive at once: no message goes astray. */
#include "comm_check.h"

enum { most = 40 };
static MPI_Comm all[most];

static void round_trip(MPI_Comm comm, int tag) {
    int own, count, got = -1;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &count);
    const int value = 1000 * tag + rank;
    MPI_Sendrecv(&value, 1, MPI_INT, (own + 1) % count, 0, &got, 1, MPI_INT, (own + count - 1) % count, 0, comm,
                 MPI_STATUS_IGNORE);
    say("%d: %d of %d got %d", tag, own, count, got);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    for (int i = 0; i < most; ++i) all[i] = MPI_COMM_NULL;
    for (int step = 0; step < 45; ++step) {
        const int at = pick(most), from = pick(most), way = pick(5), color = pick(3) + 1, key = pick(7) - 3;
        if (all[at] != MPI_COMM_NULL) MPI_Comm_free(&all[at]);
        /* Others may have no such communicator: then all take the world. A free choice among subsets would need the same on
         * all. */
        int here = from != at && all[from] != MPI_COMM_NULL, everywhere;
        MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Comm parent = everywhere ? all[from] : MPI_COMM_WORLD;
        int own, count;
        MPI_Comm_rank(parent, &own);
        MPI_Comm_size(parent, &count);
        if (way == 0) {
            MPI_Comm_dup(parent, &all[at]);
        } else if (way == 1) {
            MPI_Comm_split(parent, own % color, own * key, &all[at]);
        } else if (way == 2) {
            MPI_Group group, part;
            MPI_Comm_group(parent, &group);
            MPI_Group_range_incl(group, 1, (int[][3]){{count - 1, 0, -1}}, &part);
            MPI_Comm_create(parent, part, &all[at]);
            MPI_Group_free(&part);
            MPI_Group_free(&group);
        } else if (way == 3) {
            MPI_Cart_create(parent, 1, &count, (int[]){1}, 0, &all[at]);
        } else {
            MPI_Request request;
            MPI_Comm_idup(parent, &all[at], &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        round_trip(all[at], step);
        /* Messages lie in several communicators at once and come back in another order. */
        for (int i = 0; i < most; ++i) {
            if (all[i] == MPI_COMM_NULL) continue;
            const int value = 100 * step + i;
            MPI_Comm_rank(all[i], &own);
            MPI_Send(&value, 1, MPI_INT, own, 5, all[i]);
        }
        int wrong = 0;
        for (int i = most - 1; i >= 0; --i) {
            if (all[i] == MPI_COMM_NULL) continue;
            int value;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all[i], MPI_STATUS_IGNORE);
            wrong += value != 100 * step + i;
        }
        if (wrong > 0) say("%d wrong", wrong);
    }
    for (int i = 0; i < most; ++i)
        if (all[i] != MPI_COMM_NULL) MPI_Comm_free(&all[i]);
    for (int i = 0; i < 200; ++i) {
        MPI_Comm made;
        MPI_Comm_dup(MPI_COMM_SELF, &made);
        MPI_Comm_free(&made);
    }
    return end();
}
