/* np: 4 */
/* Sizes, ranks, names, parents, and numbers for Fortran. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm half, parent, self;
    char name[MPI_MAX_OBJECT_NAME], longer[2 * MPI_MAX_OBJECT_NAME];
    int length, flag, its_size;
    begin(&argc, &argv);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    say("%s %d", name, length);
    MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
    say("%s %d", name, length);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_get_name(half, name, &length);
    say("'%s' %d", name, length);
    MPI_Comm_set_name(half, rank % 2 ? "odd ones" : "even ones");
    MPI_Comm_get_name(half, name, &length);
    say("'%s' %d", name, length);
    MPI_Comm_dup(half, &self);
    MPI_Comm_get_name(self, name, &length);
    say("of the copy '%s' %d", name, length);
    MPI_Comm_free(&self);
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    MPI_Comm_set_name(half, longer);
    MPI_Comm_get_name(half, name, &length);
    say("%d %d", length == (int)strlen(name), length < MPI_MAX_OBJECT_NAME);
    MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    say("%s", name);
    MPI_Comm_set_name(MPI_COMM_WORLD, "");
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    say("'%s'", name);
    MPI_Comm_test_inter(half, &flag);
    MPI_Comm_size(half, &its_size);
    say("inter %d, size %d", flag, its_size);
    MPI_Comm_get_parent(&parent);
    say("parent %d", parent == MPI_COMM_NULL);
    MPI_Comm_size(MPI_COMM_SELF, &its_size);
    say("self %d", its_size);
    say("Fortran %d %d %d", MPI_Comm_f2c(MPI_Comm_c2f(half)) == half,
        MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD,
        MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)) == MPI_COMM_NULL);
    MPI_Comm_free(&half);
    say("null %d", half == MPI_COMM_NULL);
    return end();
}
