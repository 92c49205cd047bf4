// Instructions a second of the T800 core, cycles counted, on one host core. Programs: a loop over an array, arithmetic with
// calls, a sieve, floating point, and two processes that talk. F12: each line has millions a second,
// and cycles an instruction. Processor time, best of five.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <t800_assembly/assembler.hpp>
#include <t800_core/core.hpp>

namespace {

using namespace t800_core;

struct NoLinks : LinkPort {
    void start_output(LinkNo, const Transfer&) override {}
    void start_input(LinkNo, const Transfer&) override {}
    bool enable_input(LinkNo) override { return false; }
    bool disable_input(LinkNo) override { return false; }
    void reset_half(LinkNo, Direction) override {}
    void acknowledge_event() override {}
};

struct Program {
    const char* name;
    const char* source;
};

constexpr Program programs[] = {{"array", R"(
loop:   ldl 1
        adc 1
        stl 1
        ldl 1
        ldc 63
        and
        ldlp 16
        wsub
        ldnl 0
        ldl 2
        sum
        stl 2
        ldl 1
        cj loop
        j loop
)"},
                                {"calls", R"(
loop:   ldl 1
        call twice
        stl 1
        j loop
twice:  ldl 1
        ldl 1
        sum
        ret
)"},
                                {"sieve", R"(
        .set field, 0x80001000
start:  ldc 2
        stl 1
outer:  ldl 1
        ldl 1
        sum
        stl 2
inner:  ldc 1
        ldl 2
        ldc field
        bsub
        sb
        ldl 2
        ldl 1
        sum
        stl 2
        ldl 2
        ldc 8192
        gt
        eqc 0
        cj next
        j inner
next:   ldl 1
        adc 1
        stl 1
        ldl 1
        eqc 90
        cj outer
        j start
)"},
                                {"floating", R"(
        fpldzerodb
        fpldzerodb
loop:   fpdup
        fpadd
        fpdup
        fpmul
        ldl 1
        adc 1
        stl 1
        j loop
)"},
                                {"channel", R"(
        ldc 0x80000000
        ldc 0x80000700
        stnl 0
        ldc other - here
        ldlp -50
        startp
here:   ldlp 1
        ldc 0x80000700
        ldc 4
        in
        j here
other:  ldc 0x80000700
        ldl 1
        outword
        j other
)"}};

double seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void measure(const Program& program) {
    std::vector<std::byte> memory(65536);
    NoLinks links;
    Core core(memory, {}, links);
    const t800_assembly::Program code = t800_assembly::assemble(program.source, program.name);
    std::memcpy(memory.data() + (code.origin - min_int), code.code.data(), code.code.size());
    core.memory_changed(code.origin, code.code.size());
    core.start(code.origin, 0x80000C00U);
    core.run_until(1'000'000);
    double best = 0;
    for (int i = 0; i < 5; ++i) {
        const std::uint64_t before = core.totals().instructions;
        const double start = seconds();
        core.run_until(core.now() + 200'000'000);
        best = std::max(best, static_cast<double>(core.totals().instructions - before) / (seconds() - start));
    }
    std::printf("f12_%s %.1f M-instructions/s %.2f cycles/instruction\n", program.name, best * 1e-6,
                static_cast<double>(core.now()) / static_cast<double>(core.totals().instructions));
}

}  // namespace

int main() {
    for (const Program& program : programs) measure(program);
}
