/* np: 2 */
/* Infos: keys, values, order, copies; and infos of communicators. */
#include "comm_check.h"

static void list(const char* text, MPI_Info info) {
    int count, length, flag;
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    MPI_Info_get_nkeys(info, &count);
    say("%s: %d keys", text, count);
    for (int i = 0; i < count; ++i) {
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get_valuelen(info, key, &length, &flag);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
        say("  %s = '%s' (%d)", key, value, length);
    }
}

int main(int argc, char** argv) {
    MPI_Info info, copy, used;
    MPI_Comm made, twin;
    char value[MPI_MAX_INFO_VAL + 1];
    int flag, length = 77;
    begin(&argc, &argv);
    MPI_Info_create(&info);
    list("new", info);
    MPI_Info_set(info, "one", "1");
    MPI_Info_set(info, "two", "zwei");
    MPI_Info_set(info, "a longer key with spaces", "a longer value");
    list("three", info);
    MPI_Info_set(info, "one", "eins");
    list("one is new", info);
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "two");
    list("without two", info);
    MPI_Info_set(info, "two", "again");
    list("with two", info);
    list("copy", copy);
    MPI_Info_get(info, "three", 10, value, &flag);
    say("three: %d", flag);
    MPI_Info_get_valuelen(info, "three", &length, &flag);
    say("three: %d", flag);
    strcpy(value, "xxxxxxxxxx");
    MPI_Info_get(info, "a longer key with spaces", 5, value, &flag);
    say("part: %d '%s'", flag, value);
    MPI_Info_get(info, "ONE", 10, value, &flag);
    say("ONE: %d", flag);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made);
    say("sum %d", sum_of(made));
    MPI_Comm_set_info(made, copy);
    MPI_Comm_get_info(made, &used);
    say("used %d", used != MPI_INFO_NULL);
    MPI_Info_free(&used);
    MPI_Comm_dup(made, &twin);
    MPI_Comm_free(&made);
    MPI_Comm_get_info(twin, &used);
    MPI_Info_free(&used);
    MPI_Comm_free(&twin);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made);
    say("sum %d", sum_of(made));
    MPI_Comm_free(&made);
    MPI_Info_free(&info);
    say("null %d", info == MPI_INFO_NULL);
    list("copy", copy);
    MPI_Info_free(&copy);
    MPI_Info_get(MPI_INFO_ENV, "no such key", 10, value, &flag);
    say("%d", flag);
    return end();
}
