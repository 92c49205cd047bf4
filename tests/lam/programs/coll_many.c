/* np: 6 */
/* Many operations under way on one communicator at once, waited for in another order than they began. */
#include "coll_check.h"

enum { MANY = 40, EACH = 8 };

int main(int argc, char** argv) {
    static int out[MANY][EACH * MOST_RANKS], in[MANY][EACH * MOST_RANKS];
    MPI_Request requests[MANY];
    start(&argc, &argv, "coll_many");
    for (int i = 0; i < MANY; ++i) {
        const int root = i * 5 % size;
        for (int j = 0; j < EACH * size; ++j) out[i][j] = rank * 1000 + i * 10 + j;
        switch (i % 8) {
            case 0:
                MPI_Ibcast(rank == root ? out[i] : in[i], EACH, MPI_INT, root, MPI_COMM_WORLD, &requests[i]);
                break;
            case 1:
                MPI_Iallreduce(out[i], in[i], EACH, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
                break;
            case 2:
                MPI_Igather(out[i], EACH, MPI_INT, in[i], EACH, MPI_INT, root, MPI_COMM_WORLD, &requests[i]);
                break;
            case 3:
                MPI_Ialltoall(out[i], EACH, MPI_INT, in[i], EACH, MPI_INT, MPI_COMM_WORLD, &requests[i]);
                break;
            case 4:
                MPI_Ibarrier(MPI_COMM_WORLD, &requests[i]);
                break;
            case 5:
                MPI_Iscan(out[i], in[i], EACH, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
                break;
            case 6:
                MPI_Iallgather(out[i], EACH, MPI_INT, in[i], EACH, MPI_INT, MPI_COMM_WORLD, &requests[i]);
                break;
            default:
                MPI_Iscatter(out[i], EACH, MPI_INT, in[i], EACH, MPI_INT, root, MPI_COMM_WORLD, &requests[i]);
                break;
        }
    }
    for (int i = MANY - 1; i >= MANY / 2; --i) finish(&requests[(i * 7 + rank) % (MANY / 2) + MANY / 2]);
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; ++i) {
        const int root = i * 5 % size;
        for (int j = 0; j < EACH * size; ++j) {
            const int from = j / EACH, k = j % EACH;
            const int base = size * (size - 1) / 2 * 1000 + size * (i * 10 + j);
            switch (i % 8) {
                case 0:
                    if (rank != root && j < EACH) expect("bcast", in[i][j], root * 1000 + i * 10 + j);
                    break;
                case 1:
                    if (j < EACH) expect("allreduce", in[i][j], base);
                    break;
                case 2:
                    if (rank == root) expect("gather", in[i][j], from * 1000 + i * 10 + k);
                    break;
                case 3:
                    expect("alltoall", in[i][j], from * 1000 + i * 10 + rank * EACH + k);
                    break;
                case 5:
                    if (j < EACH) expect("scan", in[i][j], rank * (rank + 1) / 2 * 1000 + (rank + 1) * (i * 10 + j));
                    break;
                case 6:
                    expect("allgather", in[i][j], from * 1000 + i * 10 + k);
                    break;
                case 7:
                    if (j < EACH) expect("scatter", in[i][j], root * 1000 + i * 10 + rank * EACH + j);
                    break;
                default:
                    break;
            }
        }
    }
    return end();
}
