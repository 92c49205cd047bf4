/* np: 4 */
/* Bodies go around a ring while forces are summed. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { own_bodies = 5 };
struct body {
    double x, y, mass;
};
int main(int argc, char** argv) {
    int rank, size;
    struct body own[own_bodies], guests[own_bodies], coming[own_bodies];
    double force[own_bodies][2], speed[own_bodies][2] = {{0}};
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(3, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < own_bodies; ++i) own[i] = (struct body){rank + 0.3 * i, (i * i + rank) % 5, 1 + i % 3};
    for (int step = 0; step < 10; ++step) {
        memset(force, 0, sizeof force);
        memcpy(guests, own, sizeof own);
        for (int round = 0; round < size; ++round) {
            MPI_Request requests[2];
            MPI_Irecv(coming, own_bodies, type, (rank + size - 1) % size, step, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(guests, own_bodies, type, (rank + 1) % size, step, MPI_COMM_WORLD, &requests[1]);
            for (int i = 0; i < own_bodies; ++i)
                for (int k = 0; k < own_bodies; ++k) {
                    const double dx = guests[k].x - own[i].x, dy = guests[k].y - own[i].y, d = dx * dx + dy * dy + 0.1;
                    force[i][0] += guests[k].mass * dx / (d * sqrt(d));
                    force[i][1] += guests[k].mass * dy / (d * sqrt(d));
                }
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            memcpy(guests, coming, sizeof guests);
        }
        for (int i = 0; i < own_bodies; ++i) {
            for (int k = 0; k < 2; ++k) speed[i][k] += 0.01 * force[i][k];
            own[i].x += 0.01 * speed[i][0];
            own[i].y += 0.01 * speed[i][1];
        }
    }
    for (int i = 0; i < own_bodies; ++i) printf("%d: %.9f %.9f\n", rank, own[i].x, own[i].y);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
