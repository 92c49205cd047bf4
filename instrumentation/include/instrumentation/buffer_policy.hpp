// BufferPolicy: chooses the record to lose when a new one finds both buffers full. A user's own policy is a class with one
// function (MonitorSettings::buffer_policy). The lost record becomes part of a LossRange. The choice costs monitor.policy of
// modelled time. make_buffer_policy() makes the policies of Magicwire.
#pragma once

#include <cstddef>
#include <memory>

#include <boost/circular_buffer.hpp>

#include <instrumentation/monitor_settings.hpp>
#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>

namespace instrumentation {

class BufferPolicy {
public:
    struct Choice {
        enum class What { LoseNew, LoseBuffered, Wait };
        What what = What::LoseNew;
        std::size_t index = 0;  // for LoseBuffered: index among the given records
        trace_record::LossCause cause = trace_record::LossCause::BufferFull;
    };

    virtual ~BufferPolicy() = default;
    // `buffered`: the records that may be dropped, oldest first, at least one. Records on their way to the host are not
    // included. Wait suspends the process that made the record until there is room. A record of the backend (classes Clock and
    // Usage) is lost instead, because a waiting process could not take interrupts in time.
    virtual Choice when_full(const trace_record::Event& event, const boost::circular_buffer<trace_record::Event>& buffered) = 0;
};

// nullptr for DropNewest, which the meter does by itself.
std::unique_ptr<BufferPolicy> make_buffer_policy(WhenFull when_full);

}  // namespace instrumentation
