/* np: 4 */
/* Operations that do not block end while the program only tests: MPI_Test(), Testall(), Testany(), Testsome(), Waitany(). */
#include "coll_check.h"

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_test_loop");
    for (int round = 0; round < 10; ++round) {
        int own = rank + round, totals[4] = {0, 0, 0, 0}, flag = 0, index = 0, done = 0, indices[4];
        MPI_Request requests[4];
        MPI_Status status;
        for (int i = 0; i < 4; ++i)
            MPI_Iallreduce(&own, &totals[i], 1, MPI_INT, i % 2 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD, &requests[i]);
        switch (round % 5) {
            case 0:
                for (int i = 0; i < 4; ++i)
                    for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, &status);
                break;
            case 1:
                while (!flag) MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
                break;
            case 2:
                while (done < 4) {
                    MPI_Testany(4, requests, &index, &flag, &status);
                    done += flag && index != MPI_UNDEFINED;
                }
                break;
            case 3:
                while (done < 4) {
                    int count = 0;
                    MPI_Testsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);
                    done += count;
                }
                break;
            default:
                for (; done < 4; ++done) {
                    MPI_Waitany(4, requests, &index, &status);
                    expect("index", index >= 0 && index < 4, 1);
                }
                break;
        }
        for (int i = 0; i < 4; ++i) {
            expect("request", requests[i] == MPI_REQUEST_NULL, 1);
            expect("total", totals[i], i % 2 ? size * (size - 1) / 2 + size * round : size - 1 + round);
        }
    }
    return end();
}
