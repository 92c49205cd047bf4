// Cost of a program's computation in modelled time (docs/model/program_costs.md).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <topologies/cost_table.hpp>
#include <vocabulary/sim_time.hpp>

namespace user_programs {

enum class CostSource : std::uint8_t {
    Explicit,   // charged by work_us(), work_cycles() and work_operations()
    Estimated,  // counted from the executed basic blocks
    Fixed,      // from a file, for each task
};
const char* cost_source_name(CostSource source);  // "explicit", "estimated", "fixed"

// A file of costs: lines `TASK TIME`, for instance `7 12.5ms`, and one line `* TIME` for all others; # begins a comment.
class TaskTimes {
public:
    // Throws vocabulary::InputError with file, line and column.
    static TaskTimes parse(const std::string& text, const std::string& file);
    // Time of a task, or of each sub-task computed for it.
    vocabulary::SimTime of(std::uint32_t task) const;

private:
    std::map<std::uint32_t, vocabulary::SimTime> times_;
    vocabulary::SimTime others_;
};

inline constexpr std::size_t operation_kinds = 14;  // TREK_OPERATIONS of trek.h

struct ProgramCosts {
    CostSource source = CostSource::Explicit;
    TaskTimes times = {};  // for CostSource::Fixed
    // T800 cycles with code and data on chip; index: enum trek_operation.
    std::array<std::uint32_t, operation_kinds> operations{};
    // The same in per cent with both in external memory of 3 cycles, for which the model states costs of code
    // (memory.slow_down_3). The factor applies to operations and to estimated costs.
    std::uint32_t memory_percent = 155;
    // The watchdog stops a function after this many (estimated) cycles without a charge or a call. It does not apply while the
    // run itself is charged.
    std::int64_t watchdog_cycles = 20'000'000'000;
    // Estimated: a function that computes for so long without a call is diagnosed (Problem::ComputesOn). It goes on, and is
    // diagnosed again after twice that time, and so on. None: never.
    std::optional<vocabulary::SimTime> told_after = {};
};
// From the rows program.operation.* of the table.
ProgramCosts program_costs(const topologies::CostTable& table, CostSource source);

// Charges of one function of a program, over all processes.
struct ChargedSum {
    std::uint64_t calls = 0, silent_calls = 0;  // silent: charged nothing
    vocabulary::Cycles cycles;
};

}  // namespace user_programs
