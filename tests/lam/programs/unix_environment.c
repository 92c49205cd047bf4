/* np: 2 */
/* Variables that a program sets for itself; arrays of the C99 and C11 kinds; large static and automatic ones. */
#define _GNU_SOURCE
#include <complex.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <tgmath.h>
#include <unistd.h>

#include "comm_check.h"

static double many[2 << 20];
static _Thread_local int own = 5;
static jmp_buf back;
struct flexible {
    int n;
    double values[];
};
#define KIND(x) _Generic((x), int: "int", double: "double", default: "other")

static double total_of(int n, ...) {
    double sum = 0;
    va_list values;
    va_start(values, n);
    while (n-- > 0) sum += va_arg(values, double);
    va_end(values);
    return sum;
}

static void variables(void) {
    say("%d", getenv("SURELY_NOT_SET") == NULL);
    int done = setenv("MY_OWN", "abc", 1);
    say("%d %s", done, getenv("MY_OWN"));
    done = setenv("MY_OWN", "d", 0);
    say("%d %s", done, getenv("MY_OWN"));
    done = putenv("MY_OTHER=7");
    say("%d %d", done, atoi(getenv("MY_OTHER")));
    done = unsetenv("MY_OWN");
    say("%d %d", done, getenv("MY_OWN") == NULL);
    done = setenv("", "x", 1);
    say("%d %d", done, errno == EINVAL);
}

static void language(void) {
    double here[1 << 15], (*rows)[3] = malloc(sizeof(double[5][3]));
    const int n = 50 + rank;
    double several[n][2];
    const int sparse[10] = {[3] = 4, [9] = 1};
    double complex z = 1 + 2 * I;
    atomic_int counter = 3;
    for (int i = 0; i < 1 << 15; ++i) here[i] = i;
    many[(2 << 20) - 1] = rank;
    several[n - 1][1] = 3;
    rows[4][2] = 2;
    own += rank;
    z *= z;
    atomic_fetch_add(&counter, 2);
    say("%g %g %g %g %d", here[32767], many[(2 << 20) - 1], several[n - 1][1], rows[4][2], own);
    say("%zu %s %s %d %d", sizeof several, KIND(1), KIND(2.0f), sparse[3] + sparse[9], counter);
    say("%g %g %.6f %.3f", creal(z), cimag(z), sqrt(2.0), total_of(3, 1.0, 2.0, 3.5));
    if (setjmp(back) == 0) longjmp(back, 3);
    struct flexible* its = malloc(sizeof *its + 4 * sizeof(double));
    its->values[3] = 2;
    say("%g", its->values[3]);
    free(its);
    free(rows);
#pragma omp parallel for
    for (int i = 0; i < 4; ++i) here[i] = 1;
    const int there = access("surely_not_there", F_OK);
    say("%g %d %d", here[2], there, errno == ENOENT);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    variables();
    language();
    return end();
}
