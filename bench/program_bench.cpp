// Cost of a user's program to the host: a call of trek.h, a basic block, an allocation. Also a change of process with its copy
// of the globals, and a change of node with the protection of the heaps.
#include <cstdio>
#include <ctime>

#include <farm_programs/farm_program.hpp>

namespace {

using farm_programs::Function;

class Nothing final : public farm_programs::Environment {
public:
    vocabulary::NodeId node() const override { return {}; }
    void do_task(std::span<const std::byte>, std::int32_t) override {}
    trek_kernel::Bytes get_result(trek_kernel::TaskIdentity&) override { return {}; }
    std::uint32_t total_tasks() const override { return 0; }
    void charge(vocabulary::Cycles) override {}
    vocabulary::Cycles cycles_of(vocabulary::SimTime) const override { return {}; }
    std::uint64_t clock_us() const override { return 0; }
    bool take_memory(std::uint64_t) override { return true; }
    void give_back_memory(std::uint64_t) override {}
    void print(const std::string&) override {}
    void save(const std::string&, trek_kernel::Bytes) override {}
    std::size_t read(std::span<std::byte>) override { return 0; }
    void user_event(std::uint32_t, std::uint64_t) override {}
    bool switch_event_classes(const std::string&, bool) override { return true; }
    void diagnose(user_programs::Diagnosis) override {}
    [[noreturn]] void fault() override { throw trek_kernel::ProcessEnds{}; }
};

// Processor time, which other programs on the host change little.
template <class Action>
double nanoseconds(std::int32_t rounds, Action action) {
    const std::clock_t began = std::clock();
    action();
    return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC * 1e9 / rounds;
}

}  // namespace

int main() {
    farm_programs::FarmProgram program(MAGICWIRE_BENCH_PROGRAM, {});
    const auto node = [](std::uint16_t number) { return vocabulary::NodeId(number); };
    farm_programs::FarmProcess *one = &program.create_process(node(1)), *same = &program.create_process(node(1)),
                               *other = &program.create_process(node(2));
    Nothing nothing;
    const auto run = [&](farm_programs::FarmProcess& process, std::int32_t what, std::int32_t rounds) {
        const std::int32_t task[2] = {what, rounds};
        process.run({.function = Function::Compute, .body = std::as_bytes(std::span(task))}, nothing);
    };
    const std::int32_t many = 2'000'000, calls = 50'000;
    const double call = nanoseconds(many, [&] { run(*one, 0, many); }),
                 block = nanoseconds(many, [&] { run(*one, 1, many); }) / 2;
    const auto alternate = [&](farm_programs::FarmProcess& second, std::int32_t what) {
        return nanoseconds(2 * calls, [&] {
            for (std::int32_t i = 0; i < calls; ++i) {
                run(*one, what, 1);
                run(second, what, 1);
            }
        });
    };
    // Only a program that has allocated memory pays for the protection.
    const double alone = alternate(*one, 1), process_change = alternate(*same, 1) - alone,
                 node_change = alternate(*other, 1) - alone;
    for (auto* process : {one, same, other}) run(*process, 2, 1000);
    const double pair = nanoseconds(many, [&] { run(*one, 2, many); });
    const double heap_change = alternate(*other, 1) - alone;
    std::printf("globals of the program       %7zu bytes\n", program.data_bytes());
    std::printf("call of work_cycles()        %7.0f ns\n", call);
    std::printf("basic block                  %7.1f ns\n", block);
    std::printf("malloc() and free()          %7.0f ns\n", pair);
    std::printf("call of a function           %7.0f ns\n", alone);
    std::printf("  after another process      %+7.0f ns\n", process_change);
    std::printf("  after another node         %+7.0f ns\n", node_change);
    std::printf("  the same, with a heap      %+7.0f ns\n", heap_change);
    return 0;
}
