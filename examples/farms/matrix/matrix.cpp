// C = A * B by blocks: a task brings the rows of A and the columns of B that one block of C needs. The manager puts C together
// and tests it with a vector: A * (B * x) must be C * x.
#include <array>
#include <cstdio>
#include <cstring>

#include <trek_kernel/trek.h>

namespace {

constexpr int n = 96, block = 16, blocks = n / block;

using Matrix = std::array<std::array<double, n>, n>;
using Column = std::array<double, n>;

struct Task {
    int row, column;  // of the block
    double a[block][n], b[n][block];
};
struct Result {
    int row, column;
    double c[block][block];
};

Matrix a, b, c;

Column times(const Matrix& matrix, const Column& x) {
    Column y{};
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) y[i] += matrix[i][k] * x[k];
    }
    return y;
}

}  // namespace

// Small whole numbers: every sum is exact, whatever its order.
void init_master() {
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            a[i][k] = (i * 7 + k * 3) % 11 - 5;
            b[i][k] = (i * 5 + k * 13) % 17 - 8;
        }
    }
}

void data_generator() {
    if (total_tasks() != blocks * blocks) std::printf("total_tasks must be %d\n", blocks * blocks);
    for (int row = 0; row < blocks; ++row) {
        for (int column = 0; column < blocks; ++column) {
            static Task task;
            task.row = row;
            task.column = column;
            for (int i = 0; i < block; ++i) {
                for (int k = 0; k < n; ++k) {
                    task.a[i][k] = a[row * block + i][k];
                    task.b[k][i] = b[k][column * block + i];
                }
            }
            do_task(&task, sizeof task);
        }
    }
}

void compute_fn(const void* data, unsigned) {
    static Task task;
    Result result{};
    std::memcpy(&task, data, sizeof task);
    result.row = task.row;
    result.column = task.column;
    for (int i = 0; i < block; ++i) {
        for (int j = 0; j < block; ++j) {
            for (int k = 0; k < n; ++k) result.c[i][j] += task.a[i][k] * task.b[k][j];
        }
    }
    return_result(&result, sizeof result);
}

void result_receiver() {
    for (unsigned i = 0; i < total_tasks(); ++i) {
        Result result;
        std::memcpy(&result, get_result(nullptr), sizeof result);
        for (int r = 0; r < block; ++r)
            std::memcpy(&c[result.row * block + r][result.column * block], result.c[r], sizeof result.c[r]);
    }
    Column x;
    double trace = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = i % 7 - 3;
        trace += c[i][i];
    }
    std::printf("%d x %d in %d blocks, trace %.0f: C * x is %s\n", n, n, blocks * blocks, trace,
                times(a, times(b, x)) == times(c, x) ? "A * (B * x)" : "wrong");
}
