/* The interface between the tracing version of a program and the debugger. Sites, functions and globals have the numbers of
 * NAME.prepared. Addresses are those of the run. In C, since the tracing version is compiled beside the program. */
#ifndef FLOWBACK_LOG_TRACE_CALLS_H
#define FLOWBACK_LOG_TRACE_CALLS_H

/* NOLINTNEXTLINE(readability-identifier-naming) */
struct flowback_trace_calls {
    void (*begin)(unsigned function);
    unsigned long (*address)(unsigned global);
    unsigned long (*variable)(unsigned site, unsigned long bytes, unsigned local);
    void (*statement)(unsigned site);
    void (*load)(unsigned site, unsigned long address, unsigned long bytes, void* value);
    void (*store)(unsigned site, unsigned long address, unsigned long bytes, const void* value);
    void (*copy)(unsigned site, unsigned long to, unsigned long from, unsigned long bytes);
    void (*fill)(unsigned site, unsigned long to, unsigned value, unsigned long bytes);
    void (*inherited)(unsigned site); /* a leaf is called; begin() follows */
    /* `code`: address of the callee where the call is indirect, else 0. The arguments lie in `words`, 16 bytes apart or more. */
    void (*call)(unsigned site, unsigned long code, const void* words, unsigned long size, void* value, unsigned long bytes);
    void (*leave)(unsigned site, const void* value, unsigned long bytes);
    void (*branch)(unsigned site, unsigned long decided);
};

#endif
