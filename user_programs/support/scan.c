/* scanf() and its relatives, over program_take() and ungetc(). An item is gathered as the C standard defines it (C17, 7.21.6.2):
 * the longest input that begins a matching sequence, so one character put back is enough. strtol() and its relatives make its
 * value. The C library's own functions would look for its own streams. */
#include <program_support_own.h> /* first: it asks for everything that the C library declares */

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define refused program_refused

enum { most_item = 1024, matched = 0, mismatched = 1, at_end = 2, unknown = 3 };
enum size { of_char, of_short, of_int, of_long, of_long_long, of_long_double };

struct input {
    FILE* file;
    long taken;
};
struct directive {
    int suppressed, width; /* width 0: none */
    enum size size;
    char kind;
    const char *set, *set_end; /* of %[ */
    int inverted;
};
struct item {
    char text[most_item + 1];
    int length, most;
};

static int next(struct input* in) {
    const int c = fgetc(in->file);
    if (c != EOF) ++in->taken;
    return c;
}
static void back(struct input* in, int c) {
    if (c == EOF) return;
    ungetc(c, in->file);
    --in->taken;
}
static int after_space(struct input* in) {
    int c = next(in);
    while (c != EOF && isspace(c)) c = next(in);
    return c;
}

static enum size size_of_word(const char** at) {
    const char c = *(*at)++;
    if (c == 'h' && **at == 'h') return ++*at, of_char;
    if (c == 'h') return of_short;
    if (c == 'l' && **at == 'l') return ++*at, of_long_long;
    if (c == 'q' || c == 'j') return of_long_long;
    if (c == 'l' || c == 'z' || c == 't') return of_long;
    if (c == 'L') return of_long_double;
    --*at;
    return of_int;
}

/* The part of the format behind a '%'. Returns what follows it. */
static const char* read_directive(const char* at, struct directive* its) {
    memset(its, 0, sizeof *its);
    if (*at == '*') its->suppressed = 1, ++at;
    for (; isdigit((unsigned char)*at); ++at)
        its->width = its->width < INT_MAX / 10 - 1 ? its->width * 10 + (*at - '0') : its->width;
    its->size = size_of_word(&at);
    its->kind = *at;
    if (*at == '\0') return at;
    ++at;
    if (its->kind != '[') return at;
    if (*at == '^') its->inverted = 1, ++at;
    its->set = at;
    if (*at == ']') ++at;
    while (*at != '\0' && *at != ']') ++at;
    its->set_end = at;
    return *at == ']' ? at + 1 : at;
}

static int is_in_set(const struct directive* its, int c) {
    for (const char* at = its->set; at < its->set_end; ++at) {
        const unsigned char first = (unsigned char)*at;
        unsigned char last = first;
        if (at + 2 < its->set_end && at[1] == '-') last = (unsigned char)at[2], at += 2;
        if (c >= first && c <= last) return !its->inverted;
    }
    return its->inverted;
}

/* Takes the character into the item, and the next one. EOF when the width is used up; then nothing has been read. */
static int keep(struct input* in, struct item* item, int c) {
    item->text[item->length++] = (char)c;
    return item->length < item->most ? next(in) : EOF;
}
static int begin_item(struct input* in, const struct directive* its, struct item* item) {
    item->length = 0;
    item->most = its->width > 0 && its->width < most_item ? its->width : most_item;
    const int c = after_space(in);
    return c == '+' || c == '-' ? keep(in, item, c) : c;
}

static void gather_integer(struct input* in, int base, struct item* item, int c) {
    if (c == '0' && (base == 0 || base == 16)) {
        c = keep(in, item, c);
        if (c == 'x' || c == 'X') {
            base = 16;
            c = keep(in, item, c);
        } else if (base == 0) {
            base = 8;
        }
    }
    if (base == 0) base = 10;
    while (c != EOF) {
        const int value = isdigit(c) ? c - '0' : isalpha(c) ? tolower(c) - 'a' + 10 : 99;
        if (value >= base) break;
        c = keep(in, item, c);
    }
    back(in, c);
}

static int gather_word(struct input* in, struct item* item, int c, const char* word) {
    for (; c != EOF && *word != '\0' && tolower(c) == *word; ++word) c = keep(in, item, c);
    return c;
}
static int gather_digits(struct input* in, struct item* item, int c, int is_hexadecimal) {
    while (c != EOF && (is_hexadecimal ? isxdigit(c) : isdigit(c))) c = keep(in, item, c);
    return c;
}
static void gather_real(struct input* in, struct item* item, int c) {
    int is_hexadecimal = 0;
    if (c != EOF && isalpha(c)) {
        back(in, tolower(c) == 'n' ? gather_word(in, item, c, "nan") : gather_word(in, item, c, "infinity"));
        return;
    }
    if (c == '0') {
        c = keep(in, item, c);
        if (c == 'x' || c == 'X') is_hexadecimal = 1, c = keep(in, item, c);
    }
    c = gather_digits(in, item, c, is_hexadecimal);
    if (c == '.') c = gather_digits(in, item, keep(in, item, c), is_hexadecimal);
    if (c != EOF && tolower(c) == (is_hexadecimal ? 'p' : 'e') && item->length > 0) {
        c = keep(in, item, c);
        if (c == '+' || c == '-') c = keep(in, item, c);
        c = gather_digits(in, item, c, 0);
    }
    back(in, c);
}

static void put_integer(void* to, enum size size, unsigned long long value) {
    switch (size) {
        case of_char:
            *(unsigned char*)to = (unsigned char)value;
            break;
        case of_short:
            *(unsigned short*)to = (unsigned short)value;
            break;
        case of_int:
            *(unsigned*)to = (unsigned)value;
            break;
        case of_long:
            *(unsigned long*)to = (unsigned long)value;
            break;
        default:
            *(unsigned long long*)to = value;
    }
}

/* A sign alone and nothing else was there: the end of the input has stopped it, or another character. */
static int how_it_failed(int first) {
    return first == EOF ? at_end : mismatched;
}

static int scan_integer(struct input* in, const struct directive* its, void* to) {
    struct item item;
    char* end;
    const char kind = its->kind;
    const int base = kind == 'd' || kind == 'u' ? 10 : kind == 'o' ? 8 : kind == 'i' ? 0 : 16;
    const int c = begin_item(in, its, &item);
    if (c == EOF && item.length == 0) return how_it_failed(c);
    gather_integer(in, base, &item, c);
    item.text[item.length] = '\0';
    const int is_signed = kind == 'd' || kind == 'i';
    const unsigned long long value =
        is_signed ? (unsigned long long)strtoll(item.text, &end, base) : strtoull(item.text, &end, base);
    if (item.length == 0 || end != item.text + item.length) return mismatched;
    if (to != NULL) put_integer(to, kind == 'p' ? of_long : its->size, value);
    return matched;
}

static int scan_real(struct input* in, const struct directive* its, void* to) {
    struct item item;
    char* end;
    const int c = begin_item(in, its, &item);
    if (c == EOF && item.length == 0) return how_it_failed(c);
    gather_real(in, &item, c);
    item.text[item.length] = '\0';
    const long double value = strtold(item.text, &end);
    if (item.length == 0 || end != item.text + item.length) return mismatched;
    if (to == NULL) return matched;
    if (its->size == of_long_double) *(long double*)to = value;
    else if (its->size == of_long) *(double*)to = strtod(item.text, NULL);
    else *(float*)to = strtof(item.text, NULL);
    return matched;
}

/* %c, %s and %[, straight into the program's room. */
static int scan_text(struct input* in, const struct directive* its, char* to) {
    const int most = its->width > 0 ? its->width : its->kind == 'c' ? 1 : INT_MAX;
    int length = 0, c = its->kind == 's' ? after_space(in) : next(in);
    if (c == EOF) return at_end;
    while (c != EOF) {
        const int fits = its->kind == 'c' || (its->kind == 's' ? !isspace(c) : is_in_set(its, c));
        if (!fits) break;
        if (to != NULL) to[length] = (char)c;
        c = ++length < most ? next(in) : EOF;
    }
    back(in, c);
    if (length == 0) return mismatched;
    if (to != NULL && its->kind != 'c') to[length] = '\0';
    return matched;
}

static int scan_one(struct input* in, const struct directive* its, void* to) {
    if (its->kind == '%') {
        const int c = after_space(in);
        if (c == '%') return matched;
        back(in, c);
        return how_it_failed(c);
    }
    if (its->kind != '\0' && strchr("diouxXp", its->kind) != NULL) return scan_integer(in, its, to);
    if (its->kind != '\0' && strchr("aAeEfFgG", its->kind) != NULL) return scan_real(in, its, to);
    if ((its->kind == 'c' || its->kind == 's' || its->kind == '[') && its->size == of_int) return scan_text(in, its, to);
    return unknown;
}

int vfscanf(FILE* file, const char* format, va_list arguments) {
    struct input in = {file, 0};
    int done = 0, how = matched;
    while (*format != '\0' && how == matched) {
        if (isspace((unsigned char)*format)) {
            back(&in, after_space(&in));
            ++format;
        } else if (*format != '%') {
            const int c = next(&in);
            if (c != (unsigned char)*format++) {
                back(&in, c);
                how = how_it_failed(c);
            }
        } else {
            struct directive its;
            format = read_directive(format + 1, &its);
            void* const to = its.suppressed || its.kind == '%' ? NULL : va_arg(arguments, void*);
            if (its.kind == 'n') {
                if (to != NULL) put_integer(to, its.size, (unsigned long long)in.taken);
                continue;
            }
            how = scan_one(&in, &its, to);
            if (how == matched && to != NULL) ++done;
        }
    }
    if (how == unknown) return refused("scanf() with that conversion", "use those of C for numbers and plain text");
    return how == at_end && done == 0 ? EOF : done;
}

#define TO_VFSCANF(file)                              \
    va_list arguments;                                \
    va_start(arguments, format);                      \
    const int done = vfscanf(file, format, arguments); \
    va_end(arguments);                                \
    return done

int fscanf(FILE* file, const char* format, ...) {
    TO_VFSCANF(file);
}
int scanf(const char* format, ...) {
    TO_VFSCANF(stdin);
}
int vscanf(const char* format, va_list arguments) {
    return vfscanf(stdin, format, arguments);
}
/* The header calls the four above __isoc99_scanf and the like; these are the names of older code. */
int old_fscanf(FILE* file, const char* format, ...) __asm__("fscanf");
int old_fscanf(FILE* file, const char* format, ...) {
    TO_VFSCANF(file);
}
int old_scanf(const char* format, ...) __asm__("scanf");
int old_scanf(const char* format, ...) {
    TO_VFSCANF(stdin);
}
