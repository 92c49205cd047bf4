// The estimate from basic blocks, beside the cost of the loops on a T800 by the instructions of docs/model/program_costs.md.
#include <array>
#include <cmath>
#include <cstdio>

#include <gmock/gmock.h>

#include "host_environment.hpp"

namespace {

using farm_programs::Function;
using user_programs::CostSource;

struct Kernel {
    const char* name;
    double t800;  // cycles of one round, code and data on chip
};
// Index: the kernel's number in kernels.c. docs/model/program_costs.md has the instructions that make up the numbers.
constexpr std::array kernels = {
    Kernel{"sum of integers", 27}, Kernel{"dot product", 67}, Kernel{"Mandelbrot", 212}, Kernel{"remainder", 65},
    Kernel{"sieve", 27}, Kernel{"bubble", 70}, Kernel{"Fibonacci, a call", 28}, Kernel{"column of a matrix", 74},
    Kernel{"hash of a string", 37}, Kernel{"Horner, single", 49}, Kernel{"linked list", 20}, Kernel{"square roots", 284},
    // The costs of instructions were not adjusted to these.
    Kernel{"cyclic redundancy, a bit", 32}, Kernel{"bits of a word", 18}, Kernel{"quotients", 80}};

std::int64_t estimate(farm_programs::FarmProcess& process, std::int32_t kernel, std::int32_t rounds) {
    const std::array<std::int32_t, 2> task = {kernel, rounds};
    test_support::HostEnvironment here(1);
    process.run({.function = Function::Compute, .body = std::as_bytes(std::span(task))}, here);
    return here.sum();
}

// The estimate for one round: the difference of two runs, so that the code around the loop does not count.
double estimated_round(farm_programs::FarmProcess& process, std::int32_t kernel) {
    if (kernel == 6) {  // fibonacci(15) makes 1973 calls, fibonacci(10) 177
        return static_cast<double>(estimate(process, kernel, 15) - estimate(process, kernel, 10)) / (1973 - 177);
    }
    if (kernel == 13) return static_cast<double>(estimate(process, kernel, 30) - estimate(process, kernel, 10)) / 20;
    const auto at = [&](std::int32_t rounds) { return estimate(process, kernel, rounds); };
    return static_cast<double>(at(2000) - at(1000)) / 1000;
}

}  // namespace

TEST(Calibration, TheEstimateIsNearTheT800sCyclesForEachKernel) {
    user_programs::ProgramCosts costs{.source = CostSource::Estimated};
    costs.memory_percent = 100;  // as the numbers above: on chip
    farm_programs::FarmProgram loaded(MAGICWIRE_TEST_PROGRAMS "/kernels.so", costs);
    farm_programs::FarmProcess& process = loaded.create_process(vocabulary::NodeId(1));
    double squares = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const double estimated = estimated_round(process, static_cast<std::int32_t>(i)),
                     error = estimated / kernels[i].t800 - 1;
        std::printf("| %s | %.0f | %.1f | %+.0f %% |\n", kernels[i].name, kernels[i].t800, estimated, error * 100);
        EXPECT_LT(std::abs(error), 0.35) << kernels[i].name;
        squares += error * error;
    }
    const double spread = std::sqrt(squares / static_cast<double>(kernels.size()));
    std::printf("root of the mean square: %.0f %%\n", spread * 100);
    EXPECT_LT(spread, 0.2);
}

TEST(Calibration, GivesTheSameEstimateEveryTime) {
    farm_programs::FarmProgram loaded(MAGICWIRE_TEST_PROGRAMS "/kernels.so", {.source = CostSource::Estimated});
    for (std::int32_t kernel = 0; kernel < 6; ++kernel) {
        EXPECT_EQ(estimate(loaded.create_process(vocabulary::NodeId(1)), kernel, 3000),
                  estimate(loaded.create_process(vocabulary::NodeId(2)), kernel, 3000));
    }
}
