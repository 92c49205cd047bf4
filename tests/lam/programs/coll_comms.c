/* np: 8 */
/* Operations on several communicators at once: copies, rows and columns, and one with the ranks in reverse order. */
#include "coll_check.h"

int main(int argc, char** argv) {
    MPI_Comm twin, row, column, reverse;
    start(&argc, &argv, "coll_comms");
    const int width = size > 3 ? 3 : 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_split(MPI_COMM_WORLD, rank / width, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % width, rank, &column);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reverse);
    for (int round = 0; round < 10; ++round) {
        int own = rank + 1, a = 0, b = 0, c = 0, d = 0, e = 0, sum_of_row = 0, sum_of_column = 0, before = 0;
        MPI_Request requests[5];
        MPI_Iallreduce(&own, &a, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
        MPI_Iallreduce(&own, &c, 1, MPI_INT, MPI_SUM, row, &requests[2]);
        if (rank % 2 == 0) MPI_Iallreduce(&own, &b, 1, MPI_INT, MPI_MAX, twin, &requests[1]);
        MPI_Iallreduce(&own, &d, 1, MPI_INT, MPI_SUM, column, &requests[3]);
        if (rank % 2 == 1) MPI_Iallreduce(&own, &b, 1, MPI_INT, MPI_MAX, twin, &requests[1]);
        MPI_Iscan(&own, &e, 1, MPI_INT, MPI_SUM, reverse, &requests[4]);
        MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < size; ++i) {
            if (i / width == rank / width) sum_of_row += i + 1;
            if (i % width == rank % width) sum_of_column += i + 1;
            if (i >= rank) before += i + 1;
        }
        expect("world", a, size * (size + 1) / 2);
        expect("twin", b, size);
        expect("row", c, sum_of_row);
        expect("column", d, sum_of_column);
        expect("reverse", e, before);
        int told = rank == size - 1 ? 77 + round : 0;
        MPI_Bcast(&told, 1, MPI_INT, 0, reverse);
        expect("first of reverse", told, 77 + round);
    }
    MPI_Comm_free(&reverse);
    MPI_Comm_free(&column);
    MPI_Comm_free(&row);
    MPI_Comm_free(&twin);
    return end();
}
