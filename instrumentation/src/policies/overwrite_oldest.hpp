// OverwriteOldest: the buffers hold the newest records, as a flight recorder does. Good for the last events before a crash.
// Earlier records of a task are lost, and with them most certainty.
#pragma once

#include <instrumentation/buffer_policy.hpp>

namespace instrumentation {

class OverwriteOldest final : public BufferPolicy {
public:
    Choice when_full(const trace_record::Event&, const boost::circular_buffer<trace_record::Event>&) override {
        return {Choice::What::LoseBuffered, 0, trace_record::LossCause::Overwritten};
    }
};

}  // namespace instrumentation
