// TraceBuffers: the two buffers of a node (thesis, section 5.3.2). The meter fills one while the other is on its way to the
// host. The BufferPolicy decides about a record without room. Lost records are kept as LossRanges, with the node's clock, cause
// and classes, until the manager reports them to the host. Cost of a record: a few nanoseconds, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <boost/circular_buffer.hpp>

#include <instrumentation/buffer_policy.hpp>
#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>

namespace instrumentation {

enum class Recorded : std::uint8_t {
    Kept,
    Lost,  // this record is lost, or another that it replaces
    Full,  // the record has no number yet: wait until a buffer has left, then try again
};

class TraceBuffers {
public:
    // Without a policy the newest record is dropped.
    explicit TraceBuffers(std::size_t records_each, std::unique_ptr<BufferPolicy> policy = nullptr);

    // Takes effect for the next record without room.
    void set_policy(std::unique_ptr<BufferPolicy> policy) { policy_ = std::move(policy); }

    // Gives the record its sequence number.
    Recorded record(trace_record::Event event) {
        if (waiting_.size() >= limit_) {
            without_room_ = event;
            return find_room();
        }
        event.seq = next_seq_++;
        waiting_.push_back(event);
        return Recorded::Kept;
    }
    // Both, one directly behind the other. Without room the policy decides about each. If the event must wait, the partner
    // has no number either, unless it was lost already.
    struct Both {
        Recorded partner, event;
    };
    Both record(const trace_record::Event& partner, const trace_record::Event& event);
    // Takes a sequence number for an event that is not recorded and counts it as lost. So its absence cannot mean "did not
    // happen". `event` needs node, time and kind.
    void skip(trace_record::Event event, trace_record::LossCause cause = trace_record::LossCause::SwitchedOff);

    std::size_t count() const { return waiting_.size() + leaving_.size(); }
    std::size_t room() const { return 2 * records_each_; }
    std::uint32_t next_seq() const { return next_seq_; }
    // The records here, those that leave first. For who looks from outside.
    std::vector<trace_record::Event> records() const {
        std::vector<trace_record::Event> all(leaving_.begin(), leaving_.end());
        all.insert(all.end(), waiting_.begin(), waiting_.end());
        return all;
    }

    // When the oldest of the records was made, by the node's clock. Precondition: count() > 0 and none is leaving.
    std::uint64_t oldest_us() const { return waiting_.front().time_us; }

    // The oldest records, at most one buffer full. No policy can drop them, and they keep their room until leave_done().
    // Sequence numbers rise, with gaps where records were lost. Precondition: count() > 0 and none is leaving.
    std::span<const trace_record::Event> start_leaving();
    void leave_done();
    // The losses since the last call, ascending and disjoint. Up to room() ranges keep one cause each.
    std::vector<trace_record::LossRange> take_losses();
    bool has_losses() const { return !losses_.empty(); }

private:
    Recorded find_room();  // makes room for without_room_
    void lose(const trace_record::Event& event, trace_record::LossCause cause);
    void join_two_losses();

    std::size_t records_each_;
    std::size_t limit_;  // most records in `waiting_`: both buffers, or one while the other leaves
    std::unique_ptr<BufferPolicy> policy_;
    boost::circular_buffer<trace_record::Event> waiting_, leaving_;  // each has room for all, because they are swapped
    // A member, not an argument of find_room(): for an argument the compiler would store each event and read it back at once.
    trace_record::Event without_room_;
    bool is_leaving_ = false;
    std::uint32_t next_seq_ = 0;
    std::vector<trace_record::LossRange> losses_;
};

}  // namespace instrumentation
