/* The environment of a process: what was handed over with its command, and what the process has set. */
#include <program_support_own.h> /* first: it asks for everything that the C library declares */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

/* A program may have these of its own. */
#pragma weak getenv
#pragma weak secure_getenv
#pragma weak setenv
#pragma weak putenv
#pragma weak unsetenv
#pragma weak clearenv

static char** texts; /* "NAME=VALUE"; ends with a null pointer */
static size_t count, room;

void program_begin_environment(char** given) {
    texts = given;
    count = 0;
    while (given[count] != NULL) ++count;
    room = 0; /* the list is not the process's own */
}

static char** place_of(const char* name, size_t length) {
    for (size_t i = 0; i < count; ++i)
        if (strncmp(texts[i], name, length) == 0 && texts[i][length] == '=') return &texts[i];
    return NULL;
}
static int add(char* text) {
    if (count + 1 >= room) {
        const size_t more = 2 * (count + 8);
        char** all = malloc(more * sizeof *all);
        if (all == NULL) return -1;
        if (count > 0) memcpy(all, texts, count * sizeof *all);
        if (room > 0) free(texts);
        texts = all;
        room = more;
    }
    texts[count++] = text;
    texts[count] = NULL;
    return 0;
}
static int replace(char* text, size_t length) {
    char** place = place_of(text, length);
    if (place == NULL) return add(text);
    *place = text;
    return 0;
}

char* getenv(const char* name) {
    const size_t length = strlen(name);
    char** place = place_of(name, length);
    return place == NULL ? NULL : *place + length + 1;
}
char* secure_getenv(const char* name) {
    return getenv(name);
}
static bool is_name(const char* name) {
    return name != NULL && name[0] != '\0' && strchr(name, '=') == NULL;
}
/* A text that is replaced stays: the program may still have its address. */
int setenv(const char* name, const char* value, int overwrite) {
    if (!is_name(name)) {
        errno = EINVAL;
        return -1;
    }
    const size_t length = strlen(name);
    if (!overwrite && place_of(name, length) != NULL) return 0;
    char* text = malloc(length + strlen(value) + 2);
    if (text == NULL) return -1;
    memcpy(text, name, length);
    text[length] = '=';
    strcpy(text + length + 1, value);
    return replace(text, length);
}
int unsetenv(const char* name) {
    if (!is_name(name)) {
        errno = EINVAL;
        return -1;
    }
    char** place = place_of(name, strlen(name));
    if (place != NULL) memmove(place, place + 1, (size_t)(texts + count-- - place) * sizeof *place);
    return 0;
}
int putenv(char* text) {
    const char* const equals = strchr(text, '=');
    return equals == NULL ? unsetenv(text) : replace(text, (size_t)(equals - text));
}
int clearenv(void) {
    count = 0;
    if (texts != NULL) texts[0] = NULL;
    return 0;
}
