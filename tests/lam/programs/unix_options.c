/* np: 3, args: -n 4 -xv one --size=7 --verb two -o 3 -- -n 9 */
/* Each rank reads the same options: the place of getopt() is its own. */
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, option, index = -1;
    static int verbose;
    const struct option longs[] = {
        {"size", required_argument, NULL, 's'}, {"verbose", no_argument, &verbose, 5}, {"output", optional_argument, NULL, 'o'}, {0}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    opterr = 0;
    for (int round = 0; round < 2; ++round) {
        while ((option = round == 0 ? getopt_long(argc, argv, "n:vo:", longs, &index) : getopt(argc, argv, "+:n:vo")) != -1)
            printf("%d: round %d option %d '%s' next %d, %d\n", rank, round, option, optarg == NULL ? "" : optarg, optind, index);
        printf("%d: verbose %d, next %d", rank, verbose, optind);
        for (int i = 1; i < argc; ++i) printf(" %s", argv[i]);
        printf("\n");
        MPI_Barrier(MPI_COMM_WORLD);
        optind = 0;
    }
    MPI_Finalize();
    return 0;
}
