/* np: 5 */
/* A commutative operation of the program on a type with gaps: gcd of the first int, sum of the second. */
#include "coll_check.h"

struct row {
    int divisor, unused, total, unused_too;
};

static int gcd(int a, int b) {
    while (b != 0) {
        const int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
static void join(void* in, void* inout, int* length, MPI_Datatype* type) {
    (void)type;
    struct row *a = in, *b = inout;
    for (int i = 0; i < *length; ++i) {
        b[i].divisor = gcd(a[i].divisor, b[i].divisor);
        b[i].total += a[i].total;
    }
}

int main(int argc, char** argv) {
    enum { count = 7 };
    struct row own[count], got[count];
    MPI_Datatype two, type;
    MPI_Op op;
    MPI_Request request;
    start(&argc, &argv, "coll_user_commutes");
    MPI_Type_vector(2, 1, 2, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, sizeof(struct row), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&two);
    MPI_Op_create(join, 1, &op);
    for (int later = 0; later < 2; ++later)
        for (int function = 0; function < 3; ++function) {
            const int root = pick(size), last = function == 2 ? rank : size - 1;
            memset(got, 0x11, sizeof got);
            for (int i = 0; i < count; ++i) own[i] = (struct row){60 * (rank + 1) * (i + 1), 1, rank + i, 2};
            if (function == 0 && !later) MPI_Reduce(own, got, count, type, op, root, MPI_COMM_WORLD);
            if (function == 0 && later) MPI_Ireduce(own, got, count, type, op, root, MPI_COMM_WORLD, &request);
            if (function == 1 && !later) MPI_Allreduce(own, got, count, type, op, MPI_COMM_WORLD);
            if (function == 1 && later) MPI_Iallreduce(own, got, count, type, op, MPI_COMM_WORLD, &request);
            if (function == 2 && !later) MPI_Scan(own, got, count, type, op, MPI_COMM_WORLD);
            if (function == 2 && later) MPI_Iscan(own, got, count, type, op, MPI_COMM_WORLD, &request);
            if (later) finish(&request);
            for (int i = 0; i < count && !(function == 0 && rank != root); ++i) {
                int divisor = 0, total = 0;
                for (int from = 0; from <= last; ++from) {
                    divisor = gcd(divisor, 60 * (from + 1) * (i + 1));
                    total += from + i;
                }
                expect("divisor", got[i].divisor, divisor);
                expect("total", got[i].total, total);
                expect("gap", got[i].unused, 0x11111111);
            }
        }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    return end();
}
