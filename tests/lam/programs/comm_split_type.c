/* np: 4 */
/* MPI_Comm_split_type(): ranks of one node. Each machine has other nodes, so the program checks what it gets. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm made;
    char own[MPI_MAX_PROCESSOR_NAME] = "", other[MPI_MAX_PROCESSOR_NAME];
    int length, its_rank, its_size, on_my_node = 0, before = 0, wrong = 0;
    begin(&argc, &argv);
    MPI_Get_processor_name(own, &length);
    for (int i = 0; i < size; ++i) {
        memcpy(other, own, sizeof own);
        MPI_Bcast(other, sizeof other, MPI_CHAR, i, MPI_COMM_WORLD);
        if (strcmp(own, other) != 0) continue;
        ++on_my_node;
        if (i > rank) ++before;
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &made);
    MPI_Comm_rank(made, &its_rank);
    MPI_Comm_size(made, &its_size);
    if (its_rank != before || its_size != on_my_node) ++wrong;
    say("%d wrong", wrong);
    MPI_Comm_free(&made);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &made);
    say("%d", made == MPI_COMM_NULL);
    MPI_Comm_split_type(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
    say("%d", made == MPI_COMM_NULL);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    return end();
}
