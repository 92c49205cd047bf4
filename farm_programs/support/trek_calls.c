/* The functions of trek.h. */
#include "trek_calls.h"

#include <string.h>

#include <program_support_own.h>
#include <trek_kernel/trek.h>
#undef get_result

const char program_no_files[] = "a node has no files; trek_save() writes one on the host, trek_read() reads the input stream";
const char program_no_network[] = "a node has links to its neighbours only, and the farm uses them; make tasks instead";
const char program_no_threads[] = "the farm's processes are the program's threads; make tasks instead";
const char program_no_fork[] = "the farm's processes are the program's; make tasks instead";
const char program_no_sleep[] = "a process of the farm waits only for tasks and results; work_us() makes it busy for a time";
const char program_catch_it[] = "catch it, or prevent it; its process ends here and the farm waits for it";

static const struct trek_calls* calls(void) {
    return program_own.calls;
}

void do_task(const void* task, unsigned bytes) {
    NOTE_FRAME;
    calls()->do_task(task, bytes, 0);
}
void do_task_with_priority(const void* task, unsigned bytes, int priority) {
    NOTE_FRAME;
    calls()->do_task(task, bytes, priority);
}
unsigned total_tasks(void) {
    return calls()->total_tasks();
}
const void* get_result(unsigned* bytes) {
    return calls()->get_result(bytes);
}
unsigned result_task(void) {
    return calls()->result_task();
}
void return_result(const void* result, unsigned bytes) {
    NOTE_FRAME;
    calls()->return_result(result, bytes);
}
void sub_task(const void* task, unsigned bytes) {
    NOTE_FRAME;
    calls()->sub_task(task, bytes);
}
unsigned split_degree(void) {
    return calls()->split_degree();
}
unsigned sub_results(void) {
    return calls()->sub_results();
}
const void* sub_result(unsigned index, unsigned* bytes) {
    return calls()->sub_result(index, bytes);
}
unsigned trek_node(void) {
    return program_own.common->node();
}

void* trek_allocate(unsigned bytes) {
    return program_own.common->allocate(bytes, 16);
}
void trek_release(void* block) {
    program_own.common->release(block);
}
void trek_print(const char* text) {
    program_own.common->write(text, strlen(text));
}
void trek_save(const char* name, const void* data, unsigned bytes) {
    NOTE_FRAME;
    calls()->save(name, data, bytes);
}
unsigned trek_read(void* buffer, unsigned bytes) {
    return (unsigned)program_own.common->read(buffer, bytes);
}

void trek_event(unsigned number, long long value) {
    calls()->event(number, value);
}
void trek_monitor(const char* classes, int on) {
    calls()->monitor(classes, on);
}
