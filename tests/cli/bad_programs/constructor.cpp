// A static object that does BEGINNING before there is a node, and ENDING when there is none any more.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <trek_kernel/trek.h>

[[maybe_unused]] static long by_hand(long number, long a, long b) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(0) : "rcx", "r11", "memory");
    return result;
}
[[maybe_unused]] static volatile bool always = true;

struct Object {
    Object() { BEGINNING; }
    ~Object() { ENDING; }
} object;
__attribute__((destructor)) static void at_the_end() {
    ENDING;
}

#ifdef CHOOSES  // while the loader loads the program
extern "C" int chosen() __attribute__((ifunc("choose")));
static int one() {
    return 1;
}
extern "C" __attribute__((used, no_sanitize_coverage)) int (*choose())() {
    CHOOSES;
    return one;
}
#endif
#ifdef UNLOADS  // at the end of the function that the loader calls last
__attribute__((used)) char canary[] = CANARY;
__asm__(".pushsection .fini, \"ax\"\n mov $87, %eax\n lea canary(%rip), %rdi\n syscall\n .popsection\n");
#endif

void data_generator() {
    std::atexit([] { ENDING; });
    for (unsigned i = 0; i < total_tasks(); ++i) do_task(&i, sizeof i);
}
void compute_fn(const void* task, unsigned bytes) {
    static thread_local Object of_the_thread;
    return_result(task, bytes);
}
void result_receiver() {
    for (unsigned i = 0; i < total_tasks(); ++i) get_result(nullptr);
}
