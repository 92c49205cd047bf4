/* np: 4 */
/* MPI_Comm_compare() of communicators of one and of two groups. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm all[8];
    char line[200] = "";
    int result;
    begin(&argc, &argv);
    all[0] = MPI_COMM_WORLD;
    all[1] = MPI_COMM_SELF;
    MPI_Comm_dup(MPI_COMM_WORLD, &all[2]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &all[3]);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &all[4]);
    MPI_Comm_dup(all[4], &all[5]);
    MPI_Intercomm_create(all[4], 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &all[6]);
    MPI_Comm_dup(all[6], &all[7]);
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
            MPI_Comm_compare(all[i], all[j], &result);
            if (j == 0) line[0] = '\0';
            strcat(line, " ");
            strcat(line, result_name(result));
            if (j == 7) say("%d:%s", i, line);
        }
    for (int i = 2; i < 8; ++i) MPI_Comm_free(&all[i]);
    /* The same two groups in another order. */
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &all[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &all[3]);
    MPI_Intercomm_create(all[2], 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &all[4]);
    MPI_Intercomm_create(all[3], 0, MPI_COMM_WORLD, rank < 2 ? 3 : 1, 9, &all[5]);
    MPI_Comm_compare(all[4], all[5], &result);
    say("%s", result_name(result));
    for (int i = 2; i < 6; ++i) MPI_Comm_free(&all[i]);
    return end();
}
