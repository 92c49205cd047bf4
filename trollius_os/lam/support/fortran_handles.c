/* Handles and statuses as Fortran has them: the same numbers. */
#include <string.h>

#include "lam.h"

#define CONVERTS(name, type)                              \
    LAM_API(MPI_Fint, name##_c2f, (type handle)) {        \
        return handle;                                    \
    }                                                     \
    LAM_API(type, name##_f2c, (MPI_Fint handle)) {        \
        return handle;                                    \
    }
CONVERTS(Comm, MPI_Comm)
CONVERTS(Type, MPI_Datatype)
CONVERTS(Group, MPI_Group)
CONVERTS(Request, MPI_Request)
CONVERTS(Op, MPI_Op)
CONVERTS(Info, MPI_Info)
CONVERTS(Errhandler, MPI_Errhandler)
CONVERTS(Message, MPI_Message)

LAM_API(int, Status_c2f, (const MPI_Status* c_status, MPI_Fint* f_status)) {
    if (c_status == NULL || c_status == MPI_STATUS_IGNORE || f_status == NULL)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, "MPI_Status_c2f", "a status is null or MPI_STATUS_IGNORE");
    memcpy(f_status, c_status, sizeof *c_status);
    return MPI_SUCCESS;
}
LAM_API(int, Status_f2c, (const MPI_Fint* f_status, MPI_Status* c_status)) {
    if (f_status == NULL || f_status == MPI_F_STATUS_IGNORE || c_status == NULL)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, "MPI_Status_f2c", "a status is null or MPI_F_STATUS_IGNORE");
    memcpy(c_status, f_status, sizeof *c_status);
    return MPI_SUCCESS;
}
