/* np: 4 */
/* Absolute addresses: types that begin at MPI_BOTTOM. */
#include "coll_check.h"

static int numbers[5];
static double weights[3];
static int gathered[MOST_RANKS];

int main(int argc, char** argv) {
    MPI_Datatype both, parts[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Aint places[2];
    MPI_Request request;
    int lengths[2] = {5, 3};
    start(&argc, &argv, "coll_bottom");
    MPI_Get_address(numbers, &places[0]);
    MPI_Get_address(weights, &places[1]);
    MPI_Type_create_struct(2, lengths, places, parts, &both);
    MPI_Type_commit(&both);
    for (int root = 0; root < size; ++root) {
        for (int i = 0; i < 5; ++i) numbers[i] = rank == root ? root * 10 + i : 0;
        for (int i = 0; i < 3; ++i) weights[i] = rank == root ? root + i * 0.5 : 0;
        if (root % 2 == 0) {
            MPI_Bcast(MPI_BOTTOM, 1, both, root, MPI_COMM_WORLD);
        } else {
            MPI_Ibcast(MPI_BOTTOM, 1, both, root, MPI_COMM_WORLD, &request);
            finish(&request);
        }
        for (int i = 0; i < 5; ++i) expect("number", numbers[i], root * 10 + i);
        for (int i = 0; i < 3; ++i) expect("weight", (long long)(weights[i] * 2), root * 2 + i);
    }
    MPI_Type_free(&both);
    MPI_Gather(&rank, 1, MPI_INT, gathered, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == 0; ++i) expect("gathered", gathered[i], i);
    return end();
}
