#include <farm_programs/machine_code.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include <t800_core/core.hpp>
#include <t800_core/registers.hpp>

namespace farm_programs {

using t800_core::Core;
using t800_core::Cycle;
using t800_core::Stop;
using trek_kernel::Bytes;
using trek_kernel::Context;
using vocabulary::LinkNo;

namespace {

constexpr std::uint32_t workspace_bytes = 1024;  // below the function's first words
constexpr std::uint32_t frame_bytes = 64;        // its return address, and what lies above
constexpr std::uint32_t room_for_result = 64U << 10U;
constexpr Cycle slice = 200'000;  // computed at a time: 10 ms at 20 MHz
// The code returns to: stl 0; stopp. So the result's length is in the first word of the workspace.
constexpr std::array<std::uint8_t, 3> behind = {0xD0, 0x21, 0xF5};

std::uint32_t in_words(std::size_t bytes) {
    return static_cast<std::uint32_t>((bytes + 3) & ~std::size_t{3});
}

}  // namespace

// A core without links.
class MachineCodeApplication::Worker final : private t800_core::LinkPort {
public:
    Worker(const MachineCode& code, const t800_core::CoreSettings& settings) : code_(code), settings_(settings) {}

    // Bytes of the node's memory that a task of that length needs more than those before.
    std::uint64_t growth(std::size_t task_bytes) const {
        const std::size_t wanted = result_at(task_bytes) + room_for_result - t800_core::min_int;
        return wanted > memory_.size() ? wanted - memory_.size() : 0;
    }
    // Memory keeps its values from task to task.
    void grow(std::uint64_t bytes) {
        const bool is_new = memory_.empty();
        core_.reset();
        memory_.resize(std::max<std::size_t>(in_words(memory_.size() + bytes), t800_core::on_chip_bytes));
        if (is_new) std::memcpy(memory_.data() + (code_.origin - t800_core::min_int), code_.code.data(), code_.code.size());
    }

    // Registers, clocks and the reserved words are the same for each task, however the one before has ended.
    void call(std::span<const std::byte> task) {
        const std::uint32_t frame = frame_at(), task_at = frame + frame_bytes, result = result_at(task.size()),
                            after = behind_at();
        const std::uint32_t empty = t800_core::not_process;  // channels of links, and queues of timers
        for (std::uint32_t at = t800_core::min_int; at < t800_core::reserved::saved_wdesc; at += 4)
            std::memcpy(memory_.data() + (at - t800_core::min_int), &empty, 4);
        std::memcpy(memory_.data() + (after - t800_core::min_int), behind.data(), behind.size());
        if (!task.empty()) std::memcpy(memory_.data() + (task_at - t800_core::min_int), task.data(), task.size());
        t800_core::LinkPort& port = *this;
        core_ = std::make_unique<Core>(memory_, settings_, port);
        const std::array<std::uint32_t, 4> words = {after, task_at, static_cast<std::uint32_t>(task.size()), result};
        for (std::uint32_t i = 0; i < words.size(); ++i) core_->set_word(frame + 4 * i, words[i]);
        core_->start(code_.origin, frame);
        t800_core::Registers r = core_->registers();
        r.a = words[1], r.b = words[2], r.c = words[3];
        core_->set_registers(r);
    }
    // Runs on, and returns the cycles that it took.
    Cycle run() {
        const Cycle from = core_->now();
        stop_ = core_->run_until(from + slice);
        return core_->now() - from;
    }
    bool over() const { return stop_.reason != Stop::Reason::Limit; }

    // It has come to the code behind the function, and nothing else runs or waits.
    bool returned() const {
        const bool ended = stop_.reason == Stop::Reason::Idle && !core_->next_timer();
        return ended && core_->totals().process_starts == 1 &&
               core_->word(frame_at() + 12) == behind_at() + static_cast<std::uint32_t>(behind.size());
    }
    // Nothing: it has not returned, or not with a length.
    std::optional<Bytes> result(std::size_t task_bytes) const {
        const std::uint32_t bytes = core_->word(frame_at() + 16), at = result_at(task_bytes);
        if (!returned() || bytes > room_for_result) return std::nullopt;
        const auto from = memory_.begin() + (at - t800_core::min_int);
        return Bytes(from, from + bytes);
    }

    Diagnosis what_was_wrong() const {
        const std::uint32_t iptr = core_->registers().iptr, bytes = core_->word(frame_at() + 16);
        Diagnosis told{.problem = Problem::WrongCall};
        char address[16];
        std::snprintf(address, sizeof address, "#%08X", iptr);
        if (stop_.reason == Stop::Reason::RanAway) {
            told.problem = Problem::BadInstruction;
            told.what = std::string("has run to ") + address + ", where there is no memory";
            told.advice = "return with 'ret', and leave the first word of the workspace as it was";
        } else if (stop_.reason == Stop::Reason::Halted) {
            told.problem = Problem::EndedItself;
            told.what = "has halted: Error was set, and HaltOnError too";
            told.advice = "look for the instruction that sets Error: an overflow, a failed check, or seterr";
        } else if (!returned()) {
            told.what = stop_.reason == Stop::Reason::Port ? "has used a link or the event pin"
                                                           : "waits, has stopped, or has started a process";
            told.advice = "return with 'ret'; instructions that schedule belong in programs of 'magicwire boot'";
        } else {
            told.problem = Problem::TooLarge;
            told.what = "returns with " + std::to_string(static_cast<std::int32_t>(bytes)) + " in A, and there is no such room";
            told.advice = "return the number of the result's bytes in A, at most " + std::to_string(room_for_result);
        }
        return told;
    }

private:
    std::uint32_t behind_at() const { return in_words(code_.origin + code_.code.size()); }
    std::uint32_t frame_at() const { return behind_at() + in_words(behind.size()) + workspace_bytes; }
    std::uint32_t result_at(std::size_t task_bytes) const { return frame_at() + frame_bytes + in_words(task_bytes); }

    // The run has ended with Stop::Reason::Port then.
    void start_output(LinkNo, const t800_core::Transfer&) override {}
    void start_input(LinkNo, const t800_core::Transfer&) override {}
    bool enable_input(LinkNo) override { return false; }
    bool disable_input(LinkNo) override { return false; }
    void reset_half(LinkNo, t800_core::Direction) override {}
    void acknowledge_event() override {}

    const MachineCode& code_;
    const t800_core::CoreSettings settings_;
    std::vector<std::byte> memory_;
    std::unique_ptr<Core> core_;
    Stop stop_;
};

MachineCodeApplication::MachineCodeApplication(std::unique_ptr<trek_kernel::Application> application, MachineCode code,
                                               std::function<t800_core::CoreSettings(vocabulary::NodeId)> settings,
                                               ProgramReport& report)
    : application_(std::move(application)), code_(std::move(code)), settings_(std::move(settings)), report_(report) {
    report_.machine_code = code_.file;
}
MachineCodeApplication::~MachineCodeApplication() = default;

MachineCodeApplication::Worker& MachineCodeApplication::worker(Context& context) {
    const vocabulary::NodeId node = context.api().node();
    auto& its = workers_[node];
    if (its == nullptr) its = std::make_unique<Worker>(code_, settings_(node));
    return *its;
}

Bytes MachineCodeApplication::without_result(Context& context, Diagnosis diagnosis) {
    context.output.omitted = true;
    diagnosis.node = context.api().node();
    diagnosis.function = function_name(Function::Compute);
    diagnosis.where = code_.file;
    diagnosis.task = number_of(context.identity());
    diagnosis.outcome = "its task never comes back";
    report_.diagnoses.add(std::move(diagnosis));
    return {};
}

Bytes MachineCodeApplication::compute(Context& context, std::span<const std::byte> task) {
    Worker& its = worker(context);
    if (const std::uint64_t more = its.growth(task.size()); more > 0) {
        if (!context.api().port().take_memory(more))
            return without_result(context, {.problem = Problem::OutOfMemory,
                                            .what = "needs " + std::to_string(more) + " bytes more than the node has left",
                                            .advice = "give the nodes more memory (nodes.ram)"});
        its.grow(more);
    }
    ChargedSum& charged = report_.charged[static_cast<std::size_t>(Function::Compute)];
    ++charged.calls;
    its.call(task);
    do {
        const auto cycles = vocabulary::Cycles(static_cast<std::int64_t>(its.run()));
        if (cycles.count() > 0) context.api().port().compute(cycles).get();
        charged.cycles += cycles;
    } while (!its.over());
    if (std::optional<Bytes> result = its.result(task.size())) return *std::move(result);
    return without_result(context, its.what_was_wrong());
}

}  // namespace farm_programs
