// HaloSettings: what a halo computes and which bugs are planted in it (docs/model/halo.md). A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <trek_kernel/bug_list.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>
#include <vocabulary/source_position.hpp>

namespace halo_kernel {

// Two exchanges of four neighbours fit into the buffers of a node (kernel.user_pool).
inline constexpr std::uint32_t most_cells = 1000;
inline constexpr std::uint32_t most_steps = 1'000'000;

// The parts of the program of a node, with the names that a verdict gives them.
enum class Process : std::uint8_t { InitialFn, StepFn, Exchange };
const char* name_of(Process process);  // "initial_fn()", "step_fn()", "Exchanging"
const char* word_of(Process process);  // in files: "initial_fn", "step_fn", "exchange"
// The process of a farm under which witnesses get it: each has one of its own.
trek_kernel::UserProcess as_user_process(Process process);

// Hang: in a function it uses the processor for ever, in an exchange it waits for ever before its first send. Crash: the
// program of the node ends there without a word, while its kernel and its monitor live on. Lose: one message of an exchange is
// never given to the kernel, and the node takes it for sent.
enum class BugKind : std::uint8_t { Hang, Crash, Lose };
const char* word_of(BugKind kind);  // "hang", "crash", "lose"

// It strikes once, at the begin of its function, or before the first send of its exchange.
struct HaloBug {
    BugKind kind = BugKind::Hang;
    Process process = Process::StepFn;
    vocabulary::NodeId node;
    std::uint32_t step = 0;  // of step_fn(); or number of the exchange; 0 for initial_fn()
    vocabulary::NodeId to;   // Lose: the neighbour that gets nothing
    vocabulary::SourcePosition where{};

    // The exchange before which, or in which, the node stops: the task that a verdict names.
    std::uint32_t exchange() const { return process == Process::StepFn ? step + 1 : step; }
};
std::string bug_text(const HaloBug& bug);  // "hang in step_fn() of step 3 on n2"

struct HaloSettings {
    std::uint32_t steps = 1;   // 1 to most_steps; there is one exchange more
    std::uint32_t cells = 16;  // doubles of a node, 1 to most_cells
    vocabulary::SimTime step;  // work of initial_fn() and of each step_fn(), in the time of a T800-20
    std::vector<HaloBug> bugs;
};

}  // namespace halo_kernel
