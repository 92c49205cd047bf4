/* Functions that the recorder does not follow. The first call of each kind is noted, so that nothing that rests on the whole run
 * is called certain. No signature is needed: a stub keeps the registers of the arguments and goes on in PMPI_. MPI passes no
 * floating-point number. A function that the MPI at hand lacks is never called, and its PMPI_ name never looked up. */
#include "recorder.h"

#ifndef __x86_64__
#error "the stubs of functions that are not followed are for x86-64"
#endif

/* Six registers and the return address leave the stack at 8 modulo 16; a call needs 0. */
#define UNSEEN(name, what)                                                                                             \
    __asm__(".text\n.globl MPI_" #name "\n.type MPI_" #name ", @function\nMPI_" #name ":\n"                           \
            "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\nsub $8, %rsp\n"                           \
            "mov $" #what ", %edi\ncall real_note_unseen\n"                                                            \
            "add $8, %rsp\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n"                                 \
            "jmp PMPI_" #name "@PLT\n.size MPI_" #name ", . - MPI_" #name "\n");

enum { one_sided = 1, files, processes, neighbours, of_mpi_4 = 8 };
_Static_assert(one_sided == (int)REAL_ONE_SIDED && files == (int)REAL_FILES && processes == (int)REAL_PROCESSES, "numbers below");
_Static_assert(neighbours == (int)REAL_NEIGHBOURS && of_mpi_4 == (int)REAL_MPI_4, "numbers below");

__attribute__((used)) void real_note_unseen(int what) {
    real_unseen((enum real_unseen)what);
}

UNSEEN(Win_create, 1)
UNSEEN(Win_allocate, 1)
UNSEEN(Win_allocate_shared, 1)
UNSEEN(Win_create_dynamic, 1)
UNSEEN(File_open, 2)
UNSEEN(Comm_spawn, 3)
UNSEEN(Comm_spawn_multiple, 3)
UNSEEN(Comm_accept, 3)
UNSEEN(Comm_connect, 3)
UNSEEN(Comm_join, 3)

/* Neighbours' operations: blocking, begun, and of MPI-4 prepared or with large counts. */
#define PREPARED(name) UNSEEN(name##_init, 8) UNSEEN(name##_c, 8) UNSEEN(name##_init_c, 8)
#define NEIGHBOURS(name)            \
    UNSEEN(Neighbor_##name, 4)      \
    UNSEEN(Ineighbor_##name, 4)     \
    UNSEEN(Ineighbor_##name##_c, 8) \
    PREPARED(Neighbor_##name)
NEIGHBOURS(allgather)
NEIGHBOURS(allgatherv)
NEIGHBOURS(alltoall)
NEIGHBOURS(alltoallv)
NEIGHBOURS(alltoallw)

/* The other functions of MPI-4 that order messages. */
UNSEEN(Barrier_init, 8)
#define COLLECTIVE(name, begun) PREPARED(name) UNSEEN(begun##_c, 8)
COLLECTIVE(Bcast, Ibcast)
COLLECTIVE(Gather, Igather)
COLLECTIVE(Gatherv, Igatherv)
COLLECTIVE(Scatter, Iscatter)
COLLECTIVE(Scatterv, Iscatterv)
COLLECTIVE(Allgather, Iallgather)
COLLECTIVE(Allgatherv, Iallgatherv)
COLLECTIVE(Alltoall, Ialltoall)
COLLECTIVE(Alltoallv, Ialltoallv)
COLLECTIVE(Alltoallw, Ialltoallw)
COLLECTIVE(Reduce, Ireduce)
COLLECTIVE(Allreduce, Iallreduce)
COLLECTIVE(Reduce_scatter, Ireduce_scatter)
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block)
COLLECTIVE(Scan, Iscan)
COLLECTIVE(Exscan, Iexscan)
#define MESSAGE(name, begun) UNSEEN(name##_c, 8) UNSEEN(begun##_c, 8) UNSEEN(name##_init_c, 8)
MESSAGE(Send, Isend)
MESSAGE(Bsend, Ibsend)
MESSAGE(Ssend, Issend)
MESSAGE(Rsend, Irsend)
MESSAGE(Recv, Irecv)
UNSEEN(Mrecv_c, 8)
UNSEEN(Imrecv_c, 8)
UNSEEN(Sendrecv_c, 8)
UNSEEN(Sendrecv_replace_c, 8)
UNSEEN(Isendrecv, 8)
UNSEEN(Isendrecv_c, 8)
UNSEEN(Isendrecv_replace, 8)
UNSEEN(Isendrecv_replace_c, 8)
UNSEEN(Psend_init, 8)
UNSEEN(Precv_init, 8)
