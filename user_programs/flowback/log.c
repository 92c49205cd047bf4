/* What the logging version of a program calls (instrumentation/flowback_prepare). Everything goes on to Magicwire, which writes
 * the log. Static constructors log nothing: there is no node yet. */
#include <stddef.h>

#include <program_support_own.h>

const char flowback_logs = 1; /* tells a logging version from others */

#define FLOWBACK (program_own.common == NULL ? NULL : program_own.common->flowback)

unsigned flowback_log_enter(unsigned function, const void* addresses, const void* words, unsigned long bytes);
unsigned flowback_log_enter(unsigned function, const void* addresses, const void* words, unsigned long bytes) {
    return FLOWBACK == NULL ? 0 : FLOWBACK->enter(function, addresses, words, bytes);
}
void flowback_log_leave(unsigned depth, const void* value, unsigned long bytes);
void flowback_log_leave(unsigned depth, const void* value, unsigned long bytes) {
    if (FLOWBACK != NULL) FLOWBACK->leave(depth, value, bytes);
}
void flowback_log_read(unsigned long address, unsigned long bytes);
void flowback_log_read(unsigned long address, unsigned long bytes) {
    if (FLOWBACK != NULL) FLOWBACK->read(address, bytes);
}
void flowback_log_wrote(unsigned long address, unsigned long bytes);
void flowback_log_wrote(unsigned long address, unsigned long bytes) {
    if (FLOWBACK != NULL) FLOWBACK->wrote(address, bytes);
}
void flowback_log_variable(unsigned long address, unsigned long bytes);
void flowback_log_variable(unsigned long address, unsigned long bytes) {
    if (FLOWBACK != NULL) FLOWBACK->variable(address, bytes);
}
void flowback_log_call(unsigned site, unsigned depth, unsigned effect, const void* value, unsigned long bytes,
                       unsigned long first, unsigned long second);
void flowback_log_call(unsigned site, unsigned depth, unsigned effect, const void* value, unsigned long bytes,
                       unsigned long first, unsigned long second) {
    if (FLOWBACK != NULL) FLOWBACK->call(site, depth, effect, value, bytes, first, second);
}
void flowback_log_output(unsigned long address, unsigned long bytes);
void flowback_log_output(unsigned long address, unsigned long bytes) {
    if (FLOWBACK != NULL) FLOWBACK->output(address, bytes);
}
/* For libraries, which find it only in a logging version. */
void program_tell_act(const struct program_act* act);
void program_tell_act(const struct program_act* act) {
    if (FLOWBACK != NULL) FLOWBACK->act(act);
}
void program_tell_output(const void* data, unsigned long bytes);
void program_tell_output(const void* data, unsigned long bytes) {
    if (FLOWBACK != NULL) FLOWBACK->output((unsigned long)data, bytes);
}
