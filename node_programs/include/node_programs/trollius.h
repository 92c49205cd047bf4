/* The header of a program in C or C++ that runs on a node of the modelled machine: it has a main(), and makes calls of the
 * Trollius library. Names, structs and results are those of Trollius 2.2 and its descendant LAM. The page for users is
 * docs/formats/trollius_program.md.
 *
 * Every process has its own globals, stack, heap and errno. Files and the console are remote: stdio, open() and their relatives
 * make the calls of the section on files. malloc() and new take memory of the node; time() and clock() show the node's clock.
 *
 * A call that fails returns -1 and sets errno. "Blocks" means that the process waits, in modelled time, while others run. A
 * length below 0, a null body with a length above 0, and a body or struct outside of the program's memory are errors of the
 * program: they are reported with file and line, and end the process. Costs are in rendez-vous: exchanges between two processes
 * of a node, 60 us each on a T800-20 (`magicwire costs`, row kernel.rendezvous).
 */
#ifndef NODE_PROGRAMS_TROLLIUS_H
#define NODE_PROGRAMS_TROLLIUS_H

#include <errno.h>
#include <fcntl.h>    /* O_RDONLY and the other flags of rfopen() */
#include <sys/stat.h> /* struct stat */

#include <vocabulary/work.h> /* work_us(), work_cycles(), work_operations(): the cost of a computation */

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming, modernize-macro-to-enum): names of Trollius */

/* ---- Errors beside those of errno.h (LAM 7.1.4 counts them from 1225; Trollius 2.2 from 201) ---- */
#define EDEADNODE 202
#define ENOEXDESCRIPTORS 203 /* atkexit() has 32 functions already */
#define EFULL 204 /* a table is full: descriptors or locks of filed, casts, circuits */
#define ENOTPROCESS 205
#define ENOTMALLOCED 207
#define ESERVICE 208
#define EMSGLEN 215
#define EBADLINK 218
#define EBADNODE 222
#define ENORDESCRIPTORS 225
#define ENOPDESCRIPTORS 229 /* the node lacks memory, or room for another process */
/* EWOULDBLOCK: the call does not wait, and nobody was there. EINTR: a signal has ended the call. */
/* Prints on stderr: the text, a colon, and what errno means. It knows the numbers of this list, which perror() does not. */
void terror(const char* text);

/* ---- Messages ---- */

/* Two processes meet when they name the same event and their types do: one is 0, or they share a bit. Events above 0 belong to
 * users. Those below 0 belong to the system; -PID is where process PID gets its answers. */
#define MAXNMSGLEN 4096 /* bytes of a packet; a longer message goes as several */
#define LOCAL (-2)      /* as a node: the caller's own */

#define KTRY 0x2   /* do not wait: EWOULDBLOCK */
#define NREEL 0x400 /* nsend() numbers the packets in nh_data[6]; nrecv() fails with EMSGLEN if they are not in order */
#define ANYDATA 0x10000 /* the body may look as if it held addresses: nobody reports it */
#define APPLDATA 0x20000 /* links count it as traffic of the application, not of the system */
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
    int nh_flags;   /* KTRY, NOBUF, NREEL, ANYDATA, APPLDATA; others are ignored */
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
int getnall(void);   /* number of all nodes with the host, which is the last: getnall() - 1 */
double ttime(void);  /* seconds, from the node's own clock of 64 us ticks or of 1 us; 0 when the node starts */
/* Gives the processor to the next ready process. Costs no rendez-vous. */
void kyield(void);
/* Waits for that many microseconds on the node's clock; others run meanwhile. At most 10^12, some 11 days. Nothing ends it
 * early: on a transputer the timer is the processor's, and the kernel does not know who waits for it. Signals that have come
 * are delivered then. sleep(), usleep() and nanosleep() do the same. */
void kdelay(unsigned long long microseconds);
/* Ends the process with this status, as exit() and a return from main() do. First come the functions of atkexit() and atexit()
 * and the destructors of static C++ objects, the last one registered first; then stdio writes what it has. None of these
 * happens when a signal or an error ends the process. atkexit() takes at most 32 functions, else ENOEXDESCRIPTORS. */
void kexit(int status) __attribute__((noreturn));
void _kexit(int status) __attribute__((noreturn)); /* at once, without these; as _exit() */
int atkexit(void (*function)(void* argument), void* argument);

/* ---- Threads of a process, of three weights ---- */

/* Each starts function(argument) in a thread of the process, with `stack` bytes of the node's memory as its modelled stack (0:
 * 16 Kbytes). Threads share globals, heap and files; thread-local variables and errno are their own. A thread ends when its
 * function returns, or with its process: when main() returns or calls exit(), or a signal ends it. It begins with the handlers and
 * masks of its creator, and gets the signals of its process, too. exit() in a thread is an error of the program, and an error
 * ends the thread alone. Threads wait for each other by ksend() and krecv(). Trollius 2.2 names the calls; the order of the
 * arguments is recalled. ENOPDESCRIPTORS. */

/* Light: it only computes. malloc() and work_us() are all that it may call. Returns 0. No cost. */
int kpar_He(void (*function)(void*), int stack, void* argument);
/* Medium: it has an id and events of its own, and may make any call; kenyad does not list it. Returns its id. Half a
 * rendez-vous. */
int kpar_Na(void (*function)(void*), int stack, void* argument);
/* Heavy: as the medium one, and listed by kenyad as a process. */
int kpar_Fe(void (*function)(void*), int stack, void* argument);

/* ---- Signals: small numbers that one process sends another. LAM 7.1.4, without those that came after Trollius 2.2 ---- */

/* A signal takes a blocked process off its call, and a ready one notices at its next call. The process runs its handler; then
 * the call is made again if every signal is in the retry mask, else it fails with EINTR. A message that has begun, a call that
 * asks a daemon, and rpwait() go on in any case. Signals of one number merge. A process may be in 8 handlers at once; one left
 * by longjmp() counts for good. */
#define SIGTRACE 1   /* ignored: a program has no trace buffer of its own */
#define SIGC 2       /* the user's, as SIGA and SIGB; ignored */
#define SIGUDIE 4    /* ends the process */
#define SIGARREST 5  /* stops it until SIGRELEASE */
#define SIGRELEASE 6 /* it goes on; at first the only one outside the retry mask */
#define SIGA 7
#define SIGB 8
#undef sigmask /* signal.h may have one */
#define sigmask(signal) (1 << ((signal)-1))

/* The handler of a signal from now on; returns the one before, SIGUERR and EINVAL for no signal. It runs with its own signal
 * held back, and may make any call. No cost. */
typedef void (*ksighandler)(int signal);
#define SIGUDFL ((ksighandler)0) /* what the list above says */
#define SIGUIGN ((ksighandler)1)
#define SIGUERR ((ksighandler)-1)
ksighandler ksignal(int signal, ksighandler handler);
/* Hold back these signals, too, or exactly these; what has come meanwhile is delivered when it is let through. Make calls again
 * after these signals, too, or after exactly these. All return the old mask. No cost but that of the handlers. */
int ksigblock(int mask);
int ksigsetmask(int mask);
int ksigretry(int mask);
int ksigsetretry(int mask);
/* Waits for a signal: always -1 and EINTR. Half a rendez-vous. */
int kpause(void);
/* Sends a signal to a process of this node, the caller if `pid` is 0. Half a rendez-vous. ENOTPROCESS; EINVAL: no such signal;
 * ESERVICE: a process of the system. rpdoom() reaches other nodes. */
int kdoom(int pid, int signal);

struct kstatus {
    int ks_state;          /* 0 ready, 1 waits to send, 2 waits to receive */
    int ks_priority;       /* of the kernel */
    int ks_signal;         /* mask of the signals that have come and are not delivered */
    int ks_event, ks_type; /* waited for, or used last */
};
/* What the kernel knows of a process of this node, the caller if `pid` is 0. Half a rendez-vous. ENOTPROCESS. */
int kstate(int pid, struct kstatus* status);

/* ---- Processes and buffers of any node. All block until the node's daemon has answered: two messages of the network, without
 * a time-out. EBADNODE ---- */

#define RTF_WAIT 0x10  /* the creator waits for the end with rpwait() */
#define SELECT_PID 1   /* the process with this id */
#define SELECT_INDEX 2 /* the one with this index in the table of its node */

/* Loads a program on node `dest` and starts it. `file` is a name that the host knows. `source` is the node that has the file:
 * only getorigin() or LOCAL on it has any, and it is not looked at. `argv` ends with a null pointer and begins with the
 * program's name, as for main(); null for no arguments. Sets *pid, and *index in the table of its node; each may be null. ENOENT: the host knows no
 * such program. ENOPDESCRIPTORS: the node lacks room for it. */
int rploadgo(int source, int dest, const char* file, int rtf, char** argv, int* pid, int* index);
/* Waits for the end of a process that the caller has started with RTF_WAIT. Status: that of main() or kexit(); 255 after an
 * error of the program; -4 after SIGUDIE. A node that has crashed sends nothing. ENOTPROCESS: there is nobody to wait for. */
int rpwait(int* node, int* pid, int* status);
/* Sends a signal. ENOTPROCESS; ESERVICE: a process of the system; EINVAL: no such signal or selection. */
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
int getncomp(void);                                          /* number of the nodes that getcomps() gives */
int getnitb(void);                                           /* of those with the native kernel: 0 to getnitb() - 1 */
int getnotb(void);                                           /* of those without: hosts */
int getnjones(void);                                         /* of neighbours */
int getall(int* array, int most);                            /* the nodes that getnall() counts; likewise: */
int getcomps(int* array, int most);                          /* those that compute: ITB, and not WASTE */
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

/* ---- Files of the host, which filed serves ---- */

/* All lie below the one directory that the host's user allows (--files DIR, docs/guide/files.md); without it the calls fail
 * with EACCES. A name has at most 160 bytes. "15:foo" is the file foo of node 15; without a number the host's. Only the host has
 * files: another node gives ESERVICE, one without a route EBADNODE. A process has 32 descriptors; 0, 1 and 2 are the console.
 *
 * A call blocks for one request and its answer, two messages of the network; reads and writes of more than MAXNMSGLEN bytes are
 * several. Errors: those of errno.h as on UNIX, and ENFILE, EFULL, ENAMETOOLONG. Trollius 2.2 has these calls. Its conversion
 * flags O_INT4 and so on are left out: host and nodes write numbers alike. */
#define O_LOCK 0x1000000  /* the host's file stays open; at most 63 */
#define O_REUSE 0x2000000 /* shares a descriptor of the same name and access, and its offset */
#define O_1WAY 0x4000000  /* rfwrite() waits for no answer, and learns of no error */

int rfopen(const char* name, int flags, int mode); /* flags of fcntl.h and these three; EINVAL for others */
int rfclose(int descriptor);
int rfread(int descriptor, void* buffer, int bytes); /* 0 at the end; descriptor 0 gives what one answer holds */
int rfwrite(int descriptor, const void* buffer, int bytes);
int rflseek(int descriptor, int offset, int whence); /* SEEK_SET, SEEK_CUR, SEEK_END; returns the new offset */
int rfdup(int descriptor);
int rfdup2(int descriptor, int target);
int rfftruncate(int descriptor, int bytes);
int rffstat(int descriptor, struct stat* facts); /* sets st_mode and st_size, all else to 0: a run does not depend on the disk */
int rfstat(const char* name, struct stat* facts);
int rfaccess(const char* name, int mode); /* sum of 4 read, 2 write, 1 execute */
int rfmkdir(const char* name, int mode);
int rfrmdir(const char* name);
int rfunlink(const char* name);
int rfchdir(const char* name);        /* of filed, for all its clients */
int rfgetwd(char* buffer, int bytes); /* ERANGE: the buffer is too small */
int rftruncate(const char* name, int bytes);
int rfrename(const char* from, const char* to); /* EXDEV between nodes */
int rfsystem(const char* command);              /* always ESERVICE: the host runs nothing */

struct fstate {
    int fs_descriptor, fs_users;
    unsigned fs_flow; /* bytes moved so far */
    int fs_client_node, fs_client_event;
    char fs_name[164];
};
/* The descriptors of filed; at most `most` go into the table. Returns the number of all. */
int rfstate(int node, struct fstate* table, int most);
int rfrmfd(int node, int descriptor);         /* closes one, whoever uses it; returns how many it has closed */
int rfincr(int node, int descriptor, int by); /* changes the number of its users, and returns it; at 0 it is closed */

/* ---- Casts: a node number that stands for a list of nodes ---- */

#define ECOLLIDE 217
#define ENONODES 224

/* Makes a cast of `count` nodes; at least one, at most MAXNMSGLEN / 4. Returns its number: what nsend() sends to that node goes
 * to each of them once, the caller's included if it is in the list. A message for a number that is no cast is dropped. Blocks
 * until every node has laid its tree. ENONODES, EBADNODE; EINVAL: a node twice; EMSGLEN: too many; EFULL: no more casts (cost
 * cast.table); ECOLLIDE: the tree of a node meets itself, because the nodes' routes do not agree. */
int rcast(const int* nodes, int count);
/* The nodes of a cast; at most `most` go into the table. Returns the number of all. EBADNODE: no such cast. */
int rcask(int cast, int* nodes, int most);

#define COMBINE_SUM 1
#define COMBINE_MIN 2
#define COMBINE_MAX 3
#define COMBINE_INT 1   /* words are int; sums wrap */
#define COMBINE_FLOAT 2 /* words are float */
/* Global reduction: blocks until each node of the cast has called it, and replaces the words by the combined ones. A second
 * call on a node belongs to the next round. At most MAXNMSGLEN / 4 words, else EMSGLEN. EBADNODE: no such cast, or this node is
 * not in it. EINVAL: an unknown operation, or the calls of the nodes differ in operation, kind or count. A message up and one
 * down each branch of a tree. SIGUDIE ends a process that waits here, in rcast() or in psendopen(), unless it handles that. */
int ncombine(int cast, int operation, int kind, void* words, int count);

/* ---- Physical: circuits to any other node. A circuit has the links of its way to itself, in its direction, from open to
 * close; all other messages there wait. It bypasses kernels and buffers ---- */

#define EEOF 216

/* Blocks until all links are free and a process of nh_node has called precvopen() for the event and a matching type. EBADNODE;
 * EINVAL: the own node, or the process has such a circuit open; EFULL: cost circuit.table. */
int psendopen(struct nmsg* message);
/* Sends nh_length bytes over the circuit of this nh_node, nh_event, nh_type. Blocks until they have left the node. EINVAL: no
 * such circuit is open. */
int psend(struct nmsg* message);
/* Does not block: the links are free when everything sent has gone through. EINVAL as above. A process that ends closes its
 * circuits. */
int psendclose(struct nmsg* message);
/* Waits for a psendopen(), which no other receive meets, and sets nh_node to the sender's node. EFULL; EINVAL: as
 * psendopen(). */
int precvopen(struct nmsg* message);
/* The next message on the circuit of this nh_event and nh_type, of which nh_length bytes fit. EINVAL: no such circuit is open;
 * EEOF: the sender has closed it. */
int precv(struct nmsg* message);
int precvclose(struct nmsg* message);

/* NOLINTEND(readability-identifier-naming, modernize-macro-to-enum) */

#ifdef __cplusplus
}
#endif
#endif
