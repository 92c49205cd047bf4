#include <instrumentation/trace_buffers.hpp>

#include <utility>

#include <vocabulary/contract.hpp>

namespace instrumentation {

const boost::circular_buffer<trace_record::Event>& TraceBuffers::start_leaving() {
    EXPECTS(count() > 0 && !leaving_, "trace_buffers.start_leaving");
    if (buffers_[1 - filling_].empty())
        filling_ = 1 - filling_;  // the one that fills is the only one with records: it leaves, the other fills
    leaving_ = true;
    return buffers_[1 - filling_];
}

void TraceBuffers::leave_done() {
    EXPECTS(leaving_, "trace_buffers.leave_done");
    buffers_[1 - filling_].clear();
    leaving_ = false;
}

void TraceBuffers::drop(std::uint32_t seq) {
    if (!dropped_.empty() && dropped_.back().last_seq + 1 == seq) {
        dropped_.back().last_seq = seq;
    } else {
        dropped_.push_back({seq, seq});
    }
}

std::vector<DroppedRange> TraceBuffers::take_dropped() {
    return std::exchange(dropped_, {});
}

}  // namespace instrumentation
