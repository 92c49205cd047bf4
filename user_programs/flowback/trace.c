/* What the tracing version of a program calls (instrumentation/flowback_prepare). The debugger sets the table before it runs
 * anything (tmon/flowback). */
#include <flowback_log/trace_calls.h>

static const struct flowback_trace_calls* calls;

void flowback_trace_use(const struct flowback_trace_calls* table);
void flowback_trace_use(const struct flowback_trace_calls* table) {
    calls = table;
}

void flowback_trace_begin(unsigned function);
void flowback_trace_begin(unsigned function) {
    calls->begin(function);
}
unsigned long flowback_trace_address(unsigned global);
unsigned long flowback_trace_address(unsigned global) {
    return calls->address(global);
}
unsigned long flowback_trace_variable(unsigned site, unsigned long bytes, unsigned local);
unsigned long flowback_trace_variable(unsigned site, unsigned long bytes, unsigned local) {
    return calls->variable(site, bytes, local);
}
void flowback_trace_statement(unsigned site);
void flowback_trace_statement(unsigned site) {
    calls->statement(site);
}
void flowback_trace_load(unsigned site, unsigned long address, unsigned long bytes, void* value);
void flowback_trace_load(unsigned site, unsigned long address, unsigned long bytes, void* value) {
    calls->load(site, address, bytes, value);
}
void flowback_trace_store(unsigned site, unsigned long address, unsigned long bytes, const void* value);
void flowback_trace_store(unsigned site, unsigned long address, unsigned long bytes, const void* value) {
    calls->store(site, address, bytes, value);
}
void flowback_trace_copy(unsigned site, unsigned long to, unsigned long from, unsigned long bytes);
void flowback_trace_copy(unsigned site, unsigned long to, unsigned long from, unsigned long bytes) {
    calls->copy(site, to, from, bytes);
}
void flowback_trace_fill(unsigned site, unsigned long to, unsigned value, unsigned long bytes);
void flowback_trace_fill(unsigned site, unsigned long to, unsigned value, unsigned long bytes) {
    calls->fill(site, to, value, bytes);
}
void flowback_trace_inherited(unsigned site);
void flowback_trace_inherited(unsigned site) {
    calls->inherited(site);
}
void flowback_trace_call(unsigned site, unsigned long code, const void* words, unsigned long size, void* value,
                         unsigned long bytes);
void flowback_trace_call(unsigned site, unsigned long code, const void* words, unsigned long size, void* value,
                         unsigned long bytes) {
    calls->call(site, code, words, size, value, bytes);
}
void flowback_trace_return(unsigned site, const void* value, unsigned long bytes);
void flowback_trace_return(unsigned site, const void* value, unsigned long bytes) {
    calls->leave(site, value, bytes);
}
void flowback_trace_branch(unsigned site, unsigned long decided);
void flowback_trace_branch(unsigned site, unsigned long decided) {
    calls->branch(site, decided);
}
