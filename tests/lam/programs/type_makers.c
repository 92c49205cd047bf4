/* np: 2 */
/* Every constructor of a type: bounds, envelope, contents, and the elements that it moves from rank 0 to rank 1. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { words = 64 };
static int rank;

static void show(const char* name, MPI_Datatype type) {
    MPI_Aint lb, extent, true_lb, true_extent, old_lb, old_ub, old_extent, addresses[16] = {0};
    int size, integers, places, types, combiner, numbers[32] = {0};
    MPI_Datatype parts[8];
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    MPI_Type_lb(type, &old_lb);
    MPI_Type_ub(type, &old_ub);
    MPI_Type_extent(type, &old_extent);
    MPI_Type_get_envelope(type, &integers, &places, &types, &combiner);
    printf("%d: %s size %d, from %ld for %ld, data from %ld for %ld, %ld %ld %ld; %d %d %d\n", rank, name, size, (long)lb, (long)extent,
           (long)true_lb, (long)true_extent, (long)old_lb, (long)old_ub, (long)old_extent, integers, places, types);
    if (combiner == MPI_COMBINER_NAMED) return;
    MPI_Type_get_contents(type, integers, places, types, numbers, addresses, parts);
    printf("%d: %s holds", rank, name);
    for (int i = 0; i < integers; ++i)
        if (combiner != MPI_COMBINER_DARRAY && combiner != MPI_COMBINER_SUBARRAY) printf(" %d", numbers[i]);
    for (int i = 0; i < places; ++i) printf(" %ld", (long)addresses[i]);
    for (int i = 0; i < types; ++i) printf(" %d", parts[i] == MPI_INT);
    printf("\n");
}

static void move(const char* name, MPI_Datatype type) {
    int data[words], count, elements;
    MPI_Status status;
    for (int i = 0; i < words; ++i) data[i] = rank == 0 ? i : -1;
    MPI_Type_commit(&type);
    show(name, type);
    if (rank == 0) {
        MPI_Send(data, 1, type, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, 2, type, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, type, &count);
        MPI_Get_elements(&status, type, &elements);
        printf("1: %s came %d, %d:", name, count, elements);
        for (int i = 0; i < words; ++i)
            if (data[i] >= 0) printf(" %d%s", i, data[i] == i ? "" : "!");
        printf("\n");
    }
    MPI_Type_free(&type);
}

int main(int argc, char** argv) {
    const int lengths[] = {2, 1, 3}, at[] = {0, 5, 9}, one[] = {1, 1, 1};
    MPI_Aint bytes[] = {0, 24, 40};
    const int sizes[] = {4, 6}, parts[] = {2, 3}, starts[] = {1, 2};
    const int distribution[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[] = {1, 2};
    MPI_Datatype type, ints[] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    show("int", MPI_INT);
    MPI_Type_contiguous(5, MPI_INT, &type), move("contiguous", type);
    MPI_Type_vector(3, 2, 4, MPI_INT, &type), move("vector", type);
    MPI_Type_hvector(3, 1, 12, MPI_INT, &type), move("hvector", type);
    MPI_Type_create_hvector(2, 2, 20, MPI_INT, &type), move("create_hvector", type);
    MPI_Type_indexed(3, lengths, at, MPI_INT, &type), move("indexed", type);
    MPI_Type_hindexed(3, (int*)lengths, bytes, MPI_INT, &type), move("hindexed", type);
    MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &type), move("create_hindexed", type);
    MPI_Type_create_indexed_block(3, 2, at, MPI_INT, &type), move("indexed_block", type);
    MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &type), move("hindexed_block", type);
    MPI_Type_struct(3, (int*)lengths, bytes, ints, &type), move("struct", type);
    MPI_Type_create_struct(3, one, bytes, ints, &type), move("create_struct", type);
    MPI_Type_create_resized(MPI_INT, -4, 16, &type), move("resized", type);
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type), move("subarray", type);
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &type), move("subarray F", type);
    MPI_Type_create_darray(2, 0, 2, sizes, distribution, arguments, grid, MPI_ORDER_C, MPI_INT, &type), move("darray", type);
    MPI_Type_create_darray(2, 1, 2, sizes, distribution, arguments, grid, MPI_ORDER_FORTRAN, MPI_INT, &type), move("darray F", type);
    MPI_Type_dup(MPI_INT, &type), move("dup", type);
    MPI_Finalize();
    return 0;
}
