/* What a farm program in C includes: the functions it writes and those it may call (thesis, section 3.2.1). It is built as a loadable
 * module; every process of the farm runs it with globals of its own, as on a machine whose nodes share no memory. Put TREK_PROGRAM once
 * into one of its files.
 *
 *   init_master()      on the manager, before everything else: sets the globals that data_generator and result_receiver start with
 *   data_generator()   on the manager: calls do_task() for each task
 *   compute_fn()       on a worker, for each task: calls return_result() once
 *   result_receiver()  on the manager: calls get_result() once for each result it expects; when it returns, the farm ends
 */
#ifndef TREK_KERNEL_TREK_H
#define TREK_KERNEL_TREK_H

#ifdef __cplusplus
extern "C" {
#endif

struct trek_table {
    void (*do_task)(const void* task, unsigned bytes);
    const void* (*get_result)(unsigned* bytes);
    void (*return_result)(const void* result, unsigned bytes);
    unsigned (*total_tasks)(void);
    void (*work_us)(unsigned long long microseconds);
    void* (*allocate)(unsigned bytes);
    void (*release)(void* block);
    void (*print)(const char* text);
};

extern const struct trek_table* trek_table_of_program;
#define TREK_PROGRAM const struct trek_table* trek_table_of_program

#ifndef TREK_TABLE_ONLY /* Magicwire itself needs no more than the table */

/* Written by the program. */
void init_master(void);
void data_generator(void);
void compute_fn(const void* task, unsigned bytes);
void result_receiver(void);

/* Called by the program. The result of get_result() stays valid until the next call. allocate() returns 0 when the node has no memory. */
#define do_task(task, bytes) (trek_table_of_program->do_task((task), (bytes)))
#define get_result(bytes) (trek_table_of_program->get_result(bytes))
#define return_result(result, bytes) (trek_table_of_program->return_result((result), (bytes)))
#define total_tasks() (trek_table_of_program->total_tasks())
#define work_us(microseconds) (trek_table_of_program->work_us(microseconds))
#define trek_allocate(bytes) (trek_table_of_program->allocate(bytes))
#define trek_release(block) (trek_table_of_program->release(block))
#define trek_print(text) (trek_table_of_program->print(text))

#endif

#ifdef __cplusplus
}
#endif
#endif
