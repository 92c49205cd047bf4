/* Shared by the programs about groups, communicators, topologies, errors, attributes and infos. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void begin(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}
static int end(void) {
    MPI_Finalize();
    return 0;
}

/* Each line leaves as a whole: the lines of several ranks go into one file. */
static void say(const char* format, ...) {
    char line[900];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    printf("%d: %s\n", rank, line);
    fflush(stdout);
}

/* The numbers of the classes are not those of each MPI. */
static const char* class_name(int code) {
    static char number[32];
    int class = MPI_ERR_UNKNOWN;
    MPI_Error_class(code, &class);
#define CLASS(name) \
    if (class == name) return #name;
    CLASS(MPI_SUCCESS)
    CLASS(MPI_ERR_BUFFER)
    CLASS(MPI_ERR_COUNT)
    CLASS(MPI_ERR_TYPE)
    CLASS(MPI_ERR_TAG)
    CLASS(MPI_ERR_COMM)
    CLASS(MPI_ERR_RANK)
    CLASS(MPI_ERR_ROOT)
    CLASS(MPI_ERR_GROUP)
    CLASS(MPI_ERR_OP)
    CLASS(MPI_ERR_TOPOLOGY)
    CLASS(MPI_ERR_DIMS)
    CLASS(MPI_ERR_ARG)
    CLASS(MPI_ERR_UNKNOWN)
    CLASS(MPI_ERR_TRUNCATE)
    CLASS(MPI_ERR_OTHER)
    CLASS(MPI_ERR_INTERN)
    CLASS(MPI_ERR_REQUEST)
    CLASS(MPI_ERR_KEYVAL)
    CLASS(MPI_ERR_NO_MEM)
    CLASS(MPI_ERR_INFO)
    CLASS(MPI_ERR_INFO_KEY)
    CLASS(MPI_ERR_INFO_VALUE)
    CLASS(MPI_ERR_INFO_NOKEY)
    snprintf(number, sizeof number, "class %d", class);
    return number;
}
static void show(const char* call, int code) {
    say("%s: %s", call, class_name(code));
}
#define TRY(call) show(#call, call)

static const char* result_name(int result) {
    return result == MPI_IDENT       ? "identical"
           : result == MPI_CONGRUENT ? "congruent"
           : result == MPI_SIMILAR   ? "similar"
           : result == MPI_UNEQUAL   ? "unequal"
                                     : "?";
}

/* The ranks in MPI_COMM_WORLD of the members. */
static void show_group(const char* text, MPI_Group group) {
    MPI_Group world;
    int count, own;
    char line[600] = "";
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(group, &count);
    MPI_Group_rank(group, &own);
    for (int i = 0; i < count; ++i) {
        int its;
        MPI_Group_translate_ranks(group, 1, &i, world, &its);
        snprintf(line + strlen(line), sizeof line - strlen(line), " %d", its);
    }
    if (own == MPI_UNDEFINED)
        say("%s: not in%s", text, line);
    else
        say("%s: rank %d of%s", text, own, line);
    MPI_Group_free(&world);
}
static void show_comm(const char* text, MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) {
        say("%s: MPI_COMM_NULL", text);
        return;
    }
    MPI_Group group;
    int inter, own;
    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_rank(comm, &own);
    MPI_Comm_group(comm, &group);
    show_group(text, group);
    MPI_Group_free(&group);
    if (!inter) return;
    MPI_Comm_remote_group(comm, &group);
    show_group("  other side", group);
    MPI_Group_free(&group);
}

/* Everyone learns the sum of the world ranks of an intra-communicator, by messages of that communicator alone. */
static int sum_of(MPI_Comm comm) {
    int own, count, sum = rank, other;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &count);
    if (own != 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 7, comm);
        MPI_Recv(&sum, 1, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
        return sum;
    }
    for (int i = 1; i < count; ++i) {
        MPI_Recv(&other, 1, MPI_INT, i, 7, comm, MPI_STATUS_IGNORE);
        sum += other;
    }
    for (int i = 1; i < count; ++i) MPI_Send(&sum, 1, MPI_INT, i, 7, comm);
    return sum;
}

static unsigned seed = 12345;
static int pick(int below) {
    seed = seed * 1103515245u + 12345u;
    return (int)((seed >> 16) % (unsigned)below);
}
