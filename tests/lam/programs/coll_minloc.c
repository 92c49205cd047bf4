/* np: 6 */
/* MPI_MINLOC and MPI_MAXLOC on each pair type; of equal values the lowest index counts. */
#include "coll_check.h"

#define CHECK(c_type, pair_type)                                                           \
    {                                                                                      \
        struct {                                                                           \
            c_type value;                                                                  \
            int at;                                                                        \
        } own[4], least[4], most[4];                                                       \
        memset(own, 0, sizeof own);                                                        \
        for (int i = 0; i < 4; ++i) {                                                      \
            own[i].value = (c_type)((rank * 5 + i * 2) % 4);                               \
            own[i].at = rank + 10;                                                         \
        }                                                                                  \
        MPI_Allreduce(own, least, 4, pair_type, MPI_MINLOC, MPI_COMM_WORLD);               \
        MPI_Allreduce(own, most, 4, pair_type, MPI_MAXLOC, MPI_COMM_WORLD);                \
        for (int i = 0; i < 4; ++i) {                                                      \
            int low = 0, high = 0;                                                         \
            for (int from = 1; from < size; ++from) {                                      \
                if ((from * 5 + i * 2) % 4 < (low * 5 + i * 2) % 4) low = from;            \
                if ((from * 5 + i * 2) % 4 > (high * 5 + i * 2) % 4) high = from;          \
            }                                                                              \
            expect(#pair_type " least", (long long)least[i].value, (low * 5 + i * 2) % 4); \
            expect(#pair_type " place of least", least[i].at, low + 10);                   \
            expect(#pair_type " most", (long long)most[i].value, (high * 5 + i * 2) % 4);  \
            expect(#pair_type " place of most", most[i].at, high + 10);                    \
        }                                                                                  \
    }

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_minloc");
    CHECK(int, MPI_2INT)
    CHECK(float, MPI_FLOAT_INT)
    CHECK(double, MPI_DOUBLE_INT)
    CHECK(long, MPI_LONG_INT)
    CHECK(short, MPI_SHORT_INT)
    CHECK(long double, MPI_LONG_DOUBLE_INT)
    return end();
}
