/* The beginning and the end of a rank. What the library does not follow, it notes. */
#include <stdlib.h>

#include "recorder.h"

static void begin(void) {
    const char* folder = getenv(REAL_FOLDER_VARIABLE);
    if (folder == NULL || real_on) return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &real_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &real_size);
    if (!real_file_begin(folder, real_rank, real_size)) return;
    real_script_begin(folder, real_rank);
    real_on = true;
    real_comms_begin();
    int provided = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&provided);
    if (provided == MPI_THREAD_MULTIPLE) real_unseen(REAL_THREADS);
}
API int MPI_Init(int* argc, char*** argv) {
    const int error = PMPI_Init(argc, argv);
    if (error == MPI_SUCCESS) begin();
    return error;
}
API int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    const int error = PMPI_Init_thread(argc, argv, required, provided);
    if (error == MPI_SUCCESS) begin();
    return error;
}

/* Functions of attributes may still send in PMPI_Finalize(), and are not recorded. */
API int MPI_Finalize(void) {
    if (real_on) {
        real_script_end();
        real_done(real_put(), REAL_FINALIZE);
        real_on = false;
        if (real_replay) PMPI_Comm_free(&real_nobody);
        real_file_end();
    }
    return PMPI_Finalize();
}
API int MPI_Abort(MPI_Comm comm, int code) {
    if (real_on) {
        struct real_record* its = real_put();
        its->number = (uint32_t)code;
        real_done(its, REAL_ABORT);
    }
    return PMPI_Abort(comm, code);
}

#define UNSEEN(name, what, parameters, arguments) \
    API int MPI_##name parameters {               \
        real_unseen(what);                        \
        return PMPI_##name arguments;             \
    }
UNSEEN(Win_create, REAL_ONE_SIDED, (void* at, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win),
       (at, bytes, unit, info, comm, win))
UNSEEN(Win_allocate, REAL_ONE_SIDED, (MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* at, MPI_Win* win),
       (bytes, unit, info, comm, at, win))
UNSEEN(Win_allocate_shared, REAL_ONE_SIDED, (MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* at, MPI_Win* win),
       (bytes, unit, info, comm, at, win))
UNSEEN(Win_create_dynamic, REAL_ONE_SIDED, (MPI_Info info, MPI_Comm comm, MPI_Win* win), (info, comm, win))
UNSEEN(File_open, REAL_FILES, (MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file),
       (comm, name, mode, info, file))
UNSEEN(Comm_spawn, REAL_PROCESSES,
       (const char* command, char* argv[], int most, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made, int codes[]),
       (command, argv, most, info, root, comm, made, codes))
UNSEEN(Comm_accept, REAL_PROCESSES, (const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made),
       (port, info, root, comm, made))
UNSEEN(Comm_connect, REAL_PROCESSES, (const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made),
       (port, info, root, comm, made))
UNSEEN(Comm_join, REAL_PROCESSES, (int socket, MPI_Comm* made), (socket, made))
UNSEEN(Neighbor_allgather, REAL_NEIGHBOURS,
       (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count, MPI_Datatype to_type, MPI_Comm comm),
       (from, from_count, from_type, to, to_count, to_type, comm))
UNSEEN(Neighbor_alltoall, REAL_NEIGHBOURS,
       (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count, MPI_Datatype to_type, MPI_Comm comm),
       (from, from_count, from_type, to, to_count, to_type, comm))
