// The table of the functions that the support code of a program with a main() calls.
#include "trollius_table.hpp"

#include <user_programs/call_gate.hpp>

#include "../support/trollius_calls.h"
#include "node_process.hpp"

namespace node_programs {
namespace {

using user_programs::CallGate;

NodeProcess& me() {
    return static_cast<NodeProcess&>(*user_programs::ProgramProcess::current());
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
int loadgo(int dest, const char* file, int rtf, char** argv, int* its_pid) {
    return me().loadgo(dest, file, rtf, argv, its_pid);
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
                                  .nodes_of_type = CallGate<nodes_of_type>::call,
                                  .route_entry = CallGate<route_entry>::call,
                                  .router_order = CallGate<router_order>::call,
                                  .memory = CallGate<memory>::call,
                                  .traces = CallGate<traces>::call};

}  // namespace

const trollius_calls& trollius_table() {
    return table;
}

}  // namespace node_programs
