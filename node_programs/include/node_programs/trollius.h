/* The header of a program in C or C++ that runs on a node of the modelled machine: it has a main(), and makes calls of the
 * Trollius library. Names, structs and results are those of Trollius 2.2 and its descendant LAM. The page for users is
 * docs/formats/trollius_program.md.
 *
 * Every process has its own globals, stack, heap and errno. printf() and its relatives print on the host's console, a line at a
 * time; malloc() and new take memory of the node; time() and clock() show the node's clock.
 *
 * A call that fails returns -1 and sets errno. "Blocks" means that the process waits, in modelled time, while others run. A
 * length below 0, a null body with a length above 0, and a body or struct outside of the program's memory are errors of the
 * program: they are reported with file and line, and end the process. Costs are in rendez-vous: exchanges between two processes
 * of a node, 60 us each on a T800-20 (`magicwire costs`, row kernel.rendezvous).
 */
#ifndef NODE_PROGRAMS_TROLLIUS_H
#define NODE_PROGRAMS_TROLLIUS_H

#include <errno.h>

#include <vocabulary/work.h> /* work_us(), work_cycles(), work_operations(): the cost of a computation */

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming, modernize-macro-to-enum): names of Trollius */

/* ---- Errors beside those of errno.h (LAM 7.1.4 counts them from 1225; Trollius 2.2 from 201) ---- */
#define EDEADNODE 202
#define ENOTPROCESS 205
#define EFULL 204
#define ENOTMALLOCED 207
#define ESERVICE 208
#define EMSGLEN 215
#define EBADLINK 218
#define EBADNODE 222
#define ENORDESCRIPTORS 225
#define ENOPDESCRIPTORS 229 /* the node lacks memory, or room for another process */
/* EWOULDBLOCK: the call does not wait, and nobody was there. */

/* ---- Messages ---- */

/* Two processes meet when they name the same event and their types do: one is 0, or they share a bit. Events above 0 belong to
 * users. Those below 0 belong to the system; -PID is where process PID gets its answers. */
#define MAXNMSGLEN 4096 /* bytes of a packet; a longer message goes as several */
#define LOCAL (-2)      /* as a node: the caller's own */

#define KTRY 0x2   /* do not wait: EWOULDBLOCK */
#define NOBUF 0x10 /* bypass the buffers everywhere on the way: the sender waits until the receiver has the message */

struct kmsg { /* of the kernel: to a process of the same node */
    int k_event;
    int k_type;   /* after a receive: the sender's */
    int k_length; /* bytes at k_msg; after a receive: the bytes received, at most as many as there was room for */
    int k_flags;  /* KTRY */
    char* k_msg;
};

struct nmsg {        /* of datalink, network and transport */
    int nh_dl_event; /* datalink: event of the next process on the way (getroute()) */
    int nh_node;     /* destination */
    int nh_event;
    int nh_type;    /* after a receive: the sender's */
    int nh_length;  /* bytes at nh_msg; after a receive: the bytes received, at most as many as there was room for */
    int nh_flags;   /* KTRY, NOBUF; others are ignored */
    int nh_data[8]; /* the pouch: eight words that travel with the header for nothing; after a receive: the sender's */
    char* nh_msg;
};

/* Kernel: a rendez-vous between processes of this node. Blocks until the partner is there, or fails with EWOULDBLOCK under
 * KTRY. One rendez-vous. A message may hold addresses. */
int ksend(struct kmsg* message);
int krecv(struct kmsg* message);
/* Sends `out` and receives `in` as one act: the caller receives from the moment that its message is taken (LAM 7.1.4; Trollius
 * 2.2 has two calls). Two rendez-vous. */
int ksr(struct kmsg* out, struct kmsg* in);

/* Datalink: to the process that receives on nh_dl_event, which is the way to a neighbour. The message bypasses all buffers on
 * its way if NOBUF is set. Blocks as the kernel's calls do. h + 1 rendez-vous over h links. At most MAXNMSGLEN bytes, else
 * EMSGLEN. */
int dsend(struct nmsg* message);
int drecv(struct nmsg* message);
int dtry_send(struct nmsg* message);
int dtry_recv(struct nmsg* message);
/* Sets nh_dl_event to the way to nh_node. Two rendez-vous with the router the first time for a node, later 4 us. EBADNODE. */
int getroute(struct nmsg* message);

/* Network: to any node. nsend() blocks until the last packet has left the caller, which may wait for room in the buffers on the
 * way. Packets of different senders to one receiver may interleave. EBADNODE. Rendez-vous: 3 on the own node and 4 to a
 * neighbour, both with the receiver's; with NOBUF 1 and 2. Each further node takes 2 more at least, with NOBUF 1. */
int nsend(struct nmsg* message);
/* Blocks until a message of this event and type is there. What does not fit is thrown away. */
int nrecv(struct nmsg* message);
/* As these two, but EWOULDBLOCK if the first process on the way does not wait, or no message is here. */
int ntry_send(struct nmsg* message);
int ntry_recv(struct nmsg* message);
/* 1 if the buffers of this node hold a message of this event and type, 0 if not. Sets nh_type, and nh_length to the length of
 * its first packet. Does not see messages with NOBUF. Two rendez-vous. */
int nprobe(struct nmsg* message);

/* Transport: three messages of the network. The sender waits until the receiver is there, and no packet comes between those of
 * a message. Neither has a time-out, and KTRY is ignored. */
int tsend(struct nmsg* message);
int trecv(struct nmsg* message);

/* ---- The process, the node, the machine; none of these blocks or costs anything ---- */

int kinit(int priority); /* does nothing: a program is attached to the kernel before main() begins; returns 0 */
int kgetpid(void);       /* the process id, which getpid() returns, too */
int getnodeid(void);
int getorigin(void); /* the node that has booted the machine: the host */
int getncomp(void);  /* number of nodes that compute: they are 0 to getncomp() - 1 */
int getnall(void);   /* the same with the host */
double ttime(void);  /* seconds, from the node's own clock of 64 us ticks or of 1 us; 0 when the node starts */
/* Gives the processor to the next ready process. Costs no rendez-vous. */
void kyield(void);
/* Ends the process with this status, as exit() and a return from main() do. First come the functions of atkexit(), the last
 * one first: at most 32, else ENOEXDESCRIPTORS. */
#define ENOEXDESCRIPTORS 203
void kexit(int status) __attribute__((noreturn));
int atkexit(void (*function)(void* argument), void* argument);

/* ---- Processes and buffers of any node. All block until the node's daemon has answered: two messages of the network, without
 * a time-out. EBADNODE ---- */

#define RTF_WAIT 0x10  /* the creator waits for the end with rpwait() */
#define SIGUDIE 4      /* ends the process: the only signal so far */
#define SELECT_PID 1   /* the process with this id */
#define SELECT_INDEX 2 /* the one with this index in the table of its node */

/* Loads a program on node `dest` and starts it. `file` is a name that the host knows. `source` is the node that has the file:
 * only getorigin() or LOCAL on it has any, and it is not looked at. `argv` ends with a null pointer and begins with the
 * program's name, as for main(); null for no arguments. Sets *pid, and *index to 0; each may be null. ENOENT: the host knows no
 * such program. ENOPDESCRIPTORS: the node lacks room for it. */
int rploadgo(int source, int dest, const char* file, int rtf, char** argv, int* pid, int* index);
/* Waits for the end of a process that the caller has started with RTF_WAIT. Status: that of main() or kexit(); 255 after an
 * error of the program; -4 after rpdoom(). A node that has crashed sends nothing. ENOTPROCESS: there is nobody to wait for. */
int rpwait(int* node, int* pid, int* status);
/* ENOTPROCESS; ESERVICE: a process of the system; EINVAL: another signal or selection. */
int rpdoom(int node, int selection, int value, int signal);

struct pstate {
    int ps_index, ps_pid, ps_priority;
    int ps_state;          /* 0 ready, 1 waits to send, 2 waits to receive */
    int ps_event, ps_type; /* waited for, or used last */
    char ps_name[32];
};
/* The processes of a node, those of the system first; at most `most` go into the table. Returns the number of all. */
int rpstate(int node, struct pstate* table, int most);

struct bfstate {
    int bfs_node, bfs_event, bfs_type, bfs_length;
};
/* The packets in the buffers of a node, the oldest first; at most `most` go into the table. Returns the number of all. */
int rbfstate(int node, struct bfstate* table, int most);
/* Throws away the packets of users that nobody has taken; returns their number. rbfsweep1(): those for an event. */
int rbfsweep(int node);
int rbfsweep1(int node, int event);

/* ---- The router: which nodes there are, and the ways to them. Two rendez-vous a call with the router of the own node. Each
 * waits while that router is dumb ---- */

/* The type of a node, bit by bit. JONES: a neighbour. BOOT: it was booted from the own node. */
#define NT_ITB 1 /* runs the native kernel; the host does not */
#define NT_CAST 2
#define NT_WASTE 4 /* does not compute */
#define NT_DISK 8
#define NT_TUBE 0x10
#define NT_JONES 0x20
#define NT_BOOT 0x40
#define NT_ME 0x80
#define NT_ORIGIN 0x100
struct rent { /* an entry of the router's table */
    int re_node;
    int re_link; /* on which messages for the node leave; -1: none, so for the node itself */
    int re_type;
};
int getntype(int type, int mask);                            /* number of nodes: (their type & mask) == type */
int getnodes(int* array, int most, int type, int mask);      /* those nodes, by number; returns the number of all */
int getnitb(void);                                           /* number of nodes with the native kernel */
int getnotb(void);                                           /* of those without: hosts */
int getnjones(void);                                         /* of neighbours */
int getall(int* array, int most);                            /* the nodes that getnall() counts; likewise: */
int getcomps(int* array, int most);                          /* ITB, and not WASTE */
int getitbs(int* array, int most);
int getotbs(int* array, int most);
int getjones(int* array, int most);
int getrent(int node, struct rent* entry);                   /* EBADNODE */
int getrtype(int node);                                      /* its type; EBADNODE */
int getnodetype(void);                                       /* of the own node */
int getsmart(void);                                          /* blocks until the router of the own node is smart */
/* Orders to the router of any node. They block until it has answered; a dumb one without a way to the caller does not. Entries
 * are set all or none. ENORDESCRIPTORS: no room for that node. EBADLINK: no such link there. EBADNODE: no such entry. */
int rrsetrents(int at, const struct rent* entries, int count);
int rremrent(int at, int node);
int rrsetsmart(int at, int smart);

/* ---- Memory and traces of any node. All block until the node has answered, without a time-out. EBADNODE ---- */

/* Memory of a node, at addresses that only these calls know. It stays until rfree(). EINVAL: 0 bytes. ENOMEM. ENOTMALLOCED: no
 * block there, or not so long. ESERVICE: of the host. */
int rmalloc(int node, int bytes, unsigned* address);
int rfree(int node, unsigned address);
int rmread(int node, unsigned address, char* to, int bytes);
int rmwrite(int node, unsigned address, const char* from, int bytes);

/* Buffers of traces in numbered lists. When the space of a node is full, the oldest ones of positive lists go. rtrstore()
 * returns how many went. EMSGLEN: longer than the space. EFULL: nothing may go. rtrget() keeps the list, and returns its length;
 * at most `length` bytes go to `buffer`. The others return the number of buffers discarded: of a list, of all positive lists, of
 * a process, and of a list or with 0 of all. */
int rtrstore(int node, int list, const char* buffer, int length);
int rtrget(int node, int list, char* buffer, int length);
int rtrforget(int node, int list);
int rtrsweep(int node);
int rtrudie(int node, int owner_node, int owner_pid);
int rtrwipe(int node, int list);

/* Sends `length` bytes to the node and back. EMSGLEN above MAXNMSGLEN. */
int recho(int node, const char* out, char* in, int length);

/* NOLINTEND(readability-identifier-naming, modernize-macro-to-enum) */

#ifdef __cplusplus
}
#endif
#endif
