/* np: 1 */
/* MPI_Dims_create(): factors near each other, descending; with some given. */
#include "comm_check.h"

static void show_dims(int nodes, int count, int* dims) {
    char line[200] = "";
    const int code = MPI_Dims_create(nodes, count, dims);
    if (code == MPI_SUCCESS)
        for (int i = 0; i < count; ++i) snprintf(line + strlen(line), sizeof line - strlen(line), " %d", dims[i]);
    say("%d:%s %s", nodes, line, class_name(code));
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    for (int nodes = 1; nodes <= 360; ++nodes) {
        char line[300] = "";
        for (int count = 1; count <= 5; ++count) {
            int dims[5] = {0, 0, 0, 0, 0};
            MPI_Dims_create(nodes, count, dims);
            strcat(line, count == 1 ? "" : ",");
            for (int i = 0; i < count; ++i) snprintf(line + strlen(line), sizeof line - strlen(line), " %d", dims[i]);
        }
        say("%d:%s", nodes, line);
    }
    static const int larger[] = {512, 1000, 1008, 1024, 1800, 2048, 2160, 4096, 5040, 7919, 8192, 65536, 1000000};
    for (int i = 0; i < (int)(sizeof larger / sizeof larger[0]); ++i)
        for (int count = 2; count <= 4; ++count) show_dims(larger[i], count, (int[]){0, 0, 0, 0});
    show_dims(24, 3, (int[]){0, 3, 0});
    show_dims(24, 3, (int[]){2, 0, 0});
    show_dims(24, 3, (int[]){0, 0, 24});
    show_dims(24, 2, (int[]){4, 6});
    show_dims(60, 4, (int[]){0, 5, 0, 2});
    show_dims(24, 3, (int[]){0, 5, 0});
    show_dims(24, 2, (int[]){4, 5});
    show_dims(24, 2, (int[]){-1, 0});
    show_dims(1, 3, (int[]){0, 1, 0});
    return end();
}
