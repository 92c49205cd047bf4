/* np: 2 */
/* Wrong arguments of the functions of infos and memory. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Info info;
    static char key[MPI_MAX_INFO_KEY + 10], value[MPI_MAX_INFO_VAL + 10], room[MPI_MAX_INFO_VAL + 10];
    int flag, length;
    void* memory;
    begin(&argc, &argv);
    memset(key, 'k', sizeof key - 1);
    memset(value, 'v', sizeof value - 1);
    MPI_Info_create(&info);
    TRY(MPI_Info_set(info, key, "x"));
    TRY(MPI_Info_set(info, "x", value));
    TRY(MPI_Info_set(info, "", "x"));
    TRY(MPI_Info_set(info, "x", ""));
    TRY(MPI_Info_get(info, "x", 10, room, &flag));
    say("%d '%s'", flag, room);
    TRY(MPI_Info_delete(info, "no such key"));
    TRY(MPI_Info_get(info, key, 10, room, &flag));
    TRY(MPI_Info_get(info, "x", -1, room, &flag));
    TRY(MPI_Info_get_valuelen(info, "", &length, &flag));
    TRY(MPI_Info_get_nthkey(info, 1, room));
    TRY(MPI_Info_get_nthkey(info, -1, room));
    TRY(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory));
    key[MPI_MAX_INFO_KEY - 1] = value[MPI_MAX_INFO_VAL - 1] = '\0';
    TRY(MPI_Info_set(info, key, value));
    TRY(MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, room, &flag));
    say("%d %d", flag, strcmp(room, value));
    MPI_Info_free(&info);
    return end();
}
