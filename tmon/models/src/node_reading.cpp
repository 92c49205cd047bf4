#include "node_reading.hpp"

#include <algorithm>

#include <trace_record/event_class.hpp>

namespace tmon_models {

using trace_record::Event;
using trace_record::LossRange;

// Goes through records and gaps in the order of their numbers.
class NodeReading::Scan {
public:
    explicit Scan(NodeReading& reading) : reading_(reading), program_(reading.program_) {}

    void run(const tmon_streams::Stream& stream) {
        auto gap = stream.losses.begin();
        for (const auto part : stream.in_passing()) {
            for (const Event& event : part) {
                for (; gap != stream.losses.end() && gap->first_seq < event.seq; ++gap) add(*gap);
                if (!take(event)) return;
            }
        }
        reading_.at_last_ = {now_.least, now_.most};
        finish_block(reading_.last_block_);
        for (; gap != stream.losses.end(); ++gap) {
            reading_.after_last_.most += size(*gap);
            reading_.after_last_.least += least(*gap);
        }
        reading_.after_last_.least += gap_.least;
        reading_.after_last_.most += gap_.most;
    }

private:
    static std::uint64_t size(const LossRange& range) { return range.last_seq - range.first_seq + std::uint64_t{1}; }
    // A range that may hide records of other classes may hide no record of a unit.
    static std::uint64_t least(const LossRange& range) {
        return range.classes == trace_record::ClassSet::of(trace_record::EventClass::Task) ? size(range) : 0;
    }
    void add(const LossRange& range) {
        gap_.least += least(range);
        gap_.most += size(range);
    }

    bool refuse(const Event& event, const char* text) {
        reading_.misfit_ = Misfit{event, text};
        return false;
    }

    bool take(const Event& event) {
        if (event.node != reading_.node_) return refuse(event, "a record of another node");
        const auto move = program_.move_of(event);
        if (!move) return refuse(event, "a message that the model does not have");
        const auto spot = program_.find(event.node, event.task, *move);
        if (!spot) return refuse(event, "a message of a unit, or to a node, that the model does not have");
        if (spot->block < reading_.last_block_ && reading_.records_ > 0)
            return refuse(event, "a message of a step that was over before");
        if (spot->block == reading_.last_block_ && (reading_.last_mask_ >> spot->move & 1U) != 0)
            return refuse(event, "the same message a second time");
        if (spot->block != reading_.last_block_ && !begin_block(spot->block))
            return refuse(event, "a message after others that are neither on record nor lost");
        place_gap();
        if (!needs_all_before(spot->block)) return refuse(event, "a message after others that are neither on record nor lost");
        reading_.last_mask_ |= 1U << spot->move;
        ++reading_.records_;
        return true;
    }

    // Lost records since the last record are before this one.
    void place_gap() {
        now_.least += gap_.least;
        now_.most += gap_.most;
        gap_ = {};
    }

    // Records of the block that ends here are all known, so the lost ones up to its last record have bounds.
    bool finish_block(std::uint64_t block) {
        const std::uint64_t end = std::min(block + 1, program_.blocks(reading_.node_));
        reading_.missing_in_full_ = program_.moves_before(reading_.node_, end) - reading_.records_;
        now_.most = std::min(now_.most, reading_.missing_in_full_);
        return now_.least <= now_.most;
    }

    bool begin_block(std::uint64_t block) {
        if (!finish_block(reading_.last_block_)) return false;
        reading_.last_block_ = block;
        reading_.last_mask_ = 0;
        before_ = reading_.records_;
        return true;
    }

    bool needs_all_before(std::uint64_t block) {
        now_.least = std::max(now_.least, program_.moves_before(reading_.node_, block) - before_);
        return now_.least <= now_.most;
    }

    NodeReading& reading_;
    const Program& program_;
    Counts now_, gap_;
    std::uint64_t before_ = 0;  // records of earlier blocks
};

NodeReading::NodeReading(const Program& program, const tmon_streams::Stream& stream)
    : program_(program),
      node_(stream.node),
      is_open_(stream.state == tmon_streams::StreamState::Open),
      is_lossy_(!is_open_ && !stream.losses.empty()) {
    Scan(*this).run(stream);
}

NodeState NodeReading::recorded() const {
    return program_.normal(node_, {last_block_, last_mask_});
}

std::uint64_t NodeReading::most_block() const {
    const std::uint64_t end = program_.blocks(node_);
    if (is_open_) return end;
    const std::uint64_t most = records_ + at_last_.most + after_last_.most;
    std::uint64_t block = last_block_;
    while (block < end && program_.moves_before(node_, block + 1) <= most) ++block;
    return block;
}

bool NodeReading::allows(const NodeState& state) const {
    const NodeState least = recorded();
    if (state < NodeState{least.block, 0}) return false;
    if (state.block == last_block_ && (state.mask & last_mask_) != last_mask_) return false;
    const std::uint64_t missing = program_.moves_done(node_, state) - records_;
    // Lost records at the last record: no more than there are moves up to its block.
    const std::uint64_t room = state.block > last_block_ ? missing_in_full_ : missing;
    const std::uint64_t most_at_last = std::min(at_last_.most, room);
    if (at_last_.least > most_at_last || missing < at_last_.least + after_last_.least) return false;
    return is_open_ || missing <= most_at_last + after_last_.most;
}

}  // namespace tmon_models
