#include <instrumentation/meter.hpp>

#include <algorithm>

#include <instrumentation/accounts.hpp>
#include <instrumentation/record_watch.hpp>

namespace instrumentation {

using coroutines::Task;
using trace_record::Event;
using trace_record::EventClass;
using trace_record::EventKind;
using vocabulary::Cycles;
using vocabulary::SimTime;

namespace {

// Charges that the bill shows.
std::uint8_t what(const Event& event) {
    return trollius_os::probed(static_cast<std::uint8_t>(event.kind), event.is_result != 0);
}

// In the script's list while it waits. A doomed process leaves the list when its frame goes.
class HeldProcess {
public:
    HeldProcess(ActScript& script, trollius_os::Thread& self) : script_(script), self_(&self) { script_.held.push_back(self_); }
    ~HeldProcess() { std::erase(script_.held, self_); }
    HeldProcess(const HeldProcess&) = delete;
    HeldProcess& operator=(const HeldProcess&) = delete;

private:
    ActScript& script_;
    trollius_os::Thread* const self_;
};

// An event of the monitor itself, at a global interrupt.
bool is_of_backend(EventClass which) {
    return which == EventClass::Clock || which == EventClass::Usage;
}

}  // namespace

Task<> Meter::record(Event event, Calls& calls) {
    const EventClass which = trace_record::class_of(event.kind);
    const bool wanted = state_.classes.has(which);
    if (!wanted || state_.phase != MonitorPhase::Off) return record_in_phase(event, wanted, calls);
    // Suspending a process in mid-message would block the link that must carry the begin command.
    if (state_.is_tmon() || which == EventClass::Message) return record_in_phase(event, false, calls);
    return state_.has_begun ? record_and_wait(event, calls) : record_after_begin(event, calls);
}

Task<> Meter::record(const Event& partner, Event event, Calls& calls) {
    if (!records_messages()) return {};
    if (is_to_wait()) return record_in_turn(partner, event, true, calls);
    note_acts(&partner, event, true, calls);
    return record_now(partner, event, calls);
}

Task<> Meter::record_now(const Event& partner, Event event, Calls& calls) {
    Event before = partner;
    before.node = event.node = calls.node().value();
    before.time_us = event.time_us = state_.clock_us(calls);
    charge(before, calls);
    charge(event, calls);
    return keep(event, calls, &before);
}

// After a stop. The record comes first, since the message has been sent and others go on. A process that has received goes on:
// else its neighbour would begin the next message, and wait with the link.
Task<> Meter::record_and_wait(Event event, Calls& calls) {
    co_await record_in_phase(event, true, calls);
    if (event.kind != EventKind::Receive) co_await wait_for_begin(calls);
}

Task<> Meter::record_after_begin(Event event, Calls& calls) {
    co_await wait_for_begin(calls);
    co_await record_in_phase(event, true, calls);
}

Task<> Meter::record_in_phase(Event event, bool wanted, Calls& calls) {
    wanted = wanted && state_.phase != MonitorPhase::Ended;
    if ((!wanted && trace_record::class_of(event.kind) != EventClass::Task) || state_.costs.probes_off) return {};
    const bool act = !is_of_backend(trace_record::class_of(event.kind));
    if (act && is_to_wait()) return record_in_turn({}, event, wanted, calls);
    if (act) note_acts(nullptr, event, wanted, calls);
    return record_now(event, wanted, calls);
}

Task<> Meter::record_now(Event event, bool wanted, Calls& calls) {
    event.node = calls.node().value();
    event.time_us = state_.clock_us(calls);
    if (!wanted) return count(event, calls);
    charge(event, calls);
    return keep(event, calls);
}

// Most runs only note the order, and nobody waits. So they need no frame.
bool Meter::is_to_wait() const {
    return state_.script && (state_.script->turns || !state_.script->held.empty());
}

void Meter::note_acts(const Event* partner, const Event& event, bool wanted, Calls& calls) {
    const std::uint32_t count = partner != nullptr ? 2 : 1;
    state_.acts += count;
    if (!state_.script) return;
    ActScript& script = *state_.script;
    script.makers.insert(script.makers.end(), count, calls.pid().value());
    if (partner != nullptr) script.acts.push_back(*partner);
    script.acts.push_back(event);
    script.acts.back().reserved = wanted ? 0 : 1;
}

Task<> Meter::record_in_turn(std::optional<Event> partner, Event event, bool wanted, Calls& calls) {
    const std::shared_ptr<ActScript> its = state_.script;  // a frame may outlive the monitor
    ActScript& script = *its;
    const std::uint32_t count = partner ? 2 : 1, process = calls.pid().value();
    if (!script.may(process, state_.acts, count)) {
        co_await calls.settle();
        const HeldProcess held(script, calls.port().self());
        while (!script.may(process, state_.acts, count)) co_await calls.wait();
    }
    note_acts(partner ? &*partner : nullptr, event, wanted, calls);
    if (partner) {
        co_await record_now(*partner, event, calls);
    } else {
        co_await record_now(event, wanted, calls);
    }
    if (script.held.empty()) co_return;
    const auto held = script.held;
    for (trollius_os::Thread* thread : held) co_await calls.wake(thread);
}

void Meter::note(const Event& event, bool lost, Calls& calls) {
    if (lost) ++state_.ledger.dropped;
    if (state_.settings.watch != nullptr)
        state_.settings.watch->made(calls.node(), trace_record::class_of(event.kind), calls.port().now(), lost);
}

Task<> Meter::is_made(const Event& event, bool lost, Calls& calls) {
    note(event, lost, calls);
    const bool unload = state_.buffers.count() > state_.unloading->limit(event.time_us, state_.buffers.room());
    return unload ? state_.wake_manager(calls) : Task<>();
}

Task<> Meter::hold_until_begin(Calls& calls) {
    return !state_.is_tmon() && state_.phase == MonitorPhase::Off ? wait_for_begin(calls) : Task<>();
}

Task<> Meter::wait_for_begin(Calls& calls) {
    co_await calls.settle();
    const SimTime since = calls.port().now();
    while (state_.phase == MonitorPhase::Off) {
        state_.wait_for_begin.push_back(&calls.port().self());
        co_await calls.wait();
    }
    state_.ledger.suspended += calls.port().now() - since;
}

void Meter::charge(const Event& event, Calls& calls) {
    OverheadLedger& ledger = state_.ledger;
    const MonitorCosts& costs = state_.costs;
    const EventClass which = trace_record::class_of(event.kind);
    ++ledger.events;
    ledger.meter += costs.meter;
    const bool standard = which == EventClass::Message || which == EventClass::Process;
    const bool backend = is_of_backend(which);
    const bool noticed = event.kind == EventKind::Partner || event.kind == EventKind::Member;  // with another event
    const SimTime probe = noticed                      ? SimTime()
                          : standard                   ? costs.standard_probe
                          : which == EventClass::Clock ? costs.backend
                          : which == EventClass::Usage ? costs.usage_sample
                                                       : costs.probe;
    (backend ? ledger.backend : ledger.probe) += probe;
    // Together as many cycles as both times are, whatever the clock's period.
    const Cycles first = calls.port().cycles(probe);
    calls.port().charge_for(backend ? accounts::backend : accounts::probe, first, what(event));
    calls.port().charge_for(accounts::meter, calls.port().cycles(probe + costs.meter) - first, what(event));
}

Task<> Meter::count(const Event& event, Calls& calls) {
    ++state_.ledger.counted;
    state_.ledger.probe += state_.costs.count;
    calls.charge_for(accounts::probe, state_.costs.count, what(event));
    state_.buffers.skip(event);
    // The manager has said that there are no more.
    return state_.phase == MonitorPhase::Ended ? state_.wake_manager(calls) : Task<>();
}

Recorded Meter::put(const Event& event, const Event*& partner, Calls& calls) {
    const auto [first, second] = state_.buffers.record(*partner, event);
    if (first == Recorded::Full) return second;
    note(*partner, first == Recorded::Lost, calls);
    if (first == Recorded::Lost) charge_policy(calls);
    partner = nullptr;
    return second;
}

Task<> Meter::keep(const Event& event, Calls& calls, const Event* partner) {
    Recorded how = Recorded::Full;
    if (state_.wait_for_room.empty()) {
        how = partner == nullptr ? state_.buffers.record(event) : put(event, partner, calls);
        if (how != Recorded::Kept) charge_policy(calls);
    }
    if (how != Recorded::Full) return is_made(event, how == Recorded::Lost, calls);
    if (!is_of_backend(trace_record::class_of(event.kind)))
        return keep_when_there_is_room(event, partner == nullptr ? std::nullopt : std::optional(*partner), calls);
    // The backend must take the next interrupt in time, and a clock read after a wait is useless.
    state_.buffers.skip(event, trace_record::LossCause::BufferFull);
    return is_made(event, true, calls);
}

// In the order in which they came, so that the times of a node's records never go back.
Task<> Meter::keep_when_there_is_room(Event event, std::optional<Event> partner, Calls& calls) {
    trollius_os::Thread& self = calls.port().self();
    state_.wait_for_room.push_back(&self);
    co_await state_.wake_manager(calls);
    const SimTime since = calls.port().now();
    Recorded how = Recorded::Full;
    const Event* before = partner ? &*partner : nullptr;
    while (how == Recorded::Full) {
        co_await calls.wait();
        if (state_.phase == MonitorPhase::Ended) break;
        if (state_.wait_for_room.front() != &self) continue;
        how = before == nullptr ? state_.buffers.record(event) : put(event, before, calls);
    }
    std::erase(state_.wait_for_room, &self);
    if (!state_.wait_for_room.empty()) co_await calls.wake(state_.wait_for_room.front());
    ++state_.ledger.waits_for_room;
    state_.ledger.waited_for_room += calls.port().now() - since;
    if (how == Recorded::Full) state_.buffers.skip(event, trace_record::LossCause::BufferFull);
    co_await is_made(event, how != Recorded::Kept, calls);
}

// Dropping the newest needs no choice.
void Meter::charge_policy(Calls& calls) {
    if (state_.settings.when_full == WhenFull::DropNewest && !state_.settings.buffer_policy) return;
    state_.ledger.policy += state_.costs.policy;
    calls.charge_for(accounts::meter, state_.costs.policy);
}

}  // namespace instrumentation
