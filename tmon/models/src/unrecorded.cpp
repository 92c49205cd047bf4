#include <tmon_models/unrecorded.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>

#include <trace_record/event_class.hpp>

namespace tmon_models {

namespace {

using trace_record::Event;
using trace_record::LossRange;

// Lost records of one range lie between two records, and so between the blocks of these.
struct Gap {
    std::uint64_t first_block = 0, last_block = UINT64_MAX;
    std::uint64_t least = 0, most = 0;  // records of units in it
    std::uint32_t first_seq = 0;
    bool is_tail = false;  // behind all records
};

struct Lost {
    std::uint64_t block = 0;
    Event event;
};

class Placing {
public:
    Placing(const Program& program, const tmon_streams::Stream& stream, const NodeState& state)
        : program_(program), node_(stream.node), done_(program.moves_done(stream.node, state)) {
        read(stream);
        if (!are_too_many()) add_lost(state);
    }

    std::optional<Unrecorded> run() {
        if (are_too_many() || !reach()) return std::nullopt;
        Unrecorded result;
        std::size_t end = lost_.size();
        for (std::size_t g = gaps_.size(); g-- > 0;) {
            const Gap& gap = gaps_[g];
            const std::size_t begin = std::min<std::size_t>(reached_[g].most, end - gap.least);
            for (std::size_t i = begin; i < end && !gap.is_tail; ++i)
                lost_[i].event.seq = gap.first_seq + static_cast<std::uint32_t>(i - begin);
            if (!gap.is_tail) result.numbered += end - begin;
            end = begin;
        }
        for (const Lost& each : lost_) result.events.push_back(each.event);
        return result;
    }

private:
    static constexpr std::size_t most_moves = 32;  // of a block, and more
    static constexpr std::uint64_t most_lost = 1000;

    bool are_too_many() const { return done_ < records_ || done_ - records_ > most_lost; }

    struct Range {
        std::uint64_t least = 0, most = 0;  // of lost records that are placed
    };

    void add_gap(const LossRange& range, std::uint64_t after) {
        Gap gap;
        gap.first_block = after;
        gap.most = range.last_seq - range.first_seq + std::uint64_t{1};
        // A range that may hide records of other classes may hide no record of a unit.
        const bool hides_these_only = range.classes == trace_record::ClassSet::of(trace_record::EventClass::Task);
        gap.least = hides_these_only ? gap.most : 0;
        gap.first_seq = range.first_seq;
        gaps_.push_back(gap);
    }

    std::optional<Program::Spot> spot_of(const Event& event) const {
        const auto move = program_.move_of(event);
        return move ? program_.find(node_, event.task, *move) : std::nullopt;
    }
    std::uint32_t& recorded(std::uint64_t block) {
        if (block - base_ >= recorded_.size()) recorded_.resize(block - base_ + 1);
        return recorded_[block - base_];
    }

    // Before the first gap all is recorded, but for the block of the last record there.
    void begin(const std::deque<Event>& before) {
        if (before.empty()) return;
        if (const auto last = spot_of(before.back())) base_ = last->block;
        for (const Event& event : before)
            if (const auto spot = spot_of(event); spot && spot->block == base_) recorded(base_) |= 1U << spot->move;
    }

    void read(const tmon_streams::Stream& stream) {
        auto range = stream.losses.begin();
        std::deque<Event> before;  // the first gap
        std::size_t open = 0;      // gaps from here on end at the next record
        std::uint64_t block = 0;
        bool is_before = true;
        const auto begin_once = [&] {
            if (is_before) begin(before);
            if (is_before) block = base_;
            is_before = false;
        };
        for (const auto part : stream.in_passing()) {
            for (const Event& event : part) {
                ++records_;
                if (is_before && (range == stream.losses.end() || range->first_seq > event.seq)) {
                    before.push_back(event);
                    if (before.size() > most_moves) before.pop_front();
                    continue;
                }
                begin_once();
                for (; range != stream.losses.end() && range->first_seq < event.seq; ++range) add_gap(*range, block);
                const auto spot = spot_of(event);
                if (!spot) continue;
                block = spot->block;
                for (; open < gaps_.size(); ++open) gaps_[open].last_block = block;
                recorded(block) |= 1U << spot->move;
            }
        }
        begin_once();
        for (; range != stream.losses.end(); ++range) add_gap(*range, block);
        if (stream.state == tmon_streams::StreamState::Open) gaps_.push_back({block, UINT64_MAX, 0, UINT32_MAX, 0, true});
    }

    void add_lost(const NodeState& state) {
        const std::uint64_t blocks = program_.blocks(node_);
        for (std::uint64_t number = base_; number <= state.block && number < blocks; ++number) {
            const Block& block = program_.block(node_, number);
            const std::uint32_t done = number < state.block ? (1U << block.moves.size()) - 1U : state.mask;
            const std::uint32_t known = number - base_ < recorded_.size() ? recorded_[number - base_] : 0;
            for (std::size_t i = 0; i < block.moves.size(); ++i)
                if (((done & ~known) >> i & 1U) != 0)
                    lost_.push_back({number, program_.record_of(node_, number, block.moves[i])});
        }
    }

    std::uint64_t lost_before(std::uint64_t block) const {
        const auto first = std::lower_bound(lost_.begin(), lost_.end(), block,
                                            [](const Lost& each, std::uint64_t wanted) { return each.block < wanted; });
        return static_cast<std::uint64_t>(first - lost_.begin());
    }

    // Each gap takes the next ones, in order. So how many can be placed before it is a range of numbers.
    bool reach() {
        Range now;
        for (const Gap& gap : gaps_) {
            now.least = std::max(now.least, lost_before(gap.first_block));
            if (now.least > now.most) return false;
            reached_.push_back(now);
            const std::uint64_t end = gap.last_block == UINT64_MAX ? lost_.size() : lost_before(gap.last_block + 1);
            now = {now.least + gap.least, std::min(now.most + gap.most, end)};
            if (now.least > now.most) return false;
        }
        return now.least <= lost_.size() && lost_.size() <= now.most;
    }

    const Program& program_;
    std::uint16_t node_;
    std::vector<Gap> gaps_;
    std::uint64_t done_, records_ = 0;     // moves in this state, and those on record
    std::uint64_t base_ = 0;               // all blocks before are on record
    std::vector<std::uint32_t> recorded_;  // moves, by block from there
    std::vector<Lost> lost_;               // ascending by block
    std::vector<Range> reached_;           // before each gap
};

}  // namespace

std::optional<Unrecorded> unrecorded(const Program& program, const tmon_streams::Stream& stream, const NodeState& state) {
    return Placing(program, stream, state).run();
}

}  // namespace tmon_models
