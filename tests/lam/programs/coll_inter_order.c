/* np: 7 */
/* An operation that does not commute, between two groups, keeps the order of the ranks of each group. */
#include "coll_inter.h"

struct line {
    int slope, start;
};
enum { modulus = 9973 };
static void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
    struct line *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *length; ++i) {
        b[i].start = (a[i].start * b[i].slope + b[i].start) % modulus;
        b[i].slope = a[i].slope * b[i].slope % modulus;
    }
}
static void check(const char* text, const struct line* got, int first, int n) {
    for (int i = 0; i < n; ++i) {
        struct line all = {1, 0};
        for (int from = 0; from < other_size; ++from) {
            const int its = world_of(!low, from);
            struct line own = {its + 2, its * 3 + first + i};
            int one = 1;
            compose(&all, &own, &one, NULL);
            all = own;
        }
        expect(text, got[i].slope, all.slope);
        expect(text, got[i].start, all.start);
    }
}

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_inter_order");
    if (size > 1) {
        struct line own[64], got[64];
        MPI_Datatype type;
        MPI_Op op;
        MPI_Request request;
        split_sides();
        MPI_Type_contiguous(2, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Op_create(compose, 0, &op);
        for (int i = 0; i < 64; ++i) own[i] = (struct line){rank + 2, rank * 3 + i};
        for (int at = 0; at < 2; ++at)
            for (int low_has_root = 0; low_has_root < 2; ++low_has_root) {
                const int sides = low == low_has_root ? side_size : other_size;
                const int root = root_argument(low_has_root, at % sides);
                MPI_Reduce(own, got, 5, type, op, root, across);
                if (root == MPI_ROOT) check("reduce", got, 0, 5);
                MPI_Ireduce(own, got, 5, type, op, root, across, &request);
                finish(&request);
                if (root == MPI_ROOT) check("ireduce", got, 0, 5);
            }
        MPI_Allreduce(own, got, 5, type, op, across);
        check("allreduce", got, 0, 5);
        MPI_Iallreduce(own, got, 5, type, op, across, &request);
        finish(&request);
        check("iallreduce", got, 0, 5);
        MPI_Reduce_scatter_block(own, got, other_size, type, op, across);
        check("reduce_scatter_block", got, side_rank * other_size, other_size);
        MPI_Op_free(&op);
        MPI_Type_free(&type);
        free_sides();
    }
    return end();
}
