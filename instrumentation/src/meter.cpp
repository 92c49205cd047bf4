#include <instrumentation/meter.hpp>

#include <algorithm>

#include <instrumentation/accounts.hpp>
#include <instrumentation/record_watch.hpp>

namespace instrumentation {

using trace_record::Event;
using trace_record::EventClass;
using trollius_os::Api;
using vocabulary::Cycles;
using vocabulary::SimTime;

namespace {

// Charges that the bill shows.
std::uint8_t what(const Event& event) {
    return trollius_os::probed(static_cast<std::uint8_t>(event.kind), event.is_result != 0);
}

// An event of the monitor itself, at a global interrupt.
bool is_of_backend(EventClass which) {
    return which == EventClass::Clock || which == EventClass::Usage;
}

}  // namespace

void Meter::record(Event event, Api& api) {
    const EventClass which = trace_record::class_of(event.kind);
    bool wanted = state_.classes.has(which);
    if (wanted && state_.phase == MonitorPhase::Off) {
        // Suspending a process in mid-message would block the link that must carry the begin command.
        if (state_.is_tmon() || which == EventClass::Message) {
            wanted = false;
        } else {
            wait_for_begin(api);
        }
    }
    wanted = wanted && state_.phase != MonitorPhase::Ended;
    if ((!wanted && which != EventClass::Task) || state_.costs.probes_off) return;
    event.node = api.node().value();
    event.time_us = state_.clock_us(api);
    if (!wanted) return count(event, api);
    charge(event, api);
    const bool lost = !keep(event, api);
    if (lost) ++state_.ledger.dropped;
    if (state_.settings.watch != nullptr) state_.settings.watch->made(api.node(), which, api.port().now(), lost);
    if (state_.buffers.count() > state_.unloading->limit(event.time_us, state_.buffers.room())) state_.wake_manager(api);
}

void Meter::hold_until_begin(Api& api) {
    if (!state_.is_tmon() && state_.phase == MonitorPhase::Off) wait_for_begin(api);
}

void Meter::wait_for_begin(Api& api) {
    api.port().settle();
    const SimTime since = api.port().now();
    while (state_.phase == MonitorPhase::Off) {
        state_.wait_for_begin.push_back(&api.port().self());
        api.port().wait();
    }
    state_.ledger.suspended += api.port().now() - since;
}

void Meter::charge(const Event& event, Api& api) {
    OverheadLedger& ledger = state_.ledger;
    const MonitorCosts& costs = state_.costs;
    const EventClass which = trace_record::class_of(event.kind);
    ++ledger.events;
    ledger.meter += costs.meter;
    const bool standard = which == EventClass::Message || which == EventClass::Process;
    const bool backend = is_of_backend(which);
    const SimTime probe = standard                     ? costs.standard_probe
                          : which == EventClass::Clock ? costs.backend
                          : which == EventClass::Usage ? costs.usage_sample
                                                       : costs.probe;
    (backend ? ledger.backend : ledger.probe) += probe;
    // Together as many cycles as both times are, whatever the clock's period.
    const Cycles first = api.port().cycles(probe);
    api.port().charge_for(backend ? accounts::backend : accounts::probe, first, what(event));
    api.port().charge_for(accounts::meter, api.port().cycles(probe + costs.meter) - first, what(event));
}

void Meter::count(const Event& event, Api& api) {
    ++state_.ledger.counted;
    state_.ledger.probe += state_.costs.count;
    api.charge_for(accounts::probe, state_.costs.count, what(event));
    state_.buffers.skip(event);
    if (state_.phase == MonitorPhase::Ended) state_.wake_manager(api);  // the manager has said that there are no more
}

bool Meter::keep(const Event& event, Api& api) {
    Recorded how = Recorded::Full;
    if (state_.wait_for_room.empty()) {
        how = state_.buffers.record(event);
        if (how == Recorded::Kept) return true;
        charge_policy(api);
    }
    if (how == Recorded::Lost) return false;
    if (!is_of_backend(trace_record::class_of(event.kind))) return keep_when_there_is_room(event, api);
    // The backend must take the next interrupt in time, and a clock read after a wait is useless.
    state_.buffers.skip(event, trace_record::LossCause::BufferFull);
    return false;
}

// In the order in which they came, so that the times of a node's records never go back.
bool Meter::keep_when_there_is_room(const Event& event, Api& api) {
    trollius_os::Thread& self = api.port().self();
    state_.wait_for_room.push_back(&self);
    state_.wake_manager(api);
    const SimTime since = api.port().now();
    Recorded how = Recorded::Full;
    while (how == Recorded::Full) {
        api.port().wait();
        if (state_.phase == MonitorPhase::Ended) break;
        if (state_.wait_for_room.front() == &self) how = state_.buffers.record(event);
    }
    std::erase(state_.wait_for_room, &self);
    if (!state_.wait_for_room.empty()) api.port().wake(*state_.wait_for_room.front());
    ++state_.ledger.waits_for_room;
    state_.ledger.waited_for_room += api.port().now() - since;
    if (how == Recorded::Full) state_.buffers.skip(event, trace_record::LossCause::BufferFull);
    return how == Recorded::Kept;
}

// Dropping the newest needs no choice.
void Meter::charge_policy(Api& api) {
    if (state_.settings.when_full == WhenFull::DropNewest && !state_.settings.buffer_policy) return;
    state_.ledger.policy += state_.costs.policy;
    api.charge_for(accounts::meter, state_.costs.policy);
}

}  // namespace instrumentation
