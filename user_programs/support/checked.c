/* What the headers call instead of printf(), fgets() and their relatives where a program is compiled with _FORTIFY_SOURCE. Without
 * these it would be the C library's, which prints on the host. A file of its own, compiled without that macro. */
#include "program_support_own.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
#include <wchar.h>

static const char too_much[] = "enlarge the buffer, or let the call fill less";

static void require_room(size_t bytes, size_t room, const char* what) {
    if (bytes > room) program_end(what, too_much);
}

/* NAME(ARGUMENTS, ...): what `call` does with the list of what is printed */
#define PRINTS(name, call, last, ...)              \
    int name(__VA_ARGS__, ...);                    \
    int name(__VA_ARGS__, ...) {                   \
        va_list arguments;                         \
        va_start(arguments, last);                 \
        const int length = call;                   \
        va_end(arguments);                         \
        (void)flag;                                \
        return length;                             \
    }
PRINTS(__printf_chk, vfprintf(stdout, format, arguments), format, int flag, const char* format)
PRINTS(__fprintf_chk, vfprintf(file, format, arguments), format, FILE* file, int flag, const char* format)
PRINTS(__dprintf_chk, vdprintf(file, format, arguments), format, int file, int flag, const char* format)
PRINTS(__asprintf_chk, vasprintf(text, format, arguments), format, char** text, int flag, const char* format)

int __vprintf_chk(int flag, const char* format, va_list arguments);
int __vprintf_chk(int flag, const char* format, va_list arguments) {
    (void)flag;
    return vfprintf(stdout, format, arguments);
}
int __vfprintf_chk(FILE* file, int flag, const char* format, va_list arguments);
int __vfprintf_chk(FILE* file, int flag, const char* format, va_list arguments) {
    (void)flag;
    return vfprintf(file, format, arguments);
}
int __vdprintf_chk(int file, int flag, const char* format, va_list arguments);
int __vdprintf_chk(int file, int flag, const char* format, va_list arguments) {
    (void)flag;
    return vdprintf(file, format, arguments);
}
int __vasprintf_chk(char** text, int flag, const char* format, va_list arguments);
int __vasprintf_chk(char** text, int flag, const char* format, va_list arguments) {
    (void)flag;
    return vasprintf(text, format, arguments);
}

char* __fgets_chk(char* line, size_t room, int bytes, FILE* file);
char* __fgets_chk(char* line, size_t room, int bytes, FILE* file) {
    require_room(bytes < 0 ? 0 : (size_t)bytes, room, "calls fgets() with more bytes than its buffer has");
    return fgets(line, bytes, file);
}
char* __fgets_unlocked_chk(char* line, size_t room, int bytes, FILE* file);
char* __fgets_unlocked_chk(char* line, size_t room, int bytes, FILE* file) {
    return __fgets_chk(line, room, bytes, file);
}
size_t __fread_chk(void* buffer, size_t room, size_t size, size_t count, FILE* file);
size_t __fread_chk(void* buffer, size_t room, size_t size, size_t count, FILE* file) {
    size_t all;
    if (__builtin_mul_overflow(size, count, &all)) all = (size_t)-1;
    require_room(all, room, "calls fread() with more bytes than its buffer has");
    return fread(buffer, size, count, file);
}
size_t __fread_unlocked_chk(void* buffer, size_t room, size_t size, size_t count, FILE* file);
size_t __fread_unlocked_chk(void* buffer, size_t room, size_t size, size_t count, FILE* file) {
    return __fread_chk(buffer, room, size, count, file);
}
ssize_t __read_chk(int file, void* buffer, size_t bytes, size_t room);
ssize_t __read_chk(int file, void* buffer, size_t bytes, size_t room) {
    require_room(bytes, room, "calls read() with more bytes than its buffer has");
    return read(file, buffer, bytes);
}

/* As the plain names (host.c) */
static const char no_wide[] = "print with printf(), puts() or std::cout, which write UTF-8 as it is";
#define FAILS(name, told, result, advice)    \
    result name(void);                       \
    result name(void) {                      \
        return (result)program_refused(told, advice); \
    }
#define GIVES_NULL(name, told, advice)       \
    void* name(void);                        \
    void* name(void) {                       \
        program_refused(told, advice);          \
        return NULL;                         \
    }
FAILS(__wprintf_chk, "wprintf()", long, no_wide)
FAILS(__fwprintf_chk, "fwprintf()", long, no_wide)
FAILS(__vwprintf_chk, "vwprintf()", long, no_wide)
FAILS(__vfwprintf_chk, "vfwprintf()", long, no_wide)
GIVES_NULL(__fgetws_chk, "fgetws()", no_wide)
FAILS(__open_2, "open()", long, program_no_files)
FAILS(__open64_2, "open()", long, program_no_files)
FAILS(__openat_2, "openat()", long, program_no_files)
FAILS(__openat64_2, "openat()", long, program_no_files)
FAILS(__pread_chk, "pread()", long, program_no_files)
FAILS(__pread64_chk, "pread()", long, program_no_files)
FAILS(__readlink_chk, "readlink()", long, program_no_files)
FAILS(__readlinkat_chk, "readlinkat()", long, program_no_files)
FAILS(__recv_chk, "recv()", long, program_no_host)
FAILS(__recvfrom_chk, "recvfrom()", long, program_no_host)
FAILS(__poll_chk, "poll()", long, program_no_files)
FAILS(__gethostname_chk, "gethostname()", long, program_no_host)
GIVES_NULL(__getcwd_chk, "getcwd()", program_no_files)
GIVES_NULL(__realpath_chk, "realpath()", program_no_files)
