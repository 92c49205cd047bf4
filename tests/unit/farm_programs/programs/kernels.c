/* Loops of known cost on a T800 (docs/model/program_costs.md): the task says which, and how often it goes round. */
#include <math.h>
#include <string.h>

#include <trek_kernel/trek.h>

enum { most = 4096 };
struct node {
    struct node* next;
    int value;
};
static int numbers[most];
static double x[most], y[most];
static float coefficients[most];
static char flags[most];
static struct node list[most];

void data_generator(void) {}
void result_receiver(void) {}

__attribute__((noinline)) static int sum(const int* a, int n) {
    int s = 0;
    for (int i = 0; i < n; ++i) s += a[i];
    return s;
}
__attribute__((noinline)) static double dot(const double* a, const double* b, int n) {
    double s = 0;
    for (int i = 0; i < n; ++i) s += a[i] * b[i];
    return s;
}
__attribute__((noinline)) static int mandelbrot(double cx, double cy, int n) {
    double re = 0, im = 0;
    int k = 0;
    while (re * re + im * im < 4 && k < n) {
        const double t = re * re - im * im + cx;
        im = 2 * re * im + cy;
        re = t;
        ++k;
    }
    return k;
}
__attribute__((noinline)) static int remainders(int a, int b, int n) {
    int t = 0;
    for (; n > 0; --n) {
        t = a % b;
        a = b + t + n;
    }
    return t;
}
__attribute__((noinline)) static void strike(char* flag, int step, int n) {
    for (int k = 0; k < n; k += step) flag[k] = 0;
}
__attribute__((noinline)) static void bubble(int* a, int n) {
    for (int j = 0; j < n; ++j) {
        if (a[j] > a[j + 1]) {
            const int t = a[j];
            a[j] = a[j + 1];
            a[j + 1] = t;
        }
    }
}
__attribute__((noinline)) static int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__attribute__((noinline)) static double product(const double* row, const double* b, int stride, int n) {
    double s = 0;
    for (int k = 0; k < n; ++k) s += row[k] * b[k * stride];
    return s;
}
__attribute__((noinline)) static unsigned hash(const char* p) {
    unsigned h = 0;
    while (*p != 0) h = h * 31 + (unsigned)*p++;
    return h;
}
__attribute__((noinline)) static float horner(const float* c, float at, int n) {
    float r = 0;
    for (int i = 0; i < n; ++i) r = r * at + c[i];
    return r;
}
__attribute__((noinline)) static int walk(const struct node* p) {
    int s = 0;
    while (p != 0) {
        s += p->value;
        p = p->next;
    }
    return s;
}
__attribute__((noinline)) static double roots(const double* a, int n) {
    double r = 0;
    for (int i = 0; i < n; ++i) r += sqrt(a[i]);
    return r;
}

__attribute__((noinline)) static unsigned cyclic(unsigned c, int n) {
    for (int i = 0; i < n; ++i) {
        if ((c & 1) != 0)
            c = (c >> 1) ^ 0xedb88320u;
        else
            c = c >> 1;
    }
    return c;
}
__attribute__((noinline)) static int bits(unsigned v) {
    int count = 0;
    while (v != 0) {
        v &= v - 1;
        ++count;
    }
    return count;
}
__attribute__((noinline)) static double quotients(const double* a, const double* b, int n) {
    double r = 0;
    for (int i = 0; i < n; ++i) r += a[i] / b[i];
    return r;
}

static double run(int kernel, int n) {
    switch (kernel) {
        case 0:
            return sum(numbers, n);
        case 1:
            return dot(x, y, n);
        case 2:
            return mandelbrot(0.1, 0.1, n);
        case 3:
            return remainders(1 << 30, 12345, n);
        case 4:
            strike(flags, 1, n);
            return 0;
        case 5:
            numbers[0] = 1 << 30;
            bubble(numbers, n);
            return 0;
        case 6:
            return fibonacci(n);
        case 7:
            return product(x, y, 2, n);
        case 8:
            memset(flags, 'a', (size_t)n);
            flags[n] = 0;
            return hash(flags);
        case 9:
            return horner(coefficients, 0.5F, n);
        case 10:
            for (int i = 0; i + 1 < most; ++i) list[i].next = i + 1 == n ? 0 : &list[i + 1]; /* as long for every n */
            return walk(list);
        case 11:
            return roots(x, n);
        case 12:
            return cyclic(0x12345678, n);
        case 13:
            return bits((1u << n) - 1);
        case 14:
            return quotients(x, y, n);
        default:
            return 0;
    }
}

void compute_fn(const void* task, unsigned bytes) {
    int what[2];
    double result;
    memcpy(what, task, bytes < sizeof what ? bytes : sizeof what);
    result = run(what[0], what[1]);
    return_result(&result, sizeof result);
}
