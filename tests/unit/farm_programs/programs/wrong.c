/* Does whatever wrong thing its task asks for; one a line, since the tests look at the line. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trek_kernel/trek.h>

enum wrong { null_pointer, wild_pointer, foreign_memory, divide, overflow, endless, freed_twice, never_allocated, overrun, exits, fails,
             heap_pointer, dead_stack, huge, twice, wrong_place, opens_file, no_address, calls_data, in_library, keep, recursion, no_memory, global_pointer,
             unfinished_line, grows, beside_globals };
struct task {
    int wrong;
    uint64_t address;
};

int* volatile kept;
volatile int zero;
volatile int sink;
int numbers[4] = {1, 2, 3, 4};
volatile int beyond = 25; /* ints before them: what the linker has put there, the support code's data */

#ifdef SEND_WRONG_TASK /* to a worker, which follows the pointer */
void data_generator(void) {
    struct task task; /* cleared with its padding: what the stack held there could look like an address */
    memset(&task, 0, sizeof task), task.wrong = SEND_WRONG_TASK, kept = malloc(40);
    task.address = (uint64_t)(uintptr_t)kept;
    do_task(&task, sizeof task);
}
void result_receiver(void) { get_result(0); }
#else
void data_generator(void) {
    static int block[1];
    kept = malloc(40);
    *kept = 7;
    struct { uint64_t address; } message = {(uint64_t)(uintptr_t)kept};
    do_task(&message, sizeof message);
    do_task(block, sizeof block);
}
void result_receiver(void) {}
#endif

static int deeper(int n) {
    volatile char room[1000];
    room[0] = (char)n;
    return deeper(n + 1) + room[0];
}
static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
static void forever(void) {
    while (!zero) ++sink;
}
__attribute__((noinline)) static int* local(void) {
    int here = 5;
    int* volatile there = &here;
    return there;
}

void compute_fn(const void* data, unsigned bytes) {
    struct task task = {0, 0};
    memcpy(&task, data, bytes < sizeof task ? bytes : sizeof task);
    char* block = malloc(24);
    switch (task.wrong) {
        case null_pointer: { int* volatile p = 0; *p = 1; break; }
        case wild_pointer: { int* volatile p = (int*)0x123456789000; sink = *p; break; }
        case foreign_memory: { int* volatile p = (int*)(uintptr_t)task.address; sink = *p; break; }
        case divide: sink = sink / zero; break;
        case overflow: sink = deeper(0); break;
        case endless: forever(); break;
        case freed_twice: free(block); free(block); break;
        case never_allocated: { void* volatile p = &task; free(p); break; } break;
        case overrun: ((volatile char*)block)[24] = 1; free(block); break;
        case exits: exit(3);
        case fails: assert(zero == 1); break;
        case heap_pointer: { struct { uint64_t a; char* p; } result = {1, block}; return_result(&result, sizeof result); break; }
        case dead_stack: return_result(local(), sizeof(int)); break;
        case huge: return_result(block, (unsigned)-1); break;
        case twice: return_result(block, 1); return_result(block, 1); break;
        case wrong_place: do_task(block, 1); break;
        case opens_file: sink = fopen("x", "r") == 0; return_result(block, 1); break;
        case no_address: { int* volatile p = (int*)0x8000000000000000; sink = *p; break; }
        case calls_data: { void (*volatile f)(void) = (void (*)(void))block; f(); break; }
        case in_library: { char* volatile p = (char*)0x30; sink = (int)strlen(p); break; } break;
        case recursion: sink = depth(15000); return_result(block, 1); break;
        case no_memory: { int n = 0; while (malloc(1000) != 0) ++n; return_result(&n, sizeof n); break; }
        case global_pointer: { struct { void* p; } result = {(void*)&sink}; return_result(&result, sizeof result); break; }
        case unfinished_line: { printf("whole\nunfinished"); int* volatile p = 0; *p = 1; break; }
        case grows: {
            unsigned grown = 16;
            char* grown_block = malloc(grown);
            for (char* next = grown_block; next != 0 && grown < 80000;) {
                next = realloc(grown_block, grown + 16);
                if (next != 0) grown_block = next, grown += 16, grown_block[grown - 1] = 1;
            }
            free(grown_block);
            return_result(&grown, sizeof grown);
            break;
        }
        case beside_globals: {
            const int end = beyond;
            for (int i = 0; i < end; ++i) ((volatile int*)numbers)[-i] = 7;
            return_result(numbers, sizeof numbers);
            break;
        }
        default: return_result(block, 1); break;
    }
}
