/* The streams of a farm's program: printf() and its relatives print on the host's console, through the modelled machine;
 * getchar() and its relatives read the input stream. A node has no other files. */
#include <program_support_own.h> /* first: it asks for everything that the C library declares */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* The C library defines these as macros, too. */
#undef feof
#undef ferror
#undef clearerr
#undef feof_unlocked
#undef ferror_unlocked
#undef clearerr_unlocked

#define refused program_refused
#define no_files program_no_files

/* What the C library's macros and inlines do to a stream, as putchar_unlocked() does, must not reach the host's: these are
 * streams with no room and no characters, so that everything comes to the functions below. */
enum { no_lock = 0x8000 };
static struct {
    FILE stream;
    void* functions;
} console = {.stream = {._flags = no_lock}}, errors = {.stream = {._flags = no_lock}}, input = {.stream = {._flags = no_lock}};
#undef stdout
#undef stderr
#undef stdin
FILE* stdout = &console.stream;
FILE* stderr = &errors.stream;
FILE* stdin = &input.stream;

static int is_console(FILE* file) {
    return file == stdout || file == stderr;
}

size_t program_put(FILE* file, const char* text, size_t bytes) {
    if (!is_console(file)) {
        refused("writing to a file", no_files);
        return 0;
    }
    if (program_own.common != NULL)
        program_own.common->write(text, bytes); /* what a static constructor prints has no node yet: it is dropped */
    return bytes;
}

int fflush(FILE* file) {
    (void)file; /* a line is printed when it ends, the rest when the function does */
    return 0;
}
int setvbuf(FILE* file, char* buffer, int mode, size_t bytes) {
    (void)file, (void)buffer, (void)mode, (void)bytes;
    return 0;
}
void setbuf(FILE* file, char* buffer) {
    (void)file, (void)buffer;
}

/* Input. One character can be put back, as ungetc() promises. */
static int put_back = EOF;
static int at_end; /* a read found nothing */

size_t program_take(void* buffer, size_t bytes, FILE* file) {
    char* to = buffer;
    if (file != stdin) {
        refused("reading a file", no_files);
        return 0;
    }
    if (bytes > 0 && put_back != EOF) {
        *to = (char)put_back;
        put_back = EOF;
        return 1 + program_take(to + 1, bytes - 1, file);
    }
    if (bytes == 0) return 0;
    const size_t got = program_own.common == NULL ? 0 : program_own.common->read(to, bytes);
    if (got == 0) at_end = 1;
    return got;
}

int feof(FILE* file) {
    return file == stdin && at_end;
}
int ferror(FILE* file) {
    (void)file;
    return 0;
}
void clearerr(FILE* file) {
    if (file == stdin) at_end = 0;
}
int feof_unlocked(FILE* file) {
    return feof(file);
}
int ferror_unlocked(FILE* file) {
    return ferror(file);
}
void clearerr_unlocked(FILE* file) {
    clearerr(file);
}
int fileno(FILE* file) {
    return file == stdin ? 0 : file == stdout ? 1 : file == stderr ? 2 : -1;
}

int ungetc(int character, FILE* file) {
    if (file != stdin || character == EOF) return EOF;
    return put_back = (unsigned char)character;
}
int fclose(FILE* file) {
    (void)file;
    return 0;
}

/* By number: the console and the input stream are there, no other. A program may have functions of its own with these names. */
#pragma weak write
#pragma weak writev
#pragma weak read
#pragma weak isatty
#pragma weak fileno
ssize_t program_write(int file, const void* data, size_t bytes) {
    if (file == 1 || file == 2) return (ssize_t)program_put(stdout, data, bytes);
    return refused("write() to a file", no_files);
}
ssize_t write(int file, const void* data, size_t bytes) {
    return program_write(file, data, bytes);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
    ssize_t all = 0;
    if (file != 1 && file != 2) return refused("writev() to a file", no_files);
    for (int i = 0; i < count; ++i) all += (ssize_t)program_put(stdout, parts[i].iov_base, parts[i].iov_len);
    return all;
}
ssize_t read(int file, void* buffer, size_t bytes) {
    if (file == 0) return (ssize_t)program_take(buffer, bytes, stdin);
    return refused("read() from a file", no_files);
}
int isatty(int file) {
    (void)file;
    errno = ENOTTY;
    return 0;
}
