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

constexpr std::uint32_t workspace_bytes = 1024;    // below the function's first words
constexpr std::uint32_t frame_bytes = 64;          // its return address, and what lies above
constexpr std::uint32_t most_message = 1U << 20U;  // of a task or a result, as topologies::most_message_bytes
constexpr std::uint32_t room_for_result = 64U << 10U;
constexpr Cycle slice = 200'000;  // computed at a time: 10 ms at 20 MHz
constexpr std::uint32_t reserved_words = 11;
constexpr std::uint32_t no_result = 0x80000000U;
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
    // The values of its memory stay from task to task.
    void grow(std::uint64_t bytes) {
        const bool is_new = memory_.empty();
        core_.reset();
        is_clean_ = false;
        memory_.resize(std::max<std::size_t>(in_words(memory_.size() + bytes), t800_core::on_chip_bytes));
        if (!is_new) return;
        const std::uint32_t empty = t800_core::not_process;  // channels of links, and queues of timers
        for (std::uint32_t i = 0; i < reserved_words; ++i) std::memcpy(memory_.data() + 4 * i, &empty, 4);
        std::memcpy(memory_.data() + (code_.origin - t800_core::min_int), code_.code.data(), code_.code.size());
    }

    void call(std::span<const std::byte> task) {
        // A task that was given up in its midst, or ended badly, leaves nothing but memory.
        t800_core::LinkPort& port = *this;
        if (!std::exchange(is_clean_, false)) core_ = std::make_unique<Core>(memory_, settings_, port);
        const std::uint32_t frame = frame_at(), task_at = frame + frame_bytes, result = result_at(task.size());
        const std::uint32_t after = code_.origin + in_words(code_.code.size());
        std::memcpy(memory_.data() + (after - t800_core::min_int), behind.data(), behind.size());
        if (!task.empty()) std::memcpy(memory_.data() + (task_at - t800_core::min_int), task.data(), task.size());
        core_->memory_changed(task_at, task.size());
        core_->memory_changed(after, behind.size());
        const std::array<std::uint32_t, 5> words = {after, task_at, static_cast<std::uint32_t>(task.size()), result, no_result};
        for (std::uint32_t i = 0; i < words.size(); ++i) core_->set_word(frame + 4 * i, words[i]);
        core_->start(code_.origin, frame);
        t800_core::Registers r = core_->registers();
        r.a = words[1], r.b = words[2], r.c = words[3];
        r.error = r.halt_on_error = false;
        core_->set_registers(r);
        asked_ = false;
    }
    // Runs on, and returns the cycles that it took.
    Cycle run() {
        const Cycle from = core_->now();
        stop_ = core_->run_until(from + slice);
        return core_->now() - from;
    }
    bool over() const { return asked_ || stop_.reason != Stop::Reason::Limit; }

    // Nothing: it has not returned.
    std::optional<Bytes> result(std::size_t task_bytes) {
        const std::uint32_t bytes = core_->word(frame_at() + 16), at = result_at(task_bytes);
        const bool returned = !asked_ && stop_.reason == Stop::Reason::Idle && !core_->next_timer();
        if (!returned || bytes > most_message || !core_->is_memory(at, bytes)) return std::nullopt;
        is_clean_ = true;
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
            told.advice = "find the operation that overflowed with 'magicwire boot --shell'";
        } else if (asked_ || core_->next_timer() || bytes == no_result) {
            told.what = asked_ ? "has used a link or the event pin" : "waits, or has stopped";
            told.advice = "leave instructions that schedule to programs of 'magicwire boot'";
        } else {
            told.problem = Problem::TooLarge;
            told.what = "returns with " + std::to_string(static_cast<std::int32_t>(bytes)) + " in A, and there is no such room";
            told.advice = "return the number of the result's bytes in A, at most " + std::to_string(room_for_result);
        }
        return told;
    }

private:
    std::uint32_t frame_at() const {
        return code_.origin + in_words(code_.code.size()) + in_words(behind.size()) + workspace_bytes;
    }
    std::uint32_t result_at(std::size_t task_bytes) const { return frame_at() + frame_bytes + in_words(task_bytes); }

    void start_output(LinkNo, const t800_core::Transfer&) override { asked_ = true; }
    void start_input(LinkNo, const t800_core::Transfer&) override { asked_ = true; }
    bool enable_input(LinkNo) override { return asked_ = true; }
    bool disable_input(LinkNo) override { return asked_ = true; }
    void reset_half(LinkNo, t800_core::Direction) override { asked_ = true; }
    void acknowledge_event() override { asked_ = true; }

    const MachineCode& code_;
    const t800_core::CoreSettings settings_;
    std::vector<std::byte> memory_;
    std::unique_ptr<Core> core_;
    Stop stop_;
    bool asked_ = false;     // for a link
    bool is_clean_ = false;  // the last task has returned
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
                                            .what = "finds " + std::to_string(more) + " bytes missing on the node",
                                            .advice = "give the nodes more memory (nodes.ram)"});
        its.grow(more);
    }
    ChargedSum& charged = report_.charged[static_cast<std::size_t>(Function::Compute)];
    ++charged.calls;
    its.call(task);
    do {
        const auto cycles = vocabulary::Cycles(static_cast<std::int64_t>(its.run()));
        charged.cycles += cycles;
        if (cycles.count() > 0) context.api().port().compute(cycles).get();
    } while (!its.over());
    if (std::optional<Bytes> result = its.result(task.size())) return *std::move(result);
    return without_result(context, its.what_was_wrong());
}

}  // namespace farm_programs
