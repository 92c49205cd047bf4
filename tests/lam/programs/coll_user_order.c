/* np: 6 */
/* An operation that does not commute, f(g(x)) of linear functions, keeps the order of ranks in each reduction. */
#include "coll_check.h"

struct line {
    int slope, start;
};
enum { modulus = 10007, count = 2 };
static int calls;

/* b after a */
static struct line after(struct line a, struct line b) {
    const struct line both = {a.slope * b.slope % modulus, (a.start * b.slope + b.start) % modulus};
    return both;
}
static void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
    struct line *a = in, *b = inout;
    int bytes = 0;
    MPI_Type_size(*type, &bytes);
    if (bytes != sizeof(struct line)) ++wrong;
    for (int i = 0; i < *length; ++i) b[i] = after(a[i], b[i]);
    ++calls;
}
static struct line own_of(int from, int i) {
    const struct line its = {from + 2 + i % 5, from * 3 + i};
    return its;
}
static struct line all_to(int last, int i) {
    struct line all = own_of(0, i);
    for (int from = 1; from <= last; ++from) all = after(all, own_of(from, i));
    return all;
}
static void check(const char* text, const struct line* got, int last, int first, int n) {
    for (int i = 0; i < n; ++i) {
        const struct line all = all_to(last, first + i);
        expect(text, got[i].slope, all.slope);
        expect(text, got[i].start, all.start);
    }
}

int main(int argc, char** argv) {
    struct line own[count * MOST_RANKS], got[count * MOST_RANKS];
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request;
    int commutes = 1, counts[MOST_RANKS];
    start(&argc, &argv, "coll_user_order");
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &op);
    MPI_Op_commutative(op, &commutes);
    expect("commutative", commutes, 0);
    const int n = count * size;
    for (int i = 0; i < n; ++i) own[i] = own_of(rank, i);
    for (int i = 0; i < size; ++i) counts[i] = count;
    for (int root = 0; root < size; ++root) {
        MPI_Reduce(own, got, n, type, op, root, MPI_COMM_WORLD);
        if (rank == root) check("reduce", got, size - 1, 0, n);
        MPI_Ireduce(own, got, n, type, op, root, MPI_COMM_WORLD, &request);
        finish(&request);
        if (rank == root) check("ireduce", got, size - 1, 0, n);
    }
    MPI_Allreduce(own, got, n, type, op, MPI_COMM_WORLD);
    check("allreduce", got, size - 1, 0, n);
    MPI_Iallreduce(own, got, n, type, op, MPI_COMM_WORLD, &request);
    finish(&request);
    check("iallreduce", got, size - 1, 0, n);
    MPI_Reduce_scatter(own, got, counts, type, op, MPI_COMM_WORLD);
    check("reduce_scatter", got, size - 1, rank * count, count);
    MPI_Reduce_scatter_block(own, got, count, type, op, MPI_COMM_WORLD);
    check("reduce_scatter_block", got, size - 1, rank * count, count);
    MPI_Scan(own, got, n, type, op, MPI_COMM_WORLD);
    check("scan", got, rank, 0, n);
    MPI_Iscan(own, got, n, type, op, MPI_COMM_WORLD, &request);
    finish(&request);
    check("iscan", got, rank, 0, n);
    MPI_Exscan(own, got, n, type, op, MPI_COMM_WORLD);
    if (rank > 0) check("exscan", got, rank - 1, 0, n);
    MPI_Iexscan(own, got, n, type, op, MPI_COMM_WORLD, &request);
    finish(&request);
    if (rank > 0) check("iexscan", got, rank - 1, 0, n);
    memcpy(got, own, sizeof got);
    MPI_Exscan(MPI_IN_PLACE, got, n, type, op, MPI_COMM_WORLD);
    if (rank > 0) check("exscan in place", got, rank - 1, 0, n);
    memcpy(got, own, sizeof got);
    MPI_Scan(MPI_IN_PLACE, got, n, type, op, MPI_COMM_WORLD);
    check("scan in place", got, rank, 0, n);
    MPI_Op_free(&op);
    expect("null operation", op == MPI_OP_NULL, 1);
    MPI_Type_free(&type);
    return end();
}
