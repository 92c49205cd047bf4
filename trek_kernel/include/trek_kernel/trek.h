/* What a farm program in C or C++ includes: the functions it writes and those it may call (Lin 1993, sections 3.2.1 and 3.3.1). Every
 * process of the farm runs them with globals of its own, as on a machine whose nodes share no memory. docs/formats/farm_program.md is the
 * page for users.
 *
 * Tasks and results are bytes: they are copied when they are sent, so a pointer inside one means nothing on the node that gets it.
 */
#ifndef TREK_KERNEL_TREK_H
#define TREK_KERNEL_TREK_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Written by the program ---- */

/* On the manager, before everything else: sets the globals that data_generator and result_receiver start with. May be missing. */
void init_master(void);
/* On the manager: calls do_task() for each task. */
void data_generator(void);
/* On a worker, for each task or sub-task: calls return_result() once. `task` is valid until it returns. */
void compute_fn(const void* task, unsigned bytes);
/* On the manager: calls get_result() once for each result it expects. When it and data_generator have returned, the farm ends. */
void result_receiver(void);
/* Divide and conquer only. On a node that has children: calls sub_task() split_degree() times. */
void split_fn(const void* task, unsigned bytes);
/* Divide and conquer only. Where the task was split, when all sub_results() are there: calls return_result() once. */
void join_fn(void);

/* ---- Tasks and results ---- */

/* By data_generator. Waits while no buffer is free. Tasks are numbered 0, 1, ... in this order. */
void do_task(const void* task, unsigned bytes);
/* The same; where the farm's policy is `priorities`, the highest goes first. do_task() means priority 0. */
void do_task_with_priority(const void* task, unsigned bytes, int priority);
/* By data_generator and result_receiver: tasks the farm is configured for. */
unsigned total_tasks(void);
/* By result_receiver. Waits for the next result, in the order of arrival; valid until the next call. `bytes` may be null. */
const void* get_result(unsigned* bytes);
/* By result_receiver: number of the task whose result get_result() gave last. */
unsigned result_task(void);
/* By compute_fn and join_fn, once. */
void return_result(const void* result, unsigned bytes);
/* By split_fn, split_degree() times. The first sub-task goes to the first child. */
void sub_task(const void* task, unsigned bytes);
/* By split_fn and join_fn: parts of a division. */
unsigned split_degree(void);
/* By join_fn: results of the sub-tasks, in the order in which sub_task() was called. `bytes` may be null. */
unsigned sub_results(void);
const void* sub_result(unsigned index, unsigned* bytes);
/* By every function: number of the node it runs on; the manager is 0. */
unsigned trek_node(void);

/* ---- What a computation costs on the modelled T800 ----
 * With `costs: explicit` what is said here is charged. With `costs: estimated` Magicwire counts the basic blocks that the program runs, and
 * with a file of costs that is charged; then these calls charge nothing. docs/model/program_costs.md. */

void work_us(unsigned long long microseconds);
void work_cycles(unsigned long long cycles); /* of the processor's clock: 50 ns at 20 MHz */

/* NOLINTBEGIN(readability-identifier-naming): names of C */
enum trek_operation { /* cycles of each: `magicwire costs`, rows program.operation.* */
    TREK_INTEGER_ADD,       /* add, subtract, compare, and, or, exclusive or */
    TREK_INTEGER_MULTIPLY,
    TREK_INTEGER_DIVIDE,    /* and remainder */
    TREK_LOAD,              /* of a word that is no local variable */
    TREK_STORE,
    TREK_BRANCH,
    TREK_CALL,              /* and return */
    TREK_FLOAT_ADD,         /* single precision; add, subtract */
    TREK_FLOAT_MULTIPLY,
    TREK_FLOAT_DIVIDE,
    TREK_DOUBLE_ADD,
    TREK_DOUBLE_MULTIPLY,
    TREK_DOUBLE_DIVIDE,
    TREK_DOUBLE_SQUARE_ROOT,
    TREK_OPERATIONS         /* how many kinds there are */
};
/* NOLINTEND(readability-identifier-naming) */
void work_operations(enum trek_operation kind, unsigned long long count);

/* ---- Memory, text, files ----
 * malloc, free, new, delete take memory of the modelled node, too; printf, puts, std::cout and the like print on the host's console. rand()
 * is the process' own; time() and clock() show the node's clock; getchar(), fgets(stdin) read the input stream. */

void* trek_allocate(unsigned bytes); /* null: the node has not so much memory left */
void trek_release(void* block);
void trek_print(const char* text);
/* Writes a file on the host, for instance a picture. `name` is a plain file name; a second call with the same name replaces the first's. */
void trek_save(const char* name, const void* data, unsigned bytes);
/* Next bytes of the input stream, at most `bytes`; returns how many there were, 0 at its end. Each process of the farm that reads takes from
 * the same stream. */
unsigned trek_read(void* buffer, unsigned bytes);

/* ---- Monitor ----
 * Where the node is not monitored both do nothing and cost nothing. docs/model/tmon.md. */

/* Records an event of the program's own (class `user`), with a number and a value that mean what the program likes. */
void trek_event(unsigned number, long long value);
/* Switches classes of events on (1) or off (0), from now on and on this node: names of classes with '+' between, as "message+user", or
 * "all". */
void trek_monitor(const char* classes, int on);

#ifdef __cplusplus
}
#endif
#endif
