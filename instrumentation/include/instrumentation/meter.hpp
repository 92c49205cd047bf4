// Meter: called by every probe (thesis, section 5.3.2). It stamps a record with the time and puts it into the trace buffers. It
// charges the probe, the meter and the choice of a buffer policy, each to its account (accounts.hpp).
#pragma once

#include <instrumentation/monitor_state.hpp>
#include <trace_record/event.hpp>
#include <trollius_os/api.hpp>

namespace instrumentation {

class Meter {
public:
    explicit Meter(MonitorState& state) : state_(state) {}

    // The process that passed the probe calls this; it fills in node, time and number of the record. It makes no record of a
    // class that is off, before the begin of Tmon, or after the end. An event of class Task still takes a sequence number then,
    // so its absence cannot mean "did not happen".
    //
    // May make the process wait. In Tmon-de the process waits while monitoring is off (section 5.3.3), except at events of
    // messages. If the buffer policy says so, it waits until there is room. A record of class Clock or Usage is lost instead.
    void record(trace_record::Event event, trollius_os::Api& api);
    // A process with watched messages calls this before it does anything else: in Tmon-de it waits for the begin command. Later
    // would be too late. If a receiver were held in mid-message, its link would be blocked for the begin command itself.
    void hold_until_begin(trollius_os::Api& api);

private:
    void wait_for_begin(trollius_os::Api& api);
    void charge(const trace_record::Event& event, trollius_os::Api& api);
    void count(const trace_record::Event& event, trollius_os::Api& api);
    void charge_policy(trollius_os::Api& api);
    // False: this record or another one is lost.
    bool keep(const trace_record::Event& event, trollius_os::Api& api);
    bool keep_when_there_is_room(const trace_record::Event& event, trollius_os::Api& api);

    MonitorState& state_;
};

}  // namespace instrumentation
