/* printf() and its relatives print on the host's console, through the modelled machine; getchar() and its relatives read the
 * input stream. A node has no other files. */
#include "trek_support_own.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C library defines these as macros, too. */
#undef fwrite_unlocked
#undef putc
#undef putchar
#undef getc
#undef getchar

static int refused(const char* function, const char* advice) {
    if (trek_own.table != NULL) trek_own.table->refuse(function, advice);
    errno = ENOSYS;
    return -1;
}
static const char no_files[] = "a node has no files; trek_save() writes one on the host, trek_read() reads the input stream";

static int is_console(FILE* file) {
    return file == stdout || file == stderr;
}

static size_t put(FILE* file, const char* text, size_t bytes) {
    if (!is_console(file)) {
        refused("writing to a file", no_files);
        return 0;
    }
    if (trek_own.table != NULL)
        trek_own.table->write(text, bytes); /* what a static constructor prints has no node yet: it is dropped */
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
    return bytes == 0 || trek_own.table == NULL ? 0 : trek_own.table->read(to, bytes);
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

static const char line_first[] = "read a line with fgets() and take it apart with sscanf()";
static const char no_host[] = "a node has no operating system of that kind; take the call out";
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
FILE* fopen(const char* name, const char* mode) {
    (void)name, (void)mode;
    refused("fopen()", no_files);
    return NULL;
}
FILE* fopen64(const char* name, const char* mode) {
    return fopen(name, mode);
}
FILE* freopen(const char* name, const char* mode, FILE* file) {
    (void)name, (void)mode, (void)file;
    refused("freopen()", no_files);
    return NULL;
}
int fclose(FILE* file) {
    (void)file;
    return 0;
}
FILE* popen(const char* command, const char* mode) {
    (void)command, (void)mode;
    refused("popen()", no_host);
    return NULL;
}
int system(const char* command) {
    (void)command;
    return refused("system()", no_host);
}
