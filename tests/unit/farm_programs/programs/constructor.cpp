// The static object does what BEGINNING says, before there is a node. No code of the program's end ever runs.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <trek_kernel/trek.h>

int* volatile null;
volatile bool always = true;

enum Beginning { good, writes_null, exits, throws, endless };
struct Object {
    explicit Object(Beginning beginning) {
        if (beginning == writes_null) *null = 1;
        if (beginning == exits) std::exit(3);
        if (beginning == throws) throw std::runtime_error("no");
        while (beginning == endless && always) continue;
    }
} object(BEGINNING);

__attribute__((destructor)) static void end_of_program() {
    std::printf("a node's program does not end\n");
    *null = static_cast<int*>(std::malloc(4))[0];
}

void data_generator() {}
void result_receiver() {}
void compute_fn(const void* task, unsigned bytes) {
    return_result(task, bytes);
}
