/* What the language allows, for tests/cli/flowback_test.py. A comment ASK EXPR = VALUE <- LABEL asks for EXPR as its line begins;
 * LABEL stands on the line that wrote it. "initial" is the program's initial value, "?" any place. #N: that execution of the
 * line. A word behind it is the least certainty of the answer; without one it is "certain". */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trek_kernel/trek.h>

static int result;
static int n = 3; /* a static variable of the same name stands in f() */
static int out;

static int f(int x) {
    static int n = 5;
    n += x; /* @f */
    out = n; /* ASK n = 7 <- f */
    return out;
}

static void scopes(void) {
    int x = 10; /* @x */
    {
        int x = 7;
        out = x;
    }
    x += 1;  /* @x2 */
    out = x; /* ASK x = 11 <- x2 */
    f(2);
    out = n; /* ASK n = 3 <- initial */
}

static int order(const void* a, const void* b) {
    return *(const int*)a - *(const int*)b;
}

static int helper(int x) {
    out = x; /* ASK x = 7 <- ? likely */
    return 61;
}
static int sum_of(int first, ...) {
    va_list rest;
    va_start(rest, first);
    const int second = va_arg(rest, int);
    va_end(rest);
    return first * 1000 + helper(second);
}

static int g;
static void probe(void) {
    out = g; /* ASK g = 55 <- ? unknown */
}
static void set_g(int count, ...) {
    va_list rest;
    va_start(rest, count);
    g = va_arg(rest, int);
    va_end(rest);
    probe();
}

static void calls(void) {
    int list[4] = {4, 2, 9, 7}, key = 5;
    int* found = bsearch(&key, list, 4, sizeof list[0], order);
    out = found == NULL; /* ASK found = 0x0 <- ? likely */
    int w = sum_of(6, 7); /* @w */
    out = w; /* ASK w = 6061 <- w */
    g = 2;
    set_g(7, 55);
}

static void texts(void) {
    char text[20] = "xyzlmn", last;
    int written = 0;
    sprintf(text, "%c%s", 0, "abc"); /* @printed */
    last = text[2]; /* ASK text[2] = 98 'b' <- printed */
    out = last;
    snprintf(text, sizeof text, "n%d", 42); /* @snprintf */
    out = text[1]; /* ASK text[1] = 52 '4' <- snprintf */
    sprintf(text, "12345%n", &written);
    out = written; /* ASK written = 5 <- ? unknown */
    const unsigned char byte = 203; /* @byte */
    out = byte; /* ASK byte = 203 <- byte */
}

struct large {
    int list[8];
};
struct padded {
    long a;
    int b;
};
static int first_of(struct large large) {
    return large.list[0] + 1;
}
static struct padded make(int b) {
    struct padded made;
    made.a = 1;
    made.b = b;
    return made;
}
static void structures(void) {
    struct large large;
    struct padded padded;
    memset(&large, 0, sizeof large); /* @zeros */
    large.list[0] = 4; /* @four */
    out = first_of(large);
    out = large.list[0]; /* ASK large.list[0] = 4 <- four */
    out = large.list[7]; /* ASK large.list[7] = 0 <- zeros */
    padded = make(8);
    out = padded.b; /* ASK padded.b = 8 <- ? */
    int* zeros = calloc(4, sizeof *zeros); /* @calloc */
    out = zeros[2]; /* ASK zeros[2] = 0 <- calloc */
    free(zeros);
    long double wide = 0.5L; /* @wide */
    out = wide > 0; /* ASK wide = 0.5 <- wide */
}

struct bits {
    unsigned a : 3, b : 5;
    int rest;
};
static void fields(void) {
    struct bits bits;
    bits.a = 5;
    bits.rest = 9; /* @rest */
    out = bits.rest; /* ASK bits.rest = 9 <- rest */
    out = (int)bits.a;
}

static int last;
static void deep(int level) {
    if (level == 0) {
        last = 77; /* @deep */
        return;
    }
    deep(level - 1);
}

__attribute__((pure)) static int entry(int i) {
    static const int table[4] = {3, 1, 4, 1};
    return table[i & 3];
}

static jmp_buf place;
static void jump(void) {
    longjmp(place, 1);
}
static void jumps(void) {
    if (setjmp(place) == 0) jump();
}

static void loops(void) {
    int s = 0, total = 0;
    for (int i = 0; i < 4; ++i)
        if (i % 2)
            s += i; /* @odd */
        else
            s -= 1;
    out = s; /* ASK s = 2 <- odd */
    for (int i = 0; i < 3; ++i) total += entry(i); /* @total */
    out = total; /* ASK total = 8 <- total */
    for (int i = 0; i < 3; ++i) {
        out = i * 10; /* ASK i#2 = 1 <- ? */
    }
    const int both = n > 5 && (out = 77); /* @both */
    out = both; /* ASK both = 0 <- both */
}

void data_generator(void) {
    for (int i = 0; i < (int)total_tasks(); ++i) do_task(&i, sizeof i);
}

void compute_fn(const void* data, unsigned bytes) {
    int task;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    scopes();
    calls();
    texts();
    structures();
    fields();
    deep(40);
    out = last; /* ASK last = 77 <- deep */
    loops();
    jumps();
    result = task + 1; /* @result */
    out = result; /* ASK result = 1 <- result */
    return_result(&result, sizeof result);
}

void result_receiver(void) {
    static int sum = 4;
    for (unsigned i = 0; i < total_tasks(); ++i) {
        int got;
        memcpy(&got, get_result(0), sizeof got);
        out = sum; /* ASK sum = 4 <- initial */
        sum += got;
    }
    printf("%d\n", sum);
}
