/* stdio of a program on a node, over the calls of remote files. A stream gathers a packet before it asks filed. The console's
 * output goes a line at a time, since others print there, too. The C library's own streams would ask the host's kernel; its
 * functions that only format text are used as they are (text.c). */
#include <program_support_own.h> /* first: it asks for everything that the C library declares */

#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trollius_calls.h"

/* The C library defines these as macros, too. */
#undef feof
#undef ferror
#undef clearerr
#undef feof_unlocked
#undef ferror_unlocked
#undef clearerr_unlocked

enum { reads = 1, writes = 2, by_lines = 4, at_once = 8, ended = 16, failed = 32 };
enum { room = MAXNMSGLEN, no_lock = 0x8000 };

/* `file` is what the program knows: a stream with no room and no characters, so that everything that the C library's macros and
 * inlines do comes to the functions below. */
struct stream {
    FILE file;
    void* functions;
    int descriptor, how, put_back;
    char* buffer;   /* `room` bytes, once it is needed */
    int at, filled; /* input: the next character, and the end of what has been read. Output: 0, and the end of what is to be written */
    int holds_output;
    struct stream* next;
};
#define STREAM(number, what, after) \
    { .file = {._flags = no_lock}, .descriptor = number, .how = what, .put_back = EOF, .next = after }
static struct stream errors = STREAM(2, writes | by_lines, NULL), console = STREAM(1, writes | by_lines, &errors),
                     input = STREAM(0, reads, &console);
static struct stream* open_streams = &input;
#undef stdout
#undef stderr
#undef stdin
FILE* stdout = &console.file;
FILE* stderr = &errors.file;
FILE* stdin = &input.file;

static struct stream* of(FILE* file) {
    return (struct stream*)file;
}

static int fails(struct stream* stream, int error) {
    stream->how |= failed;
    errno = error;
    return EOF;
}

static int write_all(struct stream* stream, const char* text, int bytes) {
    while (bytes > 0) {
        const int put = rfwrite(stream->descriptor, text, bytes);
        if (put <= 0) return fails(stream, put == 0 ? EIO : errno);
        text += put;
        bytes -= put;
    }
    return 0;
}

/* A handler that uses the stream must find it whole. */
static void handlers_may_run(int mask) {
    const int error = errno;
    ksigsetmask(mask);
    errno = error;
}

/* Writes the first bytes that the stream holds. */
static int write_first(struct stream* stream, int bytes) {
    const int mask = ksigblock(~0);
    const int result = write_all(stream, stream->buffer, bytes);
    stream->filled -= bytes;
    memmove(stream->buffer, stream->buffer + bytes, (size_t)stream->filled);
    handlers_may_run(mask);
    return result;
}

static int flush(struct stream* stream) {
    return stream->holds_output && stream->filled > 0 ? write_first(stream, stream->filled) : 0;
}

/* What was read ahead goes back: the descriptor's offset is where the program is. */
static void forget_input(struct stream* stream) {
    const int ahead = stream->filled - stream->at + (stream->put_back != EOF);
    if (!stream->holds_output && ahead > 0) rflseek(stream->descriptor, -ahead, SEEK_CUR);
    stream->at = stream->filled = 0;
    stream->put_back = EOF;
}

static int has_buffer(struct stream* stream) {
    if (stream->buffer == NULL) stream->buffer = malloc(room);
    return stream->buffer != NULL;
}

size_t program_put(FILE* file, const char* text, size_t bytes) {
    struct stream* const stream = of(file);
    if (program_own.common == NULL) return bytes; /* what a static constructor prints has no node yet: it is dropped */
    if ((stream->how & writes) == 0) return fails(stream, EBADF), 0;
    if (!stream->holds_output) forget_input(stream);
    stream->holds_output = 1;
    if (!has_buffer(stream)) return bytes <= INT_MAX && write_all(stream, text, (int)bytes) == 0 ? bytes : 0;
    for (size_t done = 0; done < bytes;) {
        const size_t rest = bytes - done, space = (size_t)(room - stream->filled), part = rest < space ? rest : space;
        memcpy(stream->buffer + stream->filled, text + done, part);
        stream->filled += (int)part;
        done += part;
        if (stream->filled == room && flush(stream) != 0) return 0;
    }
    const char* const line = (stream->how & by_lines) != 0 ? memrchr(stream->buffer, '\n', (size_t)stream->filled) : NULL;
    const int now = (stream->how & at_once) != 0 ? stream->filled : line != NULL ? (int)(line - stream->buffer) + 1 : 0;
    return now > 0 && write_first(stream, now) != 0 ? 0 : bytes;
}

/* Reads at least a byte, if there is one: straight into a large room, else ahead. */
static int read_more(struct stream* stream, char* to, size_t bytes) {
    if (stream->descriptor == 0) flush(&console); /* the question comes before its answer */
    const int straight = bytes >= room || !has_buffer(stream);
    const int wanted = !straight ? room : bytes > INT_MAX / 2 ? INT_MAX / 2 : (int)bytes;
    const int mask = ksigblock(~0);
    const int got = rfread(stream->descriptor, straight ? to : stream->buffer, wanted);
    if (got < 0) {
        fails(stream, errno);
    } else {
        if (got == 0) stream->how |= ended;
        stream->at = 0;
        stream->filled = straight ? 0 : got;
    }
    handlers_may_run(mask);
    return straight && got > 0 ? got : 0;
}

size_t program_take(void* buffer, size_t bytes, FILE* file) {
    struct stream* const stream = of(file);
    char* const to = buffer;
    size_t done = 0;
    if (program_own.common == NULL) return 0;
    if ((stream->how & reads) == 0) return fails(stream, EBADF), 0;
    if (stream->holds_output) {
        flush(stream);
        stream->filled = stream->holds_output = 0;
    }
    if (bytes > 0 && stream->put_back != EOF) {
        to[done++] = (char)stream->put_back;
        stream->put_back = EOF;
    }
    while (done < bytes) {
        const size_t there = (size_t)(stream->filled - stream->at), part = there < bytes - done ? there : bytes - done;
        memcpy(to + done, stream->buffer + stream->at, part);
        stream->at += (int)part;
        done += part;
        if (done == bytes) break;
        done += (size_t)read_more(stream, to + done, bytes - done);
        if (done < bytes && stream->filled == 0) break;
    }
    return done;
}

int fflush(FILE* file) {
    int result = 0;
    if (file != NULL) return flush(of(file));
    for (struct stream* each = open_streams; each != NULL; each = each->next) result |= flush(each);
    return result;
}
int fflush_unlocked(FILE* file) {
    return fflush(file);
}
int fcloseall(void) {
    return fflush(NULL); /* the C library's would shut Magicwire's streams, too */
}
void program_end_streams(void) {
    fflush(NULL);
}

int setvbuf(FILE* file, char* buffer, int mode, size_t bytes) {
    struct stream* const stream = of(file);
    (void)buffer, (void)bytes; /* it has one of its own */
    flush(stream);
    stream->how &= ~(by_lines | at_once);
    stream->how |= mode == _IONBF ? at_once : mode == _IOLBF ? by_lines : 0;
    return 0;
}
void setbuf(FILE* file, char* buffer) {
    setvbuf(file, buffer, buffer == NULL ? _IONBF : _IOFBF, 0);
}
void setbuffer(FILE* file, char* buffer, size_t bytes) {
    (void)bytes;
    setbuf(file, buffer);
}
void setlinebuf(FILE* file) {
    setvbuf(file, NULL, _IOLBF, 0);
}

int feof(FILE* file) {
    return (of(file)->how & ended) != 0;
}
int ferror(FILE* file) {
    return (of(file)->how & failed) != 0;
}
void clearerr(FILE* file) {
    of(file)->how &= ~(ended | failed);
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
#pragma weak fileno
int fileno(FILE* file) {
    return of(file)->descriptor;
}
int ungetc(int character, FILE* file) {
    struct stream* const stream = of(file);
    if (character == EOF || stream->put_back != EOF || (stream->how & reads) == 0) return EOF;
    stream->how &= ~ended;
    return stream->put_back = (unsigned char)character;
}

/* Places */
int fseeko(FILE* file, off_t offset, int whence) {
    struct stream* const stream = of(file);
    if (flush(stream) != 0) return -1;
    forget_input(stream);
    stream->holds_output = 0;
    if (offset < INT_MIN || offset > INT_MAX) return errno = EOVERFLOW, -1;
    if (rflseek(stream->descriptor, (int)offset, whence) < 0) return -1;
    stream->how &= ~ended;
    return 0;
}
off_t ftello(FILE* file) {
    struct stream* const stream = of(file);
    const int at = rflseek(stream->descriptor, 0, SEEK_CUR);
    if (at < 0) return -1;
    return stream->holds_output ? at + stream->filled : at - (stream->filled - stream->at) - (stream->put_back != EOF);
}
int fseek(FILE* file, long offset, int whence) {
    return fseeko(file, offset, whence);
}
long ftell(FILE* file) {
    return ftello(file);
}
int fseeko64(FILE* file, off64_t offset, int whence) {
    return fseeko(file, offset, whence);
}
off64_t ftello64(FILE* file) {
    return ftello(file);
}
void rewind(FILE* file) {
    fseek(file, 0, SEEK_SET);
    clearerr(file);
}
int fgetpos(FILE* file, fpos_t* place) {
    memset(place, 0, sizeof *place);
    place->__pos = ftell(file);
    return place->__pos < 0 ? -1 : 0;
}
int fsetpos(FILE* file, const fpos_t* place) {
    return fseek(file, place->__pos, SEEK_SET);
}

/* Opening and closing */

/* The flags of a mode such as "r+b"; -1: it is none. `how`: whether it reads and writes. */
static int flags_of(const char* mode, int* how) {
    int flags = mode[0] == 'r' ? O_RDONLY : mode[0] == 'w' ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY | O_CREAT | O_APPEND;
    *how = mode[0] == 'r' ? reads : writes;
    if (mode[0] == '\0' || strchr("rwa", mode[0]) == NULL) return -1;
    for (++mode; *mode != '\0' && *mode != ','; ++mode) {
        if (*mode == '+') {
            flags = (flags & ~O_ACCMODE) | O_RDWR;
            *how = reads | writes;
        }
        if (*mode == 'x') flags |= O_EXCL;
    }
    return flags;
}

static FILE* add_stream(int descriptor, int how) {
    struct stream* const stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    const struct stream made = STREAM(descriptor, how, open_streams);
    *stream = made;
    open_streams = stream;
    return &stream->file;
}

FILE* fdopen(int descriptor, const char* mode) {
    int how;
    if (flags_of(mode, &how) < 0) return errno = EINVAL, NULL;
    return add_stream(descriptor, how);
}

FILE* fopen(const char* name, const char* mode) {
    int how;
    const int flags = flags_of(mode, &how);
    if (flags < 0) return errno = EINVAL, NULL;
    const int descriptor = rfopen(name, flags, 0666);
    if (descriptor < 0) return NULL;
    FILE* const file = add_stream(descriptor, how);
    if (file == NULL) rfclose(descriptor);
    return file;
}
FILE* fopen64(const char* name, const char* mode) {
    return fopen(name, mode);
}

/* Writes what it holds and gives its descriptor up. */
static int shut(struct stream* stream) {
    int result = flush(stream);
    if (rfclose(stream->descriptor) != 0) result = EOF;
    stream->at = stream->filled = stream->holds_output = 0;
    stream->put_back = EOF;
    return result;
}

FILE* freopen(const char* name, const char* mode, FILE* file) {
    struct stream* const stream = of(file);
    int how;
    const int flags = flags_of(mode, &how);
    if (flags < 0 || name == NULL) return errno = EINVAL, NULL;
    shut(stream);
    const int descriptor = rfopen(name, flags, 0666);
    stream->how = how;
    if (descriptor < 0) return stream->descriptor = -1, NULL;
    stream->descriptor = descriptor;
    return file;
}
FILE* freopen64(const char* name, const char* mode, FILE* file) {
    return freopen(name, mode, file);
}

int fclose(FILE* file) {
    struct stream* const stream = of(file);
    const int result = shut(stream);
    struct stream** place = &open_streams;
    while (*place != NULL && *place != stream) place = &(*place)->next;
    if (*place != NULL) *place = stream->next;
    free(stream->buffer);
    stream->buffer = NULL;
    stream->how = 0;
    if (stream != &input && stream != &console && stream != &errors) free(stream);
    return result;
}
