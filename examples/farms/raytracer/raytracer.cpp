// A small ray tracer: five balls on a chequered floor, with a light, shadows and mirrors. One task a line of the picture.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <trek_kernel/trek.h>

#include "scene.hpp"

namespace {

constexpr int width = 240, most_lines = 240, header_bytes = 15;

struct Task {
    int line, lines;
};
struct Result {
    int line;
    unsigned char pixels[3 * width];
};

unsigned char shade(double light) {
    return static_cast<unsigned char>(std::clamp(std::sqrt(light) * 255.0, 0.0, 255.0));
}

unsigned char picture[header_bytes + 3 * width * most_lines];

}  // namespace

void data_generator() {
    const int lines = static_cast<int>(total_tasks());
    for (int line = 0; line < lines; ++line) {
        const Task task{line, lines};
        do_task(&task, sizeof task);
    }
}

void compute_fn(const void* data, unsigned) {
    Task task;
    std::memcpy(&task, data, sizeof task);
    Result result{};
    result.line = task.line;
    for (int i = 0; i < width; ++i) {
        const double x = (i + 0.5 - width / 2) / width, y = (task.lines / 2 - task.line - 0.5) / width;
        const Colour colour = seen(eye, normal({x, y - 0.12, 1.1}), 3);
        result.pixels[3 * i] = shade(colour.x);
        result.pixels[3 * i + 1] = shade(colour.y);
        result.pixels[3 * i + 2] = shade(colour.z);
    }
    return_result(&result, sizeof result);
}

void result_receiver() {
    const int lines = static_cast<int>(total_tasks());
    if (lines > most_lines) {
        std::printf("the picture has room for %d lines\n", most_lines);
        return;
    }
    std::snprintf(reinterpret_cast<char*>(picture), sizeof picture, "P6\n%3d %3d\n255\n", width, lines);
    unsigned long sum = 0;
    for (int i = 0; i < lines; ++i) {
        Result result;
        std::memcpy(&result, get_result(nullptr), sizeof result);
        std::memcpy(picture + header_bytes + 3 * width * result.line, result.pixels, sizeof result.pixels);
        for (const unsigned char value : result.pixels) sum += value;
    }
    trek_save("raytracer.ppm", picture, static_cast<unsigned>(header_bytes + 3 * width * lines));
    std::printf("mean brightness %.2f of 255\n", static_cast<double>(sum) / (3.0 * width * lines));
}
