/* np: 2 */
/* Generalized requests: their functions are called in order, by each kind of wait and test; statuses of Fortran. */
#include "comm_check.h"

static int query(void* state, MPI_Status* status) {
    say("query %d", *(int*)state);
    MPI_Status_set_elements(status, MPI_INT, 5);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 7;
    status->MPI_TAG = 8 + *(int*)state;
    return MPI_SUCCESS;
}
static int give_up(void* state) {
    say("free %d", *(int*)state);
    return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
    say("cancel %d %d", *(int*)state, complete);
    return MPI_SUCCESS;
}
static MPI_Request start(int* state) {
    MPI_Request request;
    MPI_Grequest_start(query, give_up, cancel, state, &request);
    return request;
}

int main(int argc, char** argv) {
    int one = 1, two = 2, flag, count, index;
    MPI_Fint words[32];
    MPI_Status status, all[3], copy;
    begin(&argc, &argv);

    MPI_Request request = start(&one);
    MPI_Test(&request, &flag, &status);
    say("%d", flag);
    MPI_Grequest_complete(request);
    MPI_Request_get_status(request, &flag, &status);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    say("%d of %d, tag %d, %d", count, status.MPI_SOURCE, status.MPI_TAG, request == MPI_REQUEST_NULL);

    request = start(&two);
    MPI_Cancel(&request);
    MPI_Grequest_complete(request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    request = start(&one);
    MPI_Grequest_complete(request);
    MPI_Request_free(&request);
    say("freed");

    MPI_Request several[3] = {start(&one), start(&two), MPI_REQUEST_NULL};
    MPI_Grequest_complete(several[1]);
    MPI_Waitany(3, several, &index, &status);
    MPI_Testall(3, several, &flag, all);
    say("%d: %d", index, flag);
    MPI_Grequest_complete(several[0]);
    MPI_Waitall(3, several, all);
    say("tag %d", all[0].MPI_TAG);

    MPI_Status_c2f(&all[0], words);
    MPI_Status_f2c(words, &copy);
    say("%d %d", copy.MPI_TAG, copy.MPI_SOURCE);
    say("%d", MPI_Type_f2c(MPI_Type_c2f(MPI_INT)) == MPI_INT && MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM &&
                  MPI_Group_f2c(MPI_Group_c2f(MPI_GROUP_EMPTY)) == MPI_GROUP_EMPTY &&
                  MPI_Request_f2c(MPI_Request_c2f(request)) == request && MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL)) == MPI_INFO_NULL &&
                  MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN &&
                  MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NULL)) == MPI_MESSAGE_NULL);
    return end();
}
