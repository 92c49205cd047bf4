/* np: 4 */
/* Transposes a matrix spread by rows with one MPI_Alltoall() of column types. */
#include "coll_check.h"

enum { BLOCK = 5 };

int main(int argc, char** argv) {
    static int from[BLOCK * BLOCK * MOST_RANKS], to[BLOCK * BLOCK * MOST_RANKS];
    MPI_Datatype column, columns, spread;
    MPI_Request request;
    start(&argc, &argv, "coll_transpose");
    const int width = BLOCK * size;
    for (int row = 0; row < BLOCK; ++row)
        for (int i = 0; i < width; ++i) from[row * width + i] = (rank * BLOCK + row) * 1000 + i;
    /* One column of the own rows; BLOCK of them, one after another, are what a rank gets. */
    MPI_Type_vector(BLOCK, 1, width, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &columns);
    MPI_Type_commit(&columns);
    MPI_Type_free(&column);
    /* What comes from a rank is a block of BLOCK rows, each of them a part of an own row. */
    MPI_Type_vector(BLOCK, BLOCK, width, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, BLOCK * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    MPI_Type_free(&column);
    for (int later = 0; later < 2; ++later) {
        memset(to, 0, sizeof to);
        if (later) {
            MPI_Ialltoall(from, BLOCK, columns, to, 1, spread, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Alltoall(from, BLOCK, columns, to, 1, spread, MPI_COMM_WORLD);
        }
        for (int row = 0; row < BLOCK; ++row)
            for (int i = 0; i < width; ++i) expect("element", to[row * width + i], i * 1000 + rank * BLOCK + row);
    }
    MPI_Type_free(&columns);
    MPI_Type_free(&spread);
    return end();
}
