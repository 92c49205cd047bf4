#include "farms/farm_templates.hpp"

namespace cli {
namespace {

// NAME and SOURCE are filled in.
constexpr const char* pfvm_specification = R"(# NAME: what runs where. Every key: docs/formats/farm_file.md
begin

Virtual_Machine
    type = PFVM;                 # processor farm: a manager, and workers that compute tasks

Interface
    input_stream = stdin;
    output_stream = stdout;

Configuration
    topology = BTREE;            # CHAIN, BTREE, TTREE, or BEST with machine = "mesh:4x4";
    total_tasks = 100;
    total_processors = 16;       # with the manager

Programs
    data_generator = SOURCE;
    comp_function = SOURCE;
    result_receive = SOURCE;
    task_type = "struct task";
    result_type = "struct result";
    cost = estimated;            # or explicit: what work_us() says

end
)";

constexpr const char* pfvm_source =
    R"(/* NAME: pi is the area under 4 / (1 + x * x) from 0 to 1. Each task is a piece of that area.
 *
 * data_generator and result_receiver run on the manager, compute_fn on the workers. Every process has globals of its own: what one
 * writes, no other sees. Tasks and results travel as bytes. */
#include <stdio.h>
#include <string.h>

#include <trek_kernel/trek.h>

static const int strips_of_a_task = 10000;

struct task {
    double from, to;
};
struct result {
    double area;
};

/* On the manager: makes the tasks. do_task() waits while the farm has no room. */
void data_generator(void) {
    const unsigned tasks = total_tasks();
    for (unsigned i = 0; i < tasks; ++i) {
        struct task task;
        task.from = (double)i / tasks;
        task.to = (double)(i + 1) / tasks;
        do_task(&task, sizeof task);
    }
}

/* On a worker, for each task. */
void compute_fn(const void* data, unsigned bytes) {
    struct task task;
    struct result result;
    double width;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    width = (task.to - task.from) / strips_of_a_task;
    result.area = 0;
    for (int i = 0; i < strips_of_a_task; ++i) {
        const double x = task.from + (i + 0.5) * width;
        result.area += width * 4 / (1 + x * x);
    }
    return_result(&result, sizeof result);
}

/* On the manager: takes as many results as there are tasks. They come in any order; result_task() says whose it was. */
void result_receiver(void) {
    const unsigned tasks = total_tasks();
    double pi = 0;
    for (unsigned i = 0; i < tasks; ++i) {
        struct result result;
        memcpy(&result, get_result(0), sizeof result);
        pi += result.area;
    }
    printf("pi is about %.9f\n", pi);
}
)";

constexpr const char* dcvm_specification = R"(# NAME: what runs where. Every key: docs/formats/farm_file.md
begin

Virtual_Machine
    type = DCVM;                 # divide and conquer: a node splits a task for its children and joins their results
    degree = 2;                  # parts of a split
    depth = 3;                   # a task is split at most so often

Interface
    input_stream = stdin;
    output_stream = stdout;

Configuration
    topology = BTREE;            # CHAIN, BTREE, TTREE, or BEST with machine = "mesh:4x4";
    total_tasks = 20;
    total_processors = 16;       # with the manager

Programs
    data_generator = SOURCE;
    comp_function = SOURCE;
    split_function = SOURCE;
    join_function = SOURCE;
    result_receive = SOURCE;
    task_type = "struct task";
    result_type = "struct result";
    cost = estimated;            # or explicit: what work_us() says

end
)";

constexpr const char* dcvm_source =
    R"(/* NAME: pi is the area under 4 / (1 + x * x) from 0 to 1. Each task is a piece of that area; a node with children splits it for them.
 *
 * data_generator and result_receiver run on the manager, the others on the workers. Every process has globals of its own: what one
 * writes, no other sees. Tasks and results travel as bytes. */
#include <stdio.h>
#include <string.h>

#include <trek_kernel/trek.h>

static const int strips_of_a_task = 40000;

struct task {
    double from, to;
    int strips;
};
struct result {
    double area;
};

/* On the manager: makes the tasks. do_task() waits while the farm has no room. */
void data_generator(void) {
    const unsigned tasks = total_tasks();
    for (unsigned i = 0; i < tasks; ++i) {
        struct task task;
        memset(&task, 0, sizeof task);
        task.from = (double)i / tasks;
        task.to = (double)(i + 1) / tasks;
        task.strips = strips_of_a_task;
        do_task(&task, sizeof task);
    }
}

/* On a node with children: makes split_degree() parts. */
void split_fn(const void* data, unsigned bytes) {
    const unsigned parts = split_degree();
    struct task whole;
    (void)bytes;
    memcpy(&whole, data, sizeof whole);
    for (unsigned i = 0; i < parts; ++i) {
        struct task part = whole;
        part.from = whole.from + (whole.to - whole.from) * i / parts;
        part.to = whole.from + (whole.to - whole.from) * (i + 1) / parts;
        part.strips = whole.strips / (int)parts;
        sub_task(&part, sizeof part);
    }
}

/* On a worker, for what is not split further. */
void compute_fn(const void* data, unsigned bytes) {
    struct task task;
    struct result result;
    double width;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    width = (task.to - task.from) / task.strips;
    result.area = 0;
    for (int i = 0; i < task.strips; ++i) {
        const double x = task.from + (i + 0.5) * width;
        result.area += width * 4 / (1 + x * x);
    }
    return_result(&result, sizeof result);
}

/* Where the task was split: puts the results of the parts together. */
void join_fn(void) {
    struct result whole;
    whole.area = 0;
    for (unsigned i = 0; i < sub_results(); ++i) {
        struct result part;
        memcpy(&part, sub_result(i, 0), sizeof part);
        whole.area += part.area;
    }
    return_result(&whole, sizeof whole);
}

/* On the manager: takes as many results as there are tasks. They come in any order; result_task() says whose it was. */
void result_receiver(void) {
    const unsigned tasks = total_tasks();
    double pi = 0;
    for (unsigned i = 0; i < tasks; ++i) {
        struct result result;
        memcpy(&result, get_result(0), sizeof result);
        pi += result.area;
    }
    printf("pi is about %.9f\n", pi);
}
)";

std::string with(std::string text, const std::string& word, const std::string& by) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
        text.replace(at, word.size(), by);
    return text;
}

}  // namespace

FarmTemplate farm_template(const std::string& name, const std::string& source_name, bool divides) {
    const auto filled = [&](const char* text) { return with(with(text, "SOURCE", source_name), "NAME", name); };
    return {filled(divides ? dcvm_specification : pfvm_specification), filled(divides ? dcvm_source : pfvm_source)};
}

}  // namespace cli
