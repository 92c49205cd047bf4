/* printf() and its relatives print on the host's console, through the modelled machine; getchar() and its relatives read the
 * input stream. A node has no other files. */
#include "program_support_own.h"

#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* The C library defines these as macros, too. */
#undef fwrite_unlocked
#undef putc
#undef putchar
#undef getc
#undef getchar
#undef putc_unlocked
#undef fputc_unlocked
#undef putchar_unlocked
#undef getc_unlocked
#undef fgetc_unlocked
#undef getchar_unlocked
#undef feof
#undef ferror
#undef clearerr
#undef feof_unlocked
#undef ferror_unlocked
#undef clearerr_unlocked
#undef fread_unlocked

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

static size_t put(FILE* file, const char* text, size_t bytes) {
    if (!is_console(file)) {
        refused("writing to a file", no_files);
        return 0;
    }
    if (program_own.common != NULL)
        program_own.common->write(text, bytes); /* what a static constructor prints has no node yet: it is dropped */
    return bytes;
}

int vfprintf(FILE* file, const char* format, va_list arguments) {
    char room[512];
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(room, sizeof room, format, again);
    va_end(again);
    if (length < 0) return length;
    if ((size_t)length < sizeof room) return put(file, room, (size_t)length) == (size_t)length ? length : -1;
    char* text = malloc((size_t)length + 1);
    if (text == NULL) return -1;
    vsnprintf(text, (size_t)length + 1, format, arguments);
    put(file, text, (size_t)length);
    free(text);
    return length;
}
int vprintf(const char* format, va_list arguments) {
    return vfprintf(stdout, format, arguments);
}
int fprintf(FILE* file, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vfprintf(file, format, arguments);
    va_end(arguments);
    return length;
}
int printf(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vfprintf(stdout, format, arguments);
    va_end(arguments);
    return length;
}

#pragma weak dprintf
#pragma weak vdprintf
int vdprintf(int file, const char* format, va_list arguments) {
    if (file == 1 || file == 2) return vfprintf(stdout, format, arguments);
    return refused("dprintf() to a file", no_files);
}
int dprintf(int file, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vdprintf(file, format, arguments);
    va_end(arguments);
    return length;
}

size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
    return size == 0 ? 0 : put(file, data, size * count) / size;
}
size_t fwrite_unlocked(const void* data, size_t size, size_t count, FILE* file) {
    return fwrite(data, size, count, file);
}
int fputs(const char* text, FILE* file) {
    return put(file, text, strlen(text)) == strlen(text) ? 1 : EOF;
}
int fputs_unlocked(const char* text, FILE* file) {
    return fputs(text, file);
}
int puts(const char* text) {
    return fputs(text, stdout) < 0 ? EOF : fputs("\n", stdout);
}
int fputc(int character, FILE* file) {
    const char one = (char)character;
    return put(file, &one, 1) == 1 ? (unsigned char)one : EOF;
}
int putc(int character, FILE* file) {
    return fputc(character, file);
}
int putchar(int character) {
    return fputc(character, stdout);
}
int putc_unlocked(int character, FILE* file) {
    return fputc(character, file);
}
int fputc_unlocked(int character, FILE* file) {
    return fputc(character, file);
}
int putchar_unlocked(int character) {
    return fputc(character, stdout);
}
int __overflow(FILE* file, int character);
int __overflow(FILE* file, int character) {
    return fputc(character, file);
}
/* As err(), but they return. */
#pragma weak vwarnx
#pragma weak vwarn
#pragma weak warnx
#pragma weak warn
void vwarnx(const char* format, va_list arguments) {
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
}
void vwarn(const char* format, va_list arguments) {
    const int error = errno;
    vfprintf(stderr, format, arguments);
    fprintf(stderr, ": %s\n", strerror(error));
}
void warnx(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vwarnx(format, arguments);
    va_end(arguments);
}
void warn(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vwarn(format, arguments);
    va_end(arguments);
}

/* A process is one thread. */
void flockfile(FILE* file) {
    (void)file;
}
int ftrylockfile(FILE* file) {
    (void)file;
    return 0;
}
void funlockfile(FILE* file) {
    (void)file;
}
void perror(const char* text) {
    fprintf(stderr, "%s: %s\n", text, strerror(errno));
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

static size_t take(void* buffer, size_t bytes, FILE* file) {
    char* to = buffer;
    if (file != stdin) {
        refused("reading a file", no_files);
        return 0;
    }
    if (bytes > 0 && put_back != EOF) {
        *to = (char)put_back;
        put_back = EOF;
        return 1 + take(to + 1, bytes - 1, file);
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

size_t fread(void* buffer, size_t size, size_t count, FILE* file) {
    return size == 0 ? 0 : take(buffer, size * count, file) / size;
}
int fgetc(FILE* file) {
    unsigned char one;
    return take(&one, 1, file) == 1 ? one : EOF;
}
int getc(FILE* file) {
    return fgetc(file);
}
int getchar(void) {
    return fgetc(stdin);
}
int fgetc_unlocked(FILE* file) {
    return fgetc(file);
}
int getc_unlocked(FILE* file) {
    return fgetc(file);
}
int getchar_unlocked(void) {
    return fgetc(stdin);
}
int __uflow(FILE* file);
int __uflow(FILE* file) {
    return fgetc(file);
}
size_t fread_unlocked(void* buffer, size_t size, size_t count, FILE* file) {
    return fread(buffer, size, count, file);
}
int ungetc(int character, FILE* file) {
    if (file != stdin || character == EOF) return EOF;
    return put_back = (unsigned char)character;
}
char* fgets(char* line, int room, FILE* file) {
    int at = 0;
    for (int c = 0; at + 1 < room && c != '\n';) {
        c = fgetc(file);
        if (c == EOF) break;
        line[at++] = (char)c;
    }
    if (at == 0) return NULL;
    line[at] = '\0';
    return line;
}

ssize_t getdelim(char** line, size_t* room, int delimiter, FILE* file) {
    size_t at = 0;
    if (*line == NULL) *room = 0;
    for (int c = 0; c != delimiter;) {
        c = fgetc(file);
        if (c == EOF) break;
        if (at + 2 > *room) {
            const size_t more = *room < 60 ? 120 : 2 * *room;
            char* longer = realloc(*line, more);
            if (longer == NULL) return -1;
            *line = longer;
            *room = more;
        }
        (*line)[at++] = (char)c;
    }
    if (at == 0) return -1;
    (*line)[at] = '\0';
    return (ssize_t)at;
}
ssize_t __getdelim(char** line, size_t* room, int delimiter, FILE* file);
ssize_t __getdelim(char** line, size_t* room, int delimiter, FILE* file) {
    return getdelim(line, room, delimiter, file);
}
ssize_t getline(char** line, size_t* room, FILE* file) {
    return getdelim(line, room, '\n', file);
}

/* By number: the console and the input stream are there, no other. A program may have functions of its own with these names. */
#pragma weak write
#pragma weak writev
#pragma weak read
#pragma weak isatty
#pragma weak getline
#pragma weak getdelim
#pragma weak fileno
ssize_t write(int file, const void* data, size_t bytes) {
    if (file == 1 || file == 2) return (ssize_t)put(stdout, data, bytes);
    return refused("write() to a file", no_files);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
    ssize_t all = 0;
    if (file != 1 && file != 2) return refused("writev() to a file", no_files);
    for (int i = 0; i < count; ++i) all += (ssize_t)put(stdout, parts[i].iov_base, parts[i].iov_len);
    return all;
}
ssize_t read(int file, void* buffer, size_t bytes) {
    if (file == 0) return (ssize_t)take(buffer, bytes, stdin);
    return refused("read() from a file", no_files);
}
int isatty(int file) {
    (void)file;
    errno = ENOTTY;
    return 0;
}

static const char line_first[] = "read a line with fgets() and take it apart with sscanf()";
int vfscanf(FILE* file, const char* format, va_list arguments) {
    (void)file, (void)format, (void)arguments;
    return refused("fscanf()", line_first);
}
int fscanf(FILE* file, const char* format, ...) {
    (void)file, (void)format;
    return refused("fscanf()", line_first);
}
int scanf(const char* format, ...) {
    (void)format;
    return refused("scanf()", line_first);
}
/* The header calls the three above __isoc99_scanf and the like; these are the names of older code. */
int old_fscanf(FILE* file, const char* format, ...) __asm__("fscanf");
int old_fscanf(FILE* file, const char* format, ...) {
    (void)file, (void)format;
    return refused("fscanf()", line_first);
}
int old_scanf(const char* format, ...) __asm__("scanf");
int old_scanf(const char* format, ...) {
    (void)format;
    return refused("scanf()", line_first);
}
int fclose(FILE* file) {
    (void)file;
    return 0;
}
