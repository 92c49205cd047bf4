/* The header of a farm program in C or C++: the functions that it defines and those that it may call (Lin 1993, sections 3.2.1
 * and 3.3.1). Every process of the farm has its own globals, as on a machine whose nodes share no memory. The page for users is
 * docs/formats/farm_program.md.
 *
 * Tasks and results are bytes and are copied when sent, so a pointer inside one is invalid on the receiving node.
 */
#ifndef TREK_KERNEL_TREK_H
#define TREK_KERNEL_TREK_H

#include <vocabulary/work.h> /* work_us(), work_cycles(), work_operations(): the cost of a computation */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Defined by the program ---- */

/* On the manager, before everything else: sets the initial globals of data_generator and result_receiver. Optional. */
void init_master(void);
/* On the manager: calls do_task() for each task. */
void data_generator(void);
/* On a worker, for each task or sub-task: calls return_result() once. `task` is valid until it returns. */
void compute_fn(const void* task, unsigned bytes);
/* On the manager: calls get_result() once for each result it expects. The farm ends when it and data_generator have returned. */
void result_receiver(void);
/* Divide and conquer only. On a node with children: calls sub_task() split_degree() times. */
void split_fn(const void* task, unsigned bytes);
/* Divide and conquer only. On the node that split the task, when all sub_results() are there: calls return_result() once. */
void join_fn(void);

/* ---- Tasks and results ---- */

/* For data_generator. Waits while no buffer is free. Tasks are numbered 0, 1, ... in this order. */
void do_task(const void* task, unsigned bytes);
/* The same with a priority; under the farm policy `priorities` the highest goes first. do_task() means priority 0. */
void do_task_with_priority(const void* task, unsigned bytes, int priority);
/* For data_generator and result_receiver: the configured number of tasks. */
unsigned total_tasks(void);
#define TotalTasks ((int)total_tasks()) /* as in the thesis, 6.2 */
/* For result_receiver. Waits for the next result, in order of arrival; it is valid until the next call. `bytes` may be null or, as
 * in the thesis, left out. */
#ifdef __cplusplus
const void* get_result(unsigned* bytes = 0);
#else
const void* get_result(unsigned* bytes);
#define TREK_SECOND(first, second, ...) second
#define get_result(...) (get_result)(TREK_SECOND(0 __VA_OPT__(, ) __VA_ARGS__, 0, 0))
#endif
/* For result_receiver: number of the task of the last result from get_result(). */
unsigned result_task(void);
/* For compute_fn and join_fn: call it once. */
void return_result(const void* result, unsigned bytes);
/* For split_fn: call it split_degree() times. The first sub-task goes to the first child. */
void sub_task(const void* task, unsigned bytes);
/* For split_fn and join_fn: number of parts of a split. */
unsigned split_degree(void);
/* For join_fn: results of the sub-tasks, in the order of the sub_task() calls. `bytes` may be null. */
unsigned sub_results(void);
const void* sub_result(unsigned index, unsigned* bytes);
/* For every function: number of its node; the manager is 0. */
unsigned trek_node(void);

/* ---- Memory, text, files ----
 * malloc, free, new and delete use the modelled node's memory, too. printf, puts, std::cout and the like print on the host's
 * console. rand() has a state for each process. time() and clock() show the node's clock. getchar() and fgets(stdin) read the
 * input stream. */

void* trek_allocate(unsigned bytes); /* null: the node lacks memory */
void trek_release(void* block);
void trek_print(const char* text);
/* Writes a file on the host, for example a picture. `name` is a plain file name; a second call with the same name replaces
 * the file. */
void trek_save(const char* name, const void* data, unsigned bytes);
/* Reads at most `bytes` of the input stream; returns the number read, 0 at its end. All processes of the farm read the same
 * stream. */
unsigned trek_read(void* buffer, unsigned bytes);

/* ---- Monitor ----
 * On a node without a monitor both do nothing and cost nothing. docs/model/tmon.md. */

/* Records an event of the program (class `user`); the program defines the meaning of number and value. */
void trek_event(unsigned number, long long value);
/* Switches classes of events on (1) or off (0) on this node from now on: names with '+' between, as "message+user", or "all". */
void trek_monitor(const char* classes, int on);

#ifdef __cplusplus
}
#endif
#endif
