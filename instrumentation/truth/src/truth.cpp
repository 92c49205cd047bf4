#include <ground_truth/truth.hpp>

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ground_truth {

// Records gather in a small block before they are hashed: the hash of many short pieces costs more than the pieces.
struct Truth::Hash {
    alignas(64) unsigned char block[4096];
    std::size_t used = 0;
    XXH3_state_t state;
    Hash() { XXH3_64bits_reset(&state); }
    void flush() {
        XXH3_64bits_update(&state, block, used);
        used = 0;
    }
};

Truth::Truth(bool keep) : keep_(keep), hash_(std::make_unique<Hash>()) {}
Truth::~Truth() = default;

void Truth::hash(const void* data, std::size_t bytes) {
    if (hash_->used + bytes > sizeof hash_->block) hash_->flush();
    std::memcpy(hash_->block + hash_->used, data, bytes);
    hash_->used += bytes;
}

std::string Truth::run_hash() const {
    hash_->flush();
    static constexpr char digits[] = "0123456789abcdef";
    std::string text(16, '0');
    std::uint64_t value = XXH3_64bits_digest(&hash_->state);
    for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value >>= 4) *digit = digits[value & 0xf];
    return text;
}

void Truth::on_moved(const trek_kernel::TaskMoved& what, vocabulary::SimTime now) {
    const std::uint16_t node = what.node.value();
    if (next_seq_.size() <= node) next_seq_.resize(node + 1U);
    const struct {
        std::int64_t ps;
        trace_record::Event event;
    } record{.ps = now.in_ps(),
             .event = {.time_us = static_cast<std::uint64_t>(now.in_us()),
                       .seq = next_seq_[node]++,
                       .task = what.task,
                       .subtask = what.subtask,
                       .bytes = what.bytes,
                       .node = node,
                       .peer = what.peer.value(),
                       .kind = what.sent ? trace_record::EventKind::Send : trace_record::EventKind::Receive,
                       .is_result = what.result ? std::uint8_t{1} : std::uint8_t{0}}};
    static_assert(sizeof record == sizeof record.ps + sizeof record.event, "no padding, which would be hashed too");
    hash(&record, sizeof record);
    if (keep_) events_.push_back(record.event);
    ++moved_;
    first_ = std::min(first_, now);
    last_ = now;
    if (node == 0 && what.result && !what.sent) results_at_manager_ += what.tasks;
}

void Truth::on_step(const trek_kernel::TaskStep& what, vocabulary::SimTime now) {
    const std::int64_t record[] = {now.in_ps(), what.node.value(),
                                   static_cast<std::int64_t>(what.process) * 2 + static_cast<std::int64_t>(what.moment),
                                   what.task, what.subtask};
    hash(record, sizeof record);
    last_ = now;
    const bool by_manager = what.node.value() == 0 && what.process == trek_kernel::UserProcess::Compute;
    if (by_manager && what.moment == trek_kernel::Moment::End) ++results_at_manager_;
    if (keep_) steps_.push_back({now, what});
}

void Truth::on_bug(const trek_kernel::BugStruck& what, vocabulary::SimTime when) {
    const std::int64_t record[] = {when.in_ps(), what.node.value(), static_cast<std::int64_t>(what.process),
                                   what.task,    what.subtask,      what.bug};
    hash(record, sizeof record);
    last_ = when;
    bugs_.push_back({when, what});
}

void Truth::on_given_up(const trek_kernel::NodeGivenUp& what, vocabulary::SimTime when) {
    const std::int64_t record[] = {when.in_ps(), what.node.value(), what.child.value()};
    hash(record, sizeof record);
    last_ = when;
    given_up_.push_back({when, what});
}

void Truth::on_reissued(const trek_kernel::TaskReissued& what, vocabulary::SimTime when) {
    const std::int64_t record[] = {when.in_ps(), what.node.value(), what.child.value(), what.task, what.subtask};
    hash(record, sizeof record);
    last_ = when;
    reissued_.push_back({when, what});
}

void Truth::on_dropped(const trollius_os::MessageDropped& what) {
    constexpr std::size_t most_kept = 1000;
    const std::int64_t record[] = {what.time.in_ps(), what.node.value(), what.task, what.subtask};
    hash(record, sizeof record);
    ++dropped_count_;
    if (dropped_.size() < most_kept) dropped_.push_back(what);
}

void Truth::on_master(const trek_kernel::MasterStep& what, vocabulary::SimTime when) {
    using trek_kernel::MasterMoment;
    const bool receives = what.process == trek_kernel::UserProcess::PostProcess;
    TrueMaster& master = receives ? receiver_ : generator_;
    if (what.moment == MasterMoment::Began) master.began = when;
    if (what.moment == MasterMoment::Back) ++master.calls;
    if (what.moment == (receives ? MasterMoment::Back : MasterMoment::Called)) master.task = what.task;
    master.last = what.moment;
    master.since = when;
    if (keep_ && receives && what.moment == MasterMoment::Back) taken_.push_back(what.task);
}

void Truth::on_home(std::uint32_t task, vocabulary::SimTime) {
    if (keep_) home_.push_back(task);
}

void Truth::on_input(const trek_kernel::FunctionInput& what, vocabulary::SimTime) {
    if (keep_ && keep_inputs_) keep_input(what);
}

void Truth::on_result(const trek_kernel::ResultTaken& what, vocabulary::SimTime) {
    if (!keep_ || !keep_inputs_) return;
    keep_input(
        {vocabulary::NodeId(0), trek_kernel::UserProcess::PostProcess, what.task, what.subtask, std::span(&what.content, 1)});
}

void Truth::keep_input(const trek_kernel::FunctionInput& what) {
    constexpr std::size_t most_kept = 20'000;
    if (inputs_.size() == most_kept) {
        ++inputs_left_out_;
        return;
    }
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    TrueInput input{what.process, what.node.value(), what.task, what.subtask};
    for (const std::span<const std::byte> message : what.messages) {
        const auto length = static_cast<std::uint32_t>(message.size());
        if (what.messages.size() > 1) XXH3_64bits_update(&state, &length, sizeof length);
        XXH3_64bits_update(&state, message.data(), message.size());
        input.bytes += message.size();
    }
    input.xxh3 = XXH3_64bits_digest(&state);
    inputs_.push_back(input);
}

}  // namespace ground_truth
