// StopWhenFull: nothing is lost; the process that made the record waits at its probe until a buffer has left.
#pragma once

#include <instrumentation/buffer_policy.hpp>

namespace instrumentation {

class StopWhenFull final : public BufferPolicy {
public:
    Choice when_full(const trace_record::Event&, const boost::circular_buffer<trace_record::Event>&) override {
        return {Choice::What::Wait};
    }
};

}  // namespace instrumentation
