// Meter: called by every probe (thesis, section 5.3.2). It stamps a record with the time and puts it into the trace buffers. It
// charges the probe, the meter and the choice of a buffer policy, each to its account (accounts.hpp).
#pragma once

#include <optional>

#include <instrumentation/monitor_state.hpp>
#include <trace_record/event.hpp>
#include <trollius_os/calls.hpp>

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
    coroutines::Task<> record(trace_record::Event event, trollius_os::Calls& calls);
    // The same for an event of class Message, with the record that names its partner directly before it.
    coroutines::Task<> record(const trace_record::Event& partner, trace_record::Event event, trollius_os::Calls& calls);
    // True: an event of class Message that is recorded now becomes a record, or a loss.
    bool records_messages() const {
        const bool on = state_.phase == MonitorPhase::On || state_.phase == MonitorPhase::Ending;
        return on && state_.classes.has(trace_record::EventClass::Message) && !state_.costs.probes_off;
    }
    // A process with watched messages calls this before it does anything else: in Tmon-de it waits for the begin command. Later
    // would be too late. If a receiver were held in mid-message, its link would be blocked for the begin command itself.
    coroutines::Task<> hold_until_begin(trollius_os::Calls& calls);

private:
    using Calls = trollius_os::Calls;
    using Event = trace_record::Event;

    coroutines::Task<> wait_for_begin(Calls& calls);
    coroutines::Task<> record_after_begin(Event event, Calls& calls);
    coroutines::Task<> record_and_wait(Event event, Calls& calls);
    coroutines::Task<> record_in_phase(Event event, bool wanted, Calls& calls);
    coroutines::Task<> record_now(Event event, bool wanted, Calls& calls);
    coroutines::Task<> record_now(const Event& partner, Event event, Calls& calls);
    // With a script (act_script.hpp): waits for the turn of the process, and wakes those that may come next.
    bool is_to_wait() const;
    void note_acts(const trace_record::Event* partner, const trace_record::Event& event, bool wanted,
                   trollius_os::Calls& calls);
    coroutines::Task<> record_in_turn(std::optional<Event> partner, Event event, bool wanted, Calls& calls);
    void charge(const Event& event, Calls& calls);
    coroutines::Task<> count(const Event& event, Calls& calls);
    void charge_policy(Calls& calls);
    // `partner`: nullptr, or the record before the event.
    coroutines::Task<> keep(const Event& event, Calls& calls, const Event* partner = nullptr);
    coroutines::Task<> keep_when_there_is_room(Event event, std::optional<Event> partner, Calls& calls);
    // With a partner; nullptr afterwards: it has its number.
    Recorded put(const Event& event, const Event*& partner, Calls& calls);
    // `lost`: this record or another one.
    void note(const Event& event, bool lost, Calls& calls);
    coroutines::Task<> is_made(const Event& event, bool lost, Calls& calls);

    MonitorState& state_;
};

}  // namespace instrumentation
