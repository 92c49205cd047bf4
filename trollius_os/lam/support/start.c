/* The beginning and end of MPI, and the questions about both. */
#include <stdio.h>
#include <string.h>

#include "lam_delivery.h"
#include "lam_logs.h"

bool lam_initialized, lam_finalized;

int lam_require_running(const char* function) {
    if (lam_initialized && !lam_finalized) return MPI_SUCCESS;
    return lam_fail_as(LAM_CALL_ORDER, NULL, MPI_COMM_WORLD, MPI_ERR_OTHER, function,
                    lam_finalized ? "it comes after MPI_Finalize()" : "it comes before MPI_Init()");
}

LAM_API(int, Init_thread, (int* argc, char*** argv, int required, int* provided)) {
    (void)argc, (void)argv;
    if (provided != NULL) *provided = required < MPI_THREAD_FUNNELED ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED;
    if (lam_initialized)
        return lam_fail_as(LAM_CALL_ORDER, NULL, MPI_COMM_WORLD, MPI_ERR_OTHER, lam_called.function,
                           "MPI is initialized already");
    int rank = 0, size = 1;
    if (lam_port_begin(&rank, &size) != 0) rank = 0, size = 1; /* a singleton, as the standard allows */
    lam_flow_begin(size);
    lam_rank = rank;
    lam_log_rank(rank, size);
    lam_types_begin();
    lam_operations_begin();
    lam_communicators_begin(rank, size);
    if (!lam_delivery_begin(size)) lam_port_abort(MPI_ERR_NO_MEM);
    lam_initialized = true;
    lam_port_note(LAM_NOTE_BEGUN, &lam_called, sizeof lam_called);
    return MPI_SUCCESS;
}
LAM_API(int, Init, (int* argc, char*** argv)) {
    int provided = 0;
    return lam_api_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}

LAM_API(int, Finalize, (void)) {
    const int error = lam_require_running("MPI_Finalize");
    if (error != MPI_SUCCESS) return error;
    lam_attributes_delete(MPI_COMM_SELF, &lam_comm(MPI_COMM_SELF)->attributes, LAM_COMM);
    lam_flush_buffered();
    lam_tell_leaks();
    /* Nobody leaves while another may still wait for an answer of his. */
    uint32_t nothing = 0;
    lam_private_maximum(&nothing, lam_world);
    if (lam_delivery) lam_delivery_end();
    lam_tell_kept();
    lam_finalized = true;
    lam_port_note(LAM_NOTE_ENDED, &lam_called, sizeof lam_called);
    lam_port_end();
    return MPI_SUCCESS;
}
LAM_API(int, Initialized, (int* flag)) {
    *flag = lam_initialized;
    return MPI_SUCCESS;
}
LAM_API(int, Finalized, (int* flag)) {
    *flag = lam_finalized;
    return MPI_SUCCESS;
}
LAM_API(int, Abort, (MPI_Comm comm, int errorcode)) {
    (void)comm;
    lam_record_flush();
    lam_port_abort(errorcode);
}
LAM_API(int, Query_thread, (int* provided)) {
    *provided = MPI_THREAD_FUNNELED;
    return lam_require_running("MPI_Query_thread");
}
LAM_API(int, Is_thread_main, (int* flag)) {
    *flag = 1;
    return lam_require_running("MPI_Is_thread_main");
}
LAM_API(int, Get_version, (int* version, int* subversion)) {
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}
LAM_API(int, Get_library_version, (char* version, int* resultlen)) {
    *resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Magicwire's MPI over Trollius");
    return MPI_SUCCESS;
}
LAM_API(int, Get_processor_name, (char* name, int* resultlen)) {
    const int error = lam_require_running("MPI_Get_processor_name");
    if (error != MPI_SUCCESS) return error;
    lam_port_name(name, MPI_MAX_PROCESSOR_NAME);
    *resultlen = (int)strlen(name);
    return MPI_SUCCESS;
}
LAM_API(double, Wtime, (void)) {
    return lam_port_time();
}
LAM_API(double, Wtick, (void)) {
    return lam_port_tick();
}
LAM_API(int, Pcontrol, (const int level, ...)) {
    (void)level;
    return MPI_SUCCESS;
}
