/* The calls of remote files, and the same under their names of UNIX. */
#include <program_support_own.h> /* first: it asks for everything that the C library declares */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "trollius_calls.h"

static const struct trollius_calls* calls(void) {
    return program_own.calls;
}

static int with_errno(int result) {
    if (result >= 0) return result;
    errno = -result;
    return -1;
}

/* By name. A static constructor runs before there is a node. */
static int by_name(int which, const char* name, const char* other, int number, int mode) {
    if (program_own.common == NULL) return program_refused("a file before main()", program_no_files);
    return with_errno(calls()->file_by_name(which, name, other, number, mode));
}
int rfopen(const char* name, int flags, int mode) {
    return by_name(TROLLIUS_RFOPEN, name, NULL, flags, mode);
}
int rfaccess(const char* name, int mode) {
    return by_name(TROLLIUS_RFACCESS, name, NULL, mode, 0);
}
int rfmkdir(const char* name, int mode) {
    return by_name(TROLLIUS_RFMKDIR, name, NULL, mode, 0);
}
int rfrmdir(const char* name) {
    return by_name(TROLLIUS_RFRMDIR, name, NULL, 0, 0);
}
int rfunlink(const char* name) {
    return by_name(TROLLIUS_RFUNLINK, name, NULL, 0, 0);
}
int rfchdir(const char* name) {
    return by_name(TROLLIUS_RFCHDIR, name, NULL, 0, 0);
}
int rftruncate(const char* name, int bytes) {
    return by_name(TROLLIUS_RFTRUNCATE, name, NULL, bytes, 0);
}
int rfrename(const char* from, const char* to) {
    return by_name(TROLLIUS_RFRENAME, from, to, 0, 0);
}
int rfsystem(const char* command) {
    return by_name(TROLLIUS_RFSYSTEM, command, NULL, 0, 0);
}

/* By descriptor */
static int by_descriptor(int which, int descriptor, int number, int other) {
    return with_errno(calls()->file_by_descriptor(which, descriptor, number, other));
}
int rfclose(int descriptor) {
    return by_descriptor(TROLLIUS_RFCLOSE, descriptor, 0, 0);
}
int rflseek(int descriptor, int offset, int whence) {
    return by_descriptor(TROLLIUS_RFLSEEK, descriptor, offset, whence);
}
int rfdup(int descriptor) {
    return by_descriptor(TROLLIUS_RFDUP, descriptor, 0, 0);
}
int rfdup2(int descriptor, int target) {
    return by_descriptor(TROLLIUS_RFDUP2, descriptor, target, 0);
}
int rfftruncate(int descriptor, int bytes) {
    return by_descriptor(TROLLIUS_RFFTRUNCATE, descriptor, bytes, 0);
}
int rfread(int descriptor, void* buffer, int bytes) {
    NOTE_FRAME;
    return with_errno(calls()->transfer(TROLLIUS_RFREAD, descriptor, buffer, bytes));
}
int rfwrite(int descriptor, const void* buffer, int bytes) {
    NOTE_FRAME;
    return with_errno(calls()->transfer(TROLLIUS_RFWRITE, descriptor, (void*)buffer, bytes));
}

static int look(const char* name, int descriptor, struct stat* facts) {
    struct trollius_facts found;
    memset(facts, 0, sizeof *facts);
    if (with_errno(calls()->look_at_file(name, descriptor, &found)) != 0) return -1;
    facts->st_mode = (found.kind == 1 ? S_IFREG : found.kind == 2 ? S_IFDIR : S_IFCHR) | (mode_t)found.mode;
    facts->st_size = found.bytes;
    return 0;
}
int rfstat(const char* name, struct stat* facts) {
    return look(name == NULL ? "" : name, -1, facts);
}
int rffstat(int descriptor, struct stat* facts) {
    return look(NULL, descriptor, facts);
}
int rfgetwd(char* buffer, int bytes) {
    return with_errno(calls()->working_folder(buffer, bytes));
}
int rfstate(int node, struct fstate* table, int most) {
    return with_errno(calls()->descriptors_of(node, table, most));
}
int rfrmfd(int node, int descriptor) {
    return with_errno(calls()->change_descriptor(TROLLIUS_RFRMFD, node, descriptor, 0));
}
int rfincr(int node, int descriptor, int by) {
    return with_errno(calls()->change_descriptor(TROLLIUS_RFINCR, node, descriptor, by));
}

/* The names of UNIX. A program may have functions of its own with these names. */
#pragma weak open
#pragma weak open64
#pragma weak creat
#pragma weak close
#pragma weak read
#pragma weak write
#pragma weak writev
#pragma weak lseek
#pragma weak lseek64
#pragma weak dup
#pragma weak dup2
#pragma weak isatty
#pragma weak access
#pragma weak unlink
#pragma weak remove
#pragma weak rename
#pragma weak mkdir
#pragma weak rmdir
#pragma weak chdir
#pragma weak getcwd
#pragma weak stat
#pragma weak stat64
#pragma weak fstat
#pragma weak fstat64
#pragma weak truncate
#pragma weak ftruncate
int open(const char* name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const int mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return rfopen(name, flags, mode);
}
int open64(const char* name, int flags, ...) __attribute__((alias("open")));
int creat(const char* name, mode_t mode) {
    return rfopen(name, O_WRONLY | O_CREAT | O_TRUNC, (int)mode);
}
int close(int descriptor) {
    return rfclose(descriptor);
}
static int bounded(size_t bytes) {
    return bytes > INT_MAX ? INT_MAX : (int)bytes; /* too much for a node: it is diagnosed */
}
ssize_t read(int descriptor, void* buffer, size_t bytes) {
    return rfread(descriptor, buffer, bounded(bytes));
}
ssize_t program_write(int descriptor, const void* data, size_t bytes) {
    return rfwrite(descriptor, data, bounded(bytes));
}
ssize_t write(int descriptor, const void* data, size_t bytes) {
    return program_write(descriptor, data, bytes);
}
ssize_t writev(int descriptor, const struct iovec* parts, int count) {
    ssize_t all = 0;
    for (int i = 0; i < count; ++i) {
        const ssize_t put = program_write(descriptor, parts[i].iov_base, parts[i].iov_len);
        if (put < 0) return all > 0 ? all : -1;
        all += put;
        if ((size_t)put < parts[i].iov_len) break;
    }
    return all;
}
off_t lseek(int descriptor, off_t offset, int whence) {
    if (offset < INT_MIN || offset > INT_MAX) return errno = EOVERFLOW, -1;
    return rflseek(descriptor, (int)offset, whence);
}
off64_t lseek64(int descriptor, off64_t offset, int whence) {
    return lseek(descriptor, offset, whence);
}
int dup(int descriptor) {
    return rfdup(descriptor);
}
int dup2(int descriptor, int target) {
    return rfdup2(descriptor, target);
}
int isatty(int descriptor) {
    (void)descriptor;
    errno = ENOTTY;
    return 0;
}
int access(const char* name, int mode) {
    return rfaccess(name, mode);
}
int unlink(const char* name) {
    return rfunlink(name);
}
int remove(const char* name) {
    if (rfunlink(name) == 0) return 0;
    return errno == EISDIR ? rfrmdir(name) : -1;
}
int rename(const char* from, const char* to) {
    return rfrename(from, to);
}
int mkdir(const char* name, mode_t mode) {
    return rfmkdir(name, (int)mode);
}
int rmdir(const char* name) {
    return rfrmdir(name);
}
int chdir(const char* name) {
    return rfchdir(name);
}
char* getcwd(char* buffer, size_t bytes) {
    if (buffer == NULL && bytes == 0) bytes = 162;
    char* const room = buffer != NULL ? buffer : malloc(bytes);
    if (room == NULL || rfgetwd(room, bounded(bytes)) == 0) return room;
    if (buffer == NULL) free(room);
    return NULL;
}
int stat(const char* restrict name, struct stat* restrict facts) {
    return rfstat(name, facts);
}
int stat64(const char* restrict name, struct stat64* restrict facts) {
    return rfstat(name, (struct stat*)facts);
}
int fstat(int descriptor, struct stat* facts) {
    return rffstat(descriptor, facts);
}
int fstat64(int descriptor, struct stat64* facts) {
    return rffstat(descriptor, (struct stat*)facts);
}
int truncate(const char* name, off_t bytes) {
    if (bytes < 0 || bytes > INT_MAX) return errno = EINVAL, -1;
    return rftruncate(name, (int)bytes);
}
int ftruncate(int descriptor, off_t bytes) {
    if (bytes < 0 || bytes > INT_MAX) return errno = EINVAL, -1;
    return rfftruncate(descriptor, (int)bytes);
}
