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
                                  .cast = CallGate<cast>::call,
                                  .cask = CallGate<cask>::call,
                                  .combine = CallGate<combine>::call,
                                  .circuit = CallGate<circuit>::call};

}  // namespace

const trollius_calls& trollius_table() {
    return table;
}

}  // namespace node_programs
