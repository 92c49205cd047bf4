// Meter: called by every probe (thesis, section 5.3.2). It gives a record its time and puts it into the trace buffers. Charged:
// the probe, the meter, and the choice of a buffer policy, each for its account (accounts.hpp).
#pragma once

#include <instrumentation/monitor_state.hpp>
#include <trace_record/event.hpp>
#include <trollius_os/api.hpp>

namespace instrumentation {

class Meter {
public:
    explicit Meter(MonitorState& state) : state_(state) {}

    // Called by the process that passed the probe; node, time and number of the record are filled in here. No record is made of
    // a class that is switched off, before the begin of Tmon, or after the end. An event of class Task then still takes a
    // sequence number, so that nobody takes its absence for "did not happen".
    //
    // May make the process wait. In Tmon-de it waits while monitoring is off (section 5.3.3), but not for an event of a
    // message. Where the buffer policy says so, it waits until there is room. A record of class Clock or Usage never waits: it
    // is lost.
    void record(trace_record::Event event, trollius_os::Api& api);
    // Called by a process whose messages will be watched, before it does anything: in Tmon-de it waits for the begin. Later
    // would be too late. A message half-way over a link, whose receiver is held, keeps the link from the begin itself.
    void hold_until_begin(trollius_os::Api& api);

private:
    void wait_for_begin(trollius_os::Api& api);
    void charge(const trace_record::Event& event, trollius_os::Api& api);
    void count(const trace_record::Event& event, trollius_os::Api& api);
    void charge_policy(trollius_os::Api& api);
    // False: this record or another is lost.
    bool keep(const trace_record::Event& event, trollius_os::Api& api);
    bool keep_when_there_is_room(const trace_record::Event& event, trollius_os::Api& api);

    MonitorState& state_;
};

}  // namespace instrumentation
