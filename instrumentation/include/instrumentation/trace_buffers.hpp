// TraceBuffers: the two buffers of a node (thesis, section 5.3.2). The meter fills one while the other is on its way to the
// host. A record that finds no room is the BufferPolicy's business. Records given up are kept as LossRanges until the manager
// tells the host, with the node's clock, the cause and the classes. Cost of a record: a few nanoseconds, no allocation.
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
    Lost,  // this record or another that it replaces
    Full,  // it has no number yet: wait until a buffer has left, then try again
};

class TraceBuffers {
public:
    // Without a policy the newest record is dropped.
    explicit TraceBuffers(std::size_t records_each, std::unique_ptr<BufferPolicy> policy = nullptr);

    // For records that find no room from now on.
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
    // Takes a sequence number for an event that is not recorded, and counts it as lost. So its absence does not look as if it
    // had not happened. `event` needs its node, time and kind.
    void skip(trace_record::Event event, trace_record::LossCause cause = trace_record::LossCause::SwitchedOff);

    std::size_t count() const { return waiting_.size() + leaving_.size(); }
    std::size_t room() const { return 2 * records_each_; }
    std::uint32_t next_seq() const { return next_seq_; }

    // The oldest records, at most a buffer full. They are safe from any policy until leave_done(), and take their room.
    // Sequence numbers rise, with gaps where records were lost. Precondition: count() > 0 and none is leaving.
    std::span<const trace_record::Event> start_leaving();
    void leave_done();
    // The losses since the last call: ascending, disjoint. Each range has one cause as long as there are no more than room() of
    // them.
    std::vector<trace_record::LossRange> take_losses();
    bool has_losses() const { return !losses_.empty(); }

private:
    Recorded find_room();  // for without_room_
    void lose(const trace_record::Event& event, trace_record::LossCause cause);
    void join_two_losses();

    std::size_t records_each_;
    std::size_t limit_;  // of `waiting_`: both buffers, or one while the other leaves
    std::unique_ptr<BufferPolicy> policy_;
    boost::circular_buffer<trace_record::Event> waiting_, leaving_;  // each with room for all: they change places
    // Not an argument of find_room(): a compiler would keep each event in memory for it, and read it back at once.
    trace_record::Event without_room_;
    bool is_leaving_ = false;
    std::uint32_t next_seq_ = 0;
    std::vector<trace_record::LossRange> losses_;
};

}  // namespace instrumentation
