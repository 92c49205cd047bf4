/* printf(), getchar() and their relatives, over the streams of the kind of program: program_put() and program_take(). */
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
#undef fread_unlocked

#define refused program_refused

int vfprintf(FILE* file, const char* format, va_list arguments) {
    char room[512];
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(room, sizeof room, format, again);
    va_end(again);
    if (length < 0) return length;
    if ((size_t)length < sizeof room) return program_put(file, room, (size_t)length) == (size_t)length ? length : -1;
    char* text = malloc((size_t)length + 1);
    if (text == NULL) return -1;
    vsnprintf(text, (size_t)length + 1, format, arguments);
    program_put(file, text, (size_t)length);
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
    char* text;
    const int length = vasprintf(&text, format, arguments);
    if (length < 0) return length;
    const ssize_t put = program_write(file, text, (size_t)length);
    free(text);
    return (int)put;
}
int dprintf(int file, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vdprintf(file, format, arguments);
    va_end(arguments);
    return length;
}

size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
    return size == 0 ? 0 : program_put(file, data, size * count) / size;
}
size_t fwrite_unlocked(const void* data, size_t size, size_t count, FILE* file) {
    return fwrite(data, size, count, file);
}
int fputs(const char* text, FILE* file) {
    return program_put(file, text, strlen(text)) == strlen(text) ? 1 : EOF;
}
int fputs_unlocked(const char* text, FILE* file) {
    return fputs(text, file);
}
int puts(const char* text) {
    return fputs(text, stdout) < 0 ? EOF : fputs("\n", stdout);
}
int fputc(int character, FILE* file) {
    const char one = (char)character;
    return program_put(file, &one, 1) == 1 ? (unsigned char)one : EOF;
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
size_t fread(void* buffer, size_t size, size_t count, FILE* file) {
    return size == 0 ? 0 : program_take(buffer, size * count, file) / size;
}
int fgetc(FILE* file) {
    unsigned char one;
    return program_take(&one, 1, file) == 1 ? one : EOF;
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

#pragma weak getline
#pragma weak getdelim
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
