/* Shared by the programs coll_*.c: data of several layouts, and the comparison with what a plain loop computes. Each program
 * prints one line a rank at its end, with a sum over all results; any MPI must print the same. */
#ifndef LAM_TESTS_COLL_CHECK_H
#define LAM_TESTS_COLL_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 4096, KINDS = 6, MOST_RANKS = 16, GUARD = -77 };

/* A type of ints: where the n ints of an element lie, and how far the next element is. */
struct kind {
    MPI_Datatype type;
    int extent, n, at[3];
};
static struct kind kinds[KINDS] = {{0, 1, 1, {0}},    {0, 3, 3, {0, 1, 2}}, {0, 3, 2, {0, 2}},
                                   {0, 5, 2, {0, 2}}, {0, 3, 2, {1, 3}},    {0, 3, 2, {2, 0}}};
static int rank, size, cases, wrong;
static unsigned sum = 1, seed = 20231;
static const char* program;

/* The same numbers on all ranks. */
static inline int pick(int below) {
    seed = seed * 1103515245u + 12345u;
    return (int)((seed >> 8) % (unsigned)below);
}
static inline void start(int* argc, char*** argv, const char* name) {
    MPI_Datatype vector;
    int after[2] = {1, 3}, back[2] = {2, 0};
    program = name;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    kinds[0].type = MPI_INT;
    MPI_Type_contiguous(3, MPI_INT, &kinds[1].type);
    MPI_Type_vector(2, 1, 2, MPI_INT, &kinds[2].type);
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 5 * sizeof(int), &kinds[3].type);
    MPI_Type_free(&vector);
    MPI_Type_create_indexed_block(2, 1, after, MPI_INT, &kinds[4].type);
    MPI_Type_create_indexed_block(2, 1, back, MPI_INT, &kinds[5].type);
    for (int i = 1; i < KINDS; ++i) MPI_Type_commit(&kinds[i].type);
}
/* The i-th int of a rank's data for another one (or for all). */
static inline int value(int from, int to, int i) {
    return from * 10007 + to * 101 + i * 3 + cases % 17;
}
static inline void clear(int* buffer) {
    for (int i = 0; i < ROOM; ++i) buffer[i] = GUARD;
}
/* The place of the i-th int of the data in a buffer of this kind. */
static inline int* place(int* buffer, const struct kind* its, int i) {
    return buffer + i / its->n * its->extent + its->at[i % its->n];
}
static inline void compare(const char* text, const int* got, const int* wanted) {
    ++cases;
    for (int i = 0; i < ROOM; ++i) sum = sum * 31u + (unsigned)got[i];
    for (int i = 0; i < ROOM; ++i) {
        if (got[i] == wanted[i]) continue;
        printf("%d: %s: case %d, %s: int %d is %d, not %d\n", rank, program, cases, text, i, got[i], wanted[i]);
        ++wrong;
        return;
    }
}
static inline void expect(const char* text, long long got, long long wanted) {
    ++cases;
    sum = sum * 31u + (unsigned)got;
    if (got == wanted) return;
    printf("%d: %s: case %d, %s: %lld, not %lld\n", rank, program, cases, text, got, wanted);
    ++wrong;
}
static inline void finish(MPI_Request* request) {
    MPI_Wait(request, MPI_STATUS_IGNORE);
    if (*request != MPI_REQUEST_NULL) ++wrong;
}
static inline int end(void) {
    for (int i = 1; i < KINDS; ++i) MPI_Type_free(&kinds[i].type);
    printf("%d: %s, %d ranks: %d cases, %d wrong, sum %08x\n", rank, program, size, cases, wrong, sum);
    MPI_Finalize();
    return wrong != 0;
}

#endif
