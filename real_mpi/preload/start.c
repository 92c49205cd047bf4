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
