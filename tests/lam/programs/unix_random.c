/* np: 3 */
/* The numbers of the C library, each rank with a state of its own. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank;
    char state[64];
    unsigned short words[3] = {1, 2, 3};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d: unseeded %d %ld %f\n", rank, rand(), random(), drand48());
    for (int seed = 0; seed < 3; ++seed) {
        srand((unsigned)(seed * 1000 + rank));
        srand48(seed + rank);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < 3; ++i) printf("%d: seed %d: %d %ld %.12f %ld %ld\n", rank, seed, rand(), random(), drand48(), lrand48(), mrand48());
    }
    printf("%d: erand48 %.12f %ld %ld\n", rank, erand48(words), nrand48(words), jrand48(words));
    char* const old = initstate(7, state, sizeof state);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d: other state %ld %ld\n", rank, random(), random());
    setstate(old);
    printf("%d: old state %ld\n", rank, random());
    MPI_Finalize();
    return 0;
}
