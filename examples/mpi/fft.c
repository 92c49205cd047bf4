/* FFT: the root hands out a signal, each rank transforms its part, and the root joins the parts. Thoai and Volkert 2003, table 7.1.
 *   fft [SIGNALS [POINTS [check]]]   default 45004 signals of 64 points
 * 2 (n - 1) messages for a signal. The number of ranks is a power of two. Prints a checksum of all spectra; `check`
 * compares it with that of a single process. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_points = 1024 };
typedef struct {
    double re, im;
} complex_number;

static const double pi = 3.14159265358979323846;
static complex_number root_of_unity[most_points]; /* exp(-2 pi i k / points) */
static int all_points;

/* The spectrum of two halves, of which one has the even points. */
static void join(const complex_number* even, const complex_number* odd, int half, complex_number* to) {
    const int step = all_points / (2 * half);
    for (int k = 0; k < half; ++k) {
        const complex_number w = root_of_unity[k * step];
        const complex_number t = {w.re * odd[k].re - w.im * odd[k].im, w.re * odd[k].im + w.im * odd[k].re};
        to[k] = (complex_number){even[k].re + t.re, even[k].im + t.im};
        to[k + half] = (complex_number){even[k].re - t.re, even[k].im - t.im};
    }
}

/* Of every `stride`-th point from `from` on; Cooley and Tukey 1965. */
static void transform(const complex_number* from, int stride, int count, complex_number* to) {
    complex_number halves[2][most_points / 2];
    if (count == 1) {
        to[0] = from[0];
        return;
    }
    transform(from, 2 * stride, count / 2, halves[0]);
    transform(from + stride, 2 * stride, count / 2, halves[1]);
    join(halves[0], halves[1], count / 2, to);
}

static void signal_of(int number, int points, complex_number* to) {
    for (int i = 0; i < points; ++i)
        to[i] = (complex_number){(number * 7 + i * i) % 101, (number + 3 * i) % 17};
}

static double sum_of(const complex_number* spectrum, int points) {
    double sum = 0;
    for (int i = 0; i < points; ++i) sum += spectrum[i].re * (i + 1) - spectrum[i].im;
    return sum;
}

/* Parts of ranks `first`, `first + stride`, ...: rank r has the points r, r + size, ... */
static void join_parts(complex_number* parts, int part, int first, int stride, int size, complex_number* to) {
    complex_number halves[2][most_points / 2];
    if (stride == size) {
        for (int i = 0; i < part; ++i) to[i] = parts[first * part + i];
        return;
    }
    join_parts(parts, part, first, 2 * stride, size, halves[0]);
    join_parts(parts, part, first + stride, 2 * stride, size, halves[1]);
    join(halves[0], halves[1], part * (size / stride) / 2, to);
}

int main(int argc, char** argv) {
    const int signals = argc > 1 ? atoi(argv[1]) : 45004, points = argc > 2 ? atoi(argv[2]) : 64;
    const int checks = argc > 3 && strcmp(argv[3], "check") == 0;
    static complex_number whole[most_points], parts[most_points], mine[most_points], spectrum[most_points];
    double sum = 0, expected = 0;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (points > most_points || points % size != 0 || (size & (size - 1)) != 0) {
        if (rank == 0) fprintf(stderr, "fft: the number of ranks is a power of two, and divides at most %d points\n", most_points);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int part = points / size;
    all_points = points;
    for (int k = 0; k < points; ++k) root_of_unity[k] = (complex_number){cos(2 * pi * k / points), -sin(2 * pi * k / points)};
    for (int number = 0; number < signals; ++number) {
        if (rank == 0) {
            signal_of(number, points, whole);
            for (int to = size - 1; to >= 0; --to) {
                for (int i = 0; i < part; ++i) mine[i] = whole[to + i * size];
                if (to > 0) MPI_Send(mine, 2 * part, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
            }
        } else {
            MPI_Recv(mine, 2 * part, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        transform(mine, 1, part, parts);
        if (rank > 0) {
            MPI_Send(parts, 2 * part, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
            continue;
        }
        for (int from = 1; from < size; ++from)
            MPI_Recv(parts + from * part, 2 * part, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        join_parts(parts, part, 0, 1, size, spectrum);
        sum += sum_of(spectrum, points);
    }
    for (int number = 0; checks && rank == 0 && number < signals; ++number) {
        signal_of(number, points, whole);
        transform(whole, 1, points, spectrum);
        expected += sum_of(spectrum, points);
    }
    const int wrong = checks && rank == 0 && sum != expected;
    if (rank == 0) printf("checksum %.6f%s\n", sum, !checks ? "" : wrong ? ", WRONG" : ", as one process computes it");
    MPI_Finalize();
    return wrong;
}
