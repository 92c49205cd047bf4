/* np: 3 */
/* MPI_Alloc_mem(): memory for messages. */
#include "comm_check.h"

int main(int argc, char** argv) {
    int* memory[5];
    MPI_Info info;
    void* none;
    begin(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    for (int i = 0; i < 5; ++i) {
        TRY(MPI_Alloc_mem((MPI_Aint)sizeof(int) * 1000 * (i + 1), i % 2 ? info : MPI_INFO_NULL, &memory[i]));
        for (int j = 0; j < 1000 * (i + 1); ++j) memory[i][j] = rank + i + j;
    }
    for (int i = 0; i < 5; ++i)
        MPI_Sendrecv_replace(memory[i], 1000 * (i + 1), MPI_INT, (rank + 1) % size, 0, (rank + 2) % size, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; ++i) say("%d %d", memory[i][0], memory[i][1000 * (i + 1) - 1]);
    for (int i = 4; i >= 0; --i) TRY(MPI_Free_mem(memory[i]));
    TRY(MPI_Alloc_mem(0, MPI_INFO_NULL, &none));
    TRY(MPI_Free_mem(none));
    MPI_Info_free(&info);
    return end();
}
