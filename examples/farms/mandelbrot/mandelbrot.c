/* The Mandelbrot set, one task a line of the picture. Lines through the set take many times longer than those beside it, so the farm is
 * loaded unevenly. */
#include <stdio.h>
#include <string.h>

#include <trek_kernel/trek.h>

enum { width = 320, most_steps = 255 };

struct task {
    int line, lines;
};
struct result {
    int line;
    unsigned char steps[width];
};

void data_generator(void) {
    struct task task;
    task.lines = (int)total_tasks();
    for (task.line = 0; task.line < task.lines; ++task.line) do_task(&task, sizeof task);
}

/* Steps until z * z + c leaves the circle of radius 2. */
static int steps_at(double x, double y) {
    double re = 0, im = 0;
    int steps = 0;
    while (steps < most_steps && re * re + im * im <= 4) {
        const double next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
        ++steps;
    }
    return steps;
}

void compute_fn(const void* data, unsigned bytes) {
    struct task task;
    struct result result;
    double step;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    memset(&result, 0, sizeof result);
    result.line = task.line;
    step = 3.2 / width;
    for (int i = 0; i < width; ++i) result.steps[i] = (unsigned char)steps_at(-2.3 + i * step, (task.line - task.lines / 2 + 0.5) * step);
    return_result(&result, sizeof result);
}

/* The picture as a portable pixmap: a header, then red, green and blue of each pixel. */
enum { most_lines = 400, header_bytes = 15 };
static unsigned char picture[header_bytes + 3 * width * most_lines];

static void paint(int steps, unsigned char* pixel) {
    const int on = steps < most_steps;
    pixel[0] = (unsigned char)(on ? (steps * 9) % 256 : 0);
    pixel[1] = (unsigned char)(on ? (steps * 5) % 256 : 0);
    pixel[2] = (unsigned char)(on ? 96 + (steps * 3) % 160 : 0);
}

void result_receiver(void) {
    const int lines = (int)total_tasks();
    long inside = 0;
    if (lines > most_lines) {
        printf("the picture has room for %d lines\n", most_lines);
        return;
    }
    snprintf((char*)picture, sizeof picture, "P6\n%3d %3d\n255\n", width, lines);
    for (int i = 0; i < lines; ++i) {
        struct result result;
        memcpy(&result, get_result(0), sizeof result);
        for (int x = 0; x < width; ++x) {
            paint(result.steps[x], picture + header_bytes + 3 * (result.line * width + x));
            inside += result.steps[x] == most_steps;
        }
    }
    trek_save("mandelbrot.ppm", picture, (unsigned)(header_bytes + 3 * width * lines));
    printf("%ld of %d pixels are in the set\n", inside, width * lines);
}
