/* np: 3 */
/* The attributes that the library sets. */
#include "comm_check.h"

int main(int argc, char** argv) {
    int *value, flag, got = 0;
    begin(&argc, &argv);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    say("TAG_UB %d %d", flag, *value >= 32767);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, *value, &got, 1, MPI_INT, (rank + 2) % size, *value, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    say("got %d", got);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
    say("HOST %d %d", flag, *value == MPI_PROC_NULL);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
    say("IO %d %d", flag, *value == MPI_ANY_SOURCE);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
    say("WTIME_IS_GLOBAL %d %d", flag, *value);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
    say("APPNUM %d %d", flag, flag ? *value : 0);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
    if (flag && *value < size) say("UNIVERSE_SIZE %d", *value);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
    say("LASTUSEDCODE %d %d", flag, *value >= MPI_ERR_LASTCODE);
    return end();
}
