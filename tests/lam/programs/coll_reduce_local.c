/* np: 2 */
/* MPI_Reduce_local(), MPI_Op_create(), MPI_Op_commutative() and MPI_Op_free(), without any message. */
#include "coll_check.h"

static void minus(void* in, void* inout, int* length, MPI_Datatype* type) {
    const int* a = in;
    int* b = inout;
    if (*type != MPI_INT) ++wrong;
    for (int i = 0; i < *length; ++i) b[i] = a[i] - b[i];
}

int main(int argc, char** argv) {
    int a[5] = {1, 5, 3, -7, 2}, b[5] = {4, 4, 4, 4, 4}, commutes = -1;
    double x[2] = {1.5, -2}, y[2] = {3, 4};
    MPI_Op op;
    start(&argc, &argv, "coll_reduce_local");
    MPI_Reduce_local(a, b, 5, MPI_INT, MPI_MAX);
    for (int i = 0; i < 5; ++i) expect("max", b[i], a[i] > 4 ? a[i] : 4);
    MPI_Reduce_local(a, b, 5, MPI_INT, MPI_SUM);
    for (int i = 0; i < 5; ++i) expect("sum", b[i], (a[i] > 4 ? a[i] : 4) + a[i]);
    MPI_Reduce_local(x, y, 2, MPI_DOUBLE, MPI_PROD);
    expect("product", (long long)(y[0] * 2), 9);
    expect("product", (long long)y[1], -8);
    MPI_Op_create(minus, 0, &op);
    MPI_Op_commutative(op, &commutes);
    expect("of the program", commutes, 0);
    for (int i = 0; i < 5; ++i) b[i] = i;
    MPI_Reduce_local(a, b, 5, MPI_INT, op);
    for (int i = 0; i < 5; ++i) expect("minus", b[i], a[i] - i);
    MPI_Reduce_local(a, b, 0, MPI_INT, op);
    expect("none", b[0], 1);
    MPI_Op_free(&op);
    expect("freed", op == MPI_OP_NULL, 1);
    MPI_Op_create(minus, 1, &op);
    MPI_Op_commutative(op, &commutes);
    expect("said to commute", commutes != 0, 1);
    MPI_Op_free(&op);
    MPI_Op_commutative(MPI_SUM, &commutes);
    expect("sum commutes", commutes != 0, 1);
    return end();
}
