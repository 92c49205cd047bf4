/* np: 2 */
/* Data packed by hand, sent as MPI_PACKED or received as their types; elements of a message that ends inside a type. */
#include <mpi.h>
#include <stdio.h>

struct particle {
    double place[2];
    int kind;
    char name[4];
};
int main(int argc, char** argv) {
    int rank, place = 0, size, more, count, elements, number = 7;
    char room[200];
    struct particle one = {{1.5, 2.5}, 3, "ab"}, got[3] = {{{0, 0}, 0, ""}};
    MPI_Aint at[3], base;
    int lengths[] = {2, 1, 4};
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR}, type, pair;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Address(&one, &base);
    MPI_Get_address(&one.place, &at[0]);
    MPI_Address(&one.kind, &at[1]);
    MPI_Get_address(&one.name, &at[2]);
    for (int i = 0; i < 3; ++i) at[i] -= base;
    MPI_Type_create_struct(3, lengths, at, types, &type);
    MPI_Type_commit(&type);
    MPI_Pack_size(2, type, MPI_COMM_WORLD, &size);
    MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &more);
    printf("%d: room %d %d\n", rank, size >= 2 * 24 && size <= 200, more >= 4);
    if (rank == 0) {
        MPI_Pack(&number, 1, MPI_INT, room, sizeof room, &place, MPI_COMM_WORLD);
        MPI_Pack(&one, 1, type, room, sizeof room, &place, MPI_COMM_WORLD);
        MPI_Send(room, place, MPI_PACKED, 1, 1, MPI_COMM_WORLD);
        one.kind = 9;
        place = 0;
        MPI_Pack(&one, 1, type, room, sizeof room, &place, MPI_COMM_WORLD);
        MPI_Send(room, place, MPI_PACKED, 1, 2, MPI_COMM_WORLD);
        double three[] = {1, 2, 3};
        MPI_Send(three, 3, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(room, sizeof room, MPI_PACKED, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_PACKED, &count);
        number = 0;
        MPI_Unpack(room, count, &place, &number, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Unpack(room, count, &place, &got[0], 1, type, MPI_COMM_WORLD);
        printf("1: %d, %g %g %d %s, %d\n", number, got[0].place[0], got[0].place[1], got[0].kind, got[0].name, place == count);
        MPI_Recv(&got[1], 2, type, 0, 2, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, type, &count);
        MPI_Get_elements(&status, type, &elements);
        printf("1: %d %s, count %d, elements %d\n", got[1].kind, got[1].name, count, elements);
        MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
        MPI_Type_commit(&pair);
        double four[4] = {0};
        MPI_Recv(four, 2, pair, 0, 3, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, pair, &count);
        MPI_Get_elements(&status, pair, &elements);
        printf("1: %g, undefined %d, elements %d\n", four[2], count == MPI_UNDEFINED, elements);
        MPI_Type_free(&pair);
    }
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
