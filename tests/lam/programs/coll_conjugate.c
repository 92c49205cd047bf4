/* np: 4 */
/* Conjugate gradients for the matrix with 2 on the diagonal and -1 beside it, in numbers that are exact: dot products by
 * MPI_Allreduce(), the vector by MPI_Allgatherv(). */
#include "coll_check.h"

enum { LENGTH = 24 };

static long long dot(const long long* a, const long long* b, int n) {
    long long own = 0, all = 0;
    for (int i = 0; i < n; ++i) own += a[i] * b[i];
    MPI_Allreduce(&own, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char** argv) {
    long long vector[LENGTH], own[LENGTH], product[LENGTH];
    int counts[MOST_RANKS], places[MOST_RANKS], at = 0;
    start(&argc, &argv, "coll_conjugate");
    for (int i = 0; i < size; ++i) {
        places[i] = at;
        counts[i] = LENGTH / size + (i < LENGTH % size);
        at += counts[i];
    }
    const int n = counts[rank], first = places[rank];
    for (int i = 0; i < n; ++i) own[i] = first + i + 1;
    for (int round = 0; round < 6; ++round) {
        MPI_Request request;
        if (round % 2 == 0) {
            MPI_Allgatherv(own, n, MPI_LONG_LONG, vector, counts, places, MPI_LONG_LONG, MPI_COMM_WORLD);
        } else {
            MPI_Iallgatherv(own, n, MPI_LONG_LONG, vector, counts, places, MPI_LONG_LONG, MPI_COMM_WORLD, &request);
            finish(&request);
        }
        for (int i = 0; i < n; ++i) {
            const int j = first + i;
            product[i] = 2 * vector[j] - (j > 0 ? vector[j - 1] : 0) - (j + 1 < LENGTH ? vector[j + 1] : 0);
        }
        const long long square = dot(own, own, n), energy = dot(own, product, n);
        long long wanted = 0, other = 0;
        for (int i = 0; i < LENGTH; ++i) {
            const long long row = 2 * vector[i] - (i > 0 ? vector[i - 1] : 0) - (i + 1 < LENGTH ? vector[i + 1] : 0);
            wanted += vector[i] * vector[i];
            other += vector[i] * row;
        }
        expect("square", square, wanted);
        expect("energy", energy, other);
        for (int i = 0; i < n; ++i) own[i] = (own[i] * 3 + product[i]) % 1009;
    }
    return end();
}
