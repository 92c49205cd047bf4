/* Counts the primes in ranges of numbers, one task a range, and tells the monitor what it finds: one event of the program's own a range
 * (docs/model/tmon.md). Node 2 watches its messages, too, from its first task on. Primes are tried one after the other, as a beginner would. */
#include <stdio.h>

#include <trek_kernel/trek.h>

enum { range_length = 200, primes_found = 1, work_done = 2 };

struct range {
    int first;
};
struct found {
    int first, primes;
};

void data_generator(void) {
    for (unsigned i = 0; i < total_tasks(); ++i) {
        const struct range task = {(int)i * range_length};
        do_task(&task, sizeof task);
    }
}

static int divisions; /* of the task that is computed */

static int is_prime(int number) {
    for (int divisor = 2; divisor * divisor <= number; ++divisor) {
        ++divisions;
        if (number % divisor == 0) return 0;
    }
    return number > 1;
}

void compute_fn(const void* task, unsigned bytes) {
    static int watches;
    const struct range* range = task;
    struct found result = {range->first, 0};
    (void)bytes;
    if (trek_node() == 2 && !watches++) trek_monitor("message", 1);
    divisions = 0;
    for (int number = range->first; number < range->first + range_length; ++number) result.primes += is_prime(number);
    work_operations(TREK_INTEGER_DIVIDE, (unsigned long long)divisions);
    trek_event(primes_found, result.primes);
    trek_event(work_done, -(long long)divisions); /* a value may be negative */
    return_result(&result, sizeof result);
}

void result_receiver(void) {
    int primes = 0;
    for (unsigned i = 0; i < total_tasks(); ++i) primes += ((const struct found*)get_result(0))->primes;
    printf("%d primes below %u\n", primes, total_tasks() * range_length);
}
