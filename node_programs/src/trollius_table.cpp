// The table of the functions that the support code of a program with a main() calls.
#include "trollius_table.hpp"

#include <user_programs/call_gate.hpp>

#include "../support/trollius_calls.h"
#include "node_process.hpp"

namespace node_programs {
namespace {

using user_programs::CallGate;

NodeProcess& anybody() {
    return static_cast<NodeProcess&>(*user_programs::ProgramProcess::current());
}
NodeProcess& me() {
    anybody().require_kernel();
    return anybody();
}

int kernel(int which, kmsg* out, kmsg* in) {
    return me().kernel_call(which, out, in);
}
int message(int which, nmsg* its, int flags) {
    return me().message_call(which, its, flags);
}
int pid() {
    me().notice(user_programs::about_an_allocation);
    return me().pid();
}
int host() {
    me().notice(user_programs::about_an_allocation);
    return me().host();
}
void yield() {
    me().yield();
}
int loadgo(int dest, const char* file, int rtf, char** argv, int* its_pid, int* index) {
    return me().loadgo(dest, file, rtf, argv, its_pid, index);
}
int wait(int* node, int* its_pid, int* status) {
    return me().wait_for_child(node, its_pid, status);
}
int doom(int node, int selection, int value, int signal) {
    return me().doom(node, selection, value, signal);
}
int processes(int node, pstate* table, int most) {
    return me().processes(node, table, most);
}
int buffers(int node, bfstate* table, int most) {
    return me().buffers(node, table, most);
}
int sweep(int node, int event, int only) {
    return me().sweep(node, event, only != 0);
}
int echo(int node, const char* out, char* in, int length) {
    return me().echo(node, out, in, length);
}
int handle(int signal, ksighandler handler, ksighandler* old) {
    return me().handle(signal, handler, old);
}
int signal_mask(int which, int mask) {
    return me().signal_mask(which, mask);
}
int pause_process() {
    return me().pause();
}
int signal_process(int its_pid, int signal) {
    return me().signal_process(its_pid, signal);
}
int kernel_state(int its_pid, kstatus* status) {
    return me().kernel_state(its_pid, status);
}
int sleep_for(unsigned long long microseconds) {
    return me().sleep(microseconds);
}
int file_by_name(int which, const char* name, const char* other, int number, int mode) {
    return me().file_by_name(which, name, other, number, mode);
}
int file_by_descriptor(int which, int descriptor, int number, int other) {
    return me().file_by_descriptor(which, descriptor, number, other);
}
int transfer(int which, int descriptor, void* data, int bytes) {
    return me().transfer(which, descriptor, data, bytes);
}
int look_at_file(const char* name, int descriptor, trollius_facts* facts) {
    return me().look_at_file(name, descriptor, facts);
}
int working_folder(char* room, int bytes) {
    return me().working_folder(room, bytes);
}
int descriptors_of(int node, fstate* rows, int most) {
    return me().descriptors_of(node, rows, most);
}
int change_descriptor(int which, int node, int descriptor, int by) {
    return me().change_descriptor(which, node, descriptor, by);
}
int text_of_error(int number, char* room, int bytes) {
    return NodeProcess::text_of_error(number, room, bytes);
}
int cast(const int* nodes, int count) {
    return me().cast(nodes, count);
}
int cask(int its, int* nodes, int most) {
    return me().cast_nodes(its, nodes, most);
}
int combine(int its, int operation, int kind, void* words, int count) {
    return me().combine(its, operation, kind, words, count);
}
int circuit(int which, nmsg* its) {
    return me().circuit_call(which, its);
}
int nodes_of_type(int type, int mask, int* nodes, int most) {
    return me().nodes_of_type(type, mask, nodes, most);
}
int route_entry(int node, rent* entry) {
    return me().route_entry(node, entry);
}
int router_order(int which, int at, const rent* entries, int value) {
    return me().router_order(which, at, entries, value);
}
int memory(int which, int node, unsigned address, void* body, int length) {
    return me().memory_call(which, node, address, body, length);
}
int traces(int which, int node, int list, int its_pid, void* body, int length) {
    return me().trace_call(which, node, list, its_pid, body, length);
}
int kpar(int weight, void (*function)(void*), int stack, void* argument) {
    return me().kpar(weight, function, stack, argument);
}
void note(int what, const void* record, int bytes) {
    me().note(what, record, bytes);
}
int can_read(const void* data, unsigned long bytes) {
    return anybody().can_read(data, bytes) ? 1 : 0;
}
int is_thread() {
    return anybody().is_thread() ? 1 : 0;
}

constexpr trollius_calls table = {.kernel = CallGate<kernel>::call,
                                  .message = CallGate<message>::call,
                                  .pid = CallGate<pid>::call,
                                  .host = CallGate<host>::call,
                                  .yield = CallGate<yield>::call,
                                  .loadgo = CallGate<loadgo>::call,
                                  .wait = CallGate<wait>::call,
                                  .doom = CallGate<doom>::call,
                                  .processes = CallGate<processes>::call,
                                  .buffers = CallGate<buffers>::call,
                                  .sweep = CallGate<sweep>::call,
                                  .echo = CallGate<echo>::call,
                                  .handle = CallGate<handle>::call,
                                  .signal_mask = CallGate<signal_mask>::call,
                                  .pause = CallGate<pause_process>::call,
                                  .signal_process = CallGate<signal_process>::call,
                                  .kernel_state = CallGate<kernel_state>::call,
                                  .sleep = CallGate<sleep_for>::call,
                                  .file_by_name = CallGate<file_by_name>::call,
                                  .file_by_descriptor = CallGate<file_by_descriptor>::call,
                                  .transfer = CallGate<transfer>::call,
                                  .look_at_file = CallGate<look_at_file>::call,
                                  .working_folder = CallGate<working_folder>::call,
                                  .descriptors_of = CallGate<descriptors_of>::call,
                                  .change_descriptor = CallGate<change_descriptor>::call,
                                  .text_of_error = CallGate<text_of_error>::call,
                                  .cast = CallGate<cast>::call,
                                  .cask = CallGate<cask>::call,
                                  .combine = CallGate<combine>::call,
                                  .circuit = CallGate<circuit>::call,
                                  .nodes_of_type = CallGate<nodes_of_type>::call,
                                  .route_entry = CallGate<route_entry>::call,
                                  .router_order = CallGate<router_order>::call,
                                  .memory = CallGate<memory>::call,
                                  .traces = CallGate<traces>::call,
                                  .kpar = CallGate<kpar>::call,
                                  .is_thread = CallGate<is_thread>::call,
                                  .note = CallGate<note>::call,
                                  .can_read = CallGate<can_read>::call};

}  // namespace

const trollius_calls& trollius_table() {
    return table;
}

}  // namespace node_programs
