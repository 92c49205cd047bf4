// BufferPolicy: chooses the record to lose when a new one finds both buffers full. A user's own policy is a class with one
// function (MonitorSettings::buffer_policy). The record that is given up becomes part of a LossRange; the policy's choice costs
// monitor.policy of modelled time. Policies that come with Magicwire: make_buffer_policy().
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
    // `buffered`: the records that can still be given up, oldest first, at least one. Records on their way to the host are not
    // among them. Wait: the process that made the record is suspended until there is room. A record of the backend (classes
    // Clock and Usage) is lost instead, since a waiting process cannot take an interrupt in time.
    virtual Choice when_full(const trace_record::Event& event, const boost::circular_buffer<trace_record::Event>& buffered) = 0;
};

// None for DropNewest: the meter does that by itself.
std::unique_ptr<BufferPolicy> make_buffer_policy(WhenFull when_full);

}  // namespace instrumentation
