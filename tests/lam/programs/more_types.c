/* np: 1 */
/* Types of Fortran, types by what they hold, large counts, external32, and the constants that programs print. */
#include "comm_check.h"

static void show_matches(void) {
    static const int sizes[3][5] = {{4, 8, 16}, {1, 2, 4, 8}, {8, 16, 32}};
    static const int classes[] = {MPI_TYPECLASS_REAL, MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_COMPLEX};
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Datatype type;
    int length, size;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; sizes[i][k] != 0; ++k) {
            MPI_Type_match_size(classes[i], sizes[i][k], &type);
            MPI_Type_get_name(type, name, &length);
            MPI_Type_size(type, &size);
            say("%s %d", name, size);
        }
    }
    say("%s", class_name(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type)));
}

static void tell_type(const char* what, MPI_Datatype type, MPI_Datatype again) {
    int integers, addresses, parts, combiner, size, values[2] = {0, 0};
    MPI_Type_size(type, &size);
    MPI_Type_get_envelope(type, &integers, &addresses, &parts, &combiner);
    MPI_Type_get_contents(type, integers, 0, 0, values, NULL, NULL);
    say("%s: %d bytes, same %d, %d %d %d, combiner %d, %d %d", what, size, type == again, integers, addresses, parts,
        combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER, values[0],
        values[1]);
}
static void show_numbers(void) {
    static const int wanted[][2] = {{3, 3}, {6, 37}, {7, 30}, {15, 300}, {MPI_UNDEFINED, 100}, {10, MPI_UNDEFINED}};
    MPI_Datatype type, again;
    for (int i = 0; i < 6; ++i) {
        MPI_Type_create_f90_real(wanted[i][0], wanted[i][1], &type);
        MPI_Type_create_f90_real(wanted[i][0], wanted[i][1], &again);
        tell_type("real", type, again);
        MPI_Type_create_f90_complex(wanted[i][0], wanted[i][1], &type);
        tell_type("complex", type, again);
    }
    for (int range = 1; range < 19; range += 3) {
        MPI_Type_create_f90_integer(range, &type);
        MPI_Type_create_f90_integer(range, &again);
        tell_type("integer", type, again);
    }
}

static void show_large(void) {
    MPI_Count size, lb, extent;
    MPI_Datatype row, matrix;
    MPI_Status status;
    int small;
    MPI_Type_contiguous(1 << 20, MPI_DOUBLE, &row);
    MPI_Type_contiguous(1 << 12, row, &matrix);
    MPI_Type_size_x(matrix, &size);
    MPI_Type_size(matrix, &small);
    MPI_Type_get_extent_x(matrix, &lb, &extent);
    say("%lld %d %lld %lld", (long long)size, small == MPI_UNDEFINED, (long long)lb, (long long)extent);
    MPI_Type_get_true_extent_x(MPI_DOUBLE_INT, &lb, &extent);
    say("%lld %lld", (long long)lb, (long long)extent);
    MPI_Status_set_elements_x(&status, MPI_INT, 12);
    MPI_Get_elements_x(&status, MPI_INT, &size);
    say("%lld %d", (long long)size, (int)MPI_Aint_diff(MPI_Aint_add(100, 20), 50));
    MPI_Type_free(&row);
    MPI_Type_free(&matrix);
}

static void show_bytes(const unsigned char* row, MPI_Aint count) {
    char line[400];
    int at = 0;
    for (int i = 0; i < count; ++i) at += sprintf(line + at, " %02x", row[i]);
    say("%d bytes:%s", (int)count, line);
}
static void show_external(void) {
    static const MPI_Datatype all[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_LONG_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_INT8_T, MPI_C_DOUBLE_COMPLEX};
    unsigned char row[200];
    int numbers[2] = {1, -2};
    double real = -2.5;
    short shorts[6] = {1, 2, 258, 4, -5, 6}, others[6] = {0};
    long long wide = -3;
    MPI_Aint at = 0, size;
    MPI_Datatype vector;
    MPI_Type_vector(3, 1, 2, MPI_SHORT, &vector);
    MPI_Type_commit(&vector);
    MPI_Pack_external("external32", numbers, 2, MPI_INT, row, sizeof row, &at);
    MPI_Pack_external("external32", &real, 1, MPI_DOUBLE, row, sizeof row, &at);
    MPI_Pack_external("external32", shorts, 1, vector, row, sizeof row, &at);
    MPI_Pack_external("external32", &wide, 1, MPI_LONG_LONG, row, sizeof row, &at);
    show_bytes(row, at);
    numbers[0] = numbers[1] = 0, real = 0, wide = 0, at = 0;
    MPI_Unpack_external("external32", row, sizeof row, &at, numbers, 2, MPI_INT);
    MPI_Unpack_external("external32", row, sizeof row, &at, &real, 1, MPI_DOUBLE);
    MPI_Unpack_external("external32", row, sizeof row, &at, others, 1, vector);
    MPI_Unpack_external("external32", row, sizeof row, &at, &wide, 1, MPI_LONG_LONG);
    say("%d %d %g %d %d %d %d %lld", numbers[0], numbers[1], real, others[0], others[1], others[2], others[4], wide);
    for (int i = 0; i < 8; ++i) {
        MPI_Pack_external_size("external32", 3, all[i], &size);
        say("%d", (int)size);
    }
    MPI_Type_free(&vector);
}

static void show_fortran(void) {
    int numbers[2] = {3, 4}, sums[2], yes = 1, both;
    double real = 1.5, most;
    MPI_Allreduce(numbers, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&real, &most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&yes, &both, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD);
    say("%d %d %g %d", sums[0], sums[1], most, both);
    say("%d %d %d %d %d", MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ROOT, MPI_UNDEFINED);
    say("%d %d %d %d", MPI_ERR_TRUNCATE, MPI_ERR_KEYVAL, MPI_ERR_INFO, MPI_ERR_NO_MEM);
    say("%d %d %d %d", MPI_SIMILAR, MPI_CART, MPI_DIST_GRAPH, MPI_THREAD_MULTIPLE);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    show_matches();
    show_numbers();
    show_large();
    show_external();
    show_fortran();
    return end();
}
