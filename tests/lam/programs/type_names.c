/* np: 1 */
/* Names of types: those of the standard, one of the program's own, and none. */
#include <mpi.h>
#include <stdio.h>

static void show(MPI_Datatype type) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Type_get_name(type, name, &length);
    printf("0: '%s' %d\n", name, length);
}
int main(int argc, char** argv) {
    MPI_Datatype type, copy, all[] = {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_BYTE, MPI_PACKED, MPI_DOUBLE_INT, MPI_2INT, MPI_FLOAT_INT, MPI_LONG_INT,
                                      MPI_SHORT_INT, MPI_LONG_DOUBLE, MPI_UNSIGNED_LONG, MPI_INT64_T, MPI_C_BOOL, MPI_C_DOUBLE_COMPLEX, MPI_AINT,
                                      MPI_WCHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_FLOAT};
    MPI_Init(&argc, &argv);
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; ++i) show(all[i]);
    MPI_Type_contiguous(3, MPI_INT, &type);
    show(type);
    MPI_Type_set_name(type, "three ints");
    show(type);
    MPI_Type_dup(type, &copy);
    show(copy);
    MPI_Type_free(&copy);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
