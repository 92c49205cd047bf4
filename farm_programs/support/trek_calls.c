/* The functions of trek.h, and the counter of basic blocks that the compiler calls. */
#include "trek_support_own.h"

#include <string.h>

#include <trek_kernel/trek.h>

struct trek_support trek_own = {.version = TREK_SUPPORT_VERSION};

struct trek_support* trek_support_of_program(void) {
    return &trek_own;
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    const unsigned long at = (unsigned long)__builtin_return_address(0) - trek_own.text;
    if (at >= trek_own.text_bytes) return;
    trek_own.budget -= trek_own.weights[at];
    if (trek_own.budget < 0) trek_own.table->spent();
}

/* Below the frame of these functions nothing of the user lives; the caller's own variables begin above what the call has
 * pushed. */
#define NOTE_FRAME (trek_own.frame = (unsigned long)__builtin_frame_address(0) + 2 * sizeof(long))

void do_task(const void* task, unsigned bytes) {
    NOTE_FRAME;
    trek_own.table->do_task(task, bytes, 0);
}
void do_task_with_priority(const void* task, unsigned bytes, int priority) {
    NOTE_FRAME;
    trek_own.table->do_task(task, bytes, priority);
}
unsigned total_tasks(void) {
    return trek_own.table->total_tasks();
}
const void* get_result(unsigned* bytes) {
    return trek_own.table->get_result(bytes);
}
unsigned result_task(void) {
    return trek_own.table->result_task();
}
void return_result(const void* result, unsigned bytes) {
    NOTE_FRAME;
    trek_own.table->return_result(result, bytes);
}
void sub_task(const void* task, unsigned bytes) {
    NOTE_FRAME;
    trek_own.table->sub_task(task, bytes);
}
unsigned split_degree(void) {
    return trek_own.table->split_degree();
}
unsigned sub_results(void) {
    return trek_own.table->sub_results();
}
const void* sub_result(unsigned index, unsigned* bytes) {
    return trek_own.table->sub_result(index, bytes);
}
unsigned trek_node(void) {
    return trek_own.table->node();
}

void work_us(unsigned long long microseconds) {
    trek_own.table->work_us(microseconds);
}
void work_cycles(unsigned long long cycles) {
    trek_own.table->work_cycles(cycles);
}
void work_operations(enum trek_operation kind, unsigned long long count) {
    trek_own.table->work_operations((int)kind, count);
}

void* trek_allocate(unsigned bytes) {
    return trek_own.table->allocate(bytes, 16);
}
void trek_release(void* block) {
    trek_own.table->release(block);
}
void trek_print(const char* text) {
    trek_own.table->write(text, strlen(text));
}
void trek_save(const char* name, const void* data, unsigned bytes) {
    NOTE_FRAME;
    trek_own.table->save(name, data, bytes);
}
unsigned trek_read(void* buffer, unsigned bytes) {
    return (unsigned)trek_own.table->read(buffer, bytes);
}

void trek_event(unsigned number, long long value) {
    trek_own.table->event(number, value);
}
void trek_monitor(const char* classes, int on) {
    trek_own.table->monitor(classes, on);
}
