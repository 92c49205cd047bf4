// TraceBuffers: the two buffers of a node (thesis, section 5.3.2). The meter fills one while the other is on its way to the
// host. When neither has room, the newest record is dropped, and the drop is itself recorded as a range of sequence numbers.
// Cost of a record: a few nanoseconds, no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/circular_buffer.hpp>

#include <trace_record/event.hpp>

namespace instrumentation {

struct DroppedRange {
    std::uint32_t first_seq = 0, last_seq = 0;
};

class TraceBuffers {
public:
    explicit TraceBuffers(std::size_t records_each) : buffers_{Buffer(records_each), Buffer(records_each)} {}

    // Gives the record its sequence number; false when it had to be dropped.
    bool record(trace_record::Event event) {
        event.seq = next_seq_++;
        Buffer* buffer = &buffers_[filling_];
        if (buffer->full() && !leaving_) {
            Buffer& other = buffers_[1 - filling_];
            if (other.empty()) {
                filling_ = 1 - filling_;
                buffer = &other;
            }
        }
        if (buffer->full()) {
            drop(event.seq);
            return false;
        }
        buffer->push_back(event);
        return true;
    }

    std::size_t count() const { return buffers_[0].size() + buffers_[1].size(); }
    std::size_t room() const { return buffers_[0].capacity() + buffers_[1].capacity(); }
    std::uint32_t next_seq() const { return next_seq_; }

    // The older buffer, to be sent; nothing may be added to it until leave_done(). Precondition: count() > 0 and none is
    // leaving.
    const boost::circular_buffer<trace_record::Event>& start_leaving();
    void leave_done();
    // Ranges dropped since the last call.
    std::vector<DroppedRange> take_dropped();
    bool has_dropped() const { return !dropped_.empty(); }

private:
    using Buffer = boost::circular_buffer<trace_record::Event>;
    void drop(std::uint32_t seq);

    std::array<Buffer, 2> buffers_;
    std::size_t filling_ = 0;
    bool leaving_ = false;  // the buffer that is not filling is on its way
    std::uint32_t next_seq_ = 0;
    std::vector<DroppedRange> dropped_;
};

}  // namespace instrumentation
