#include <instrumentation/backend.hpp>

#include <algorithm>
#include <utility>

#include <instrumentation/accounts.hpp>

namespace instrumentation {

using coroutines::Task;
using trace_record::EventClass;
using trace_record::EventKind;
using trollius_os::Calls;
using trollius_os::Priority;

namespace {

std::uint64_t whole_us(vocabulary::SimTime time) {
    return static_cast<std::uint64_t>(time.in_ps() / 1'000'000);
}

}  // namespace

// The cut and the switch to this process are paid with the first cycle of its work; only then can it read a clock. With
// monitor.backend 0 it uses no cycle: a free monitor changes nothing.
Task<> Backend::pay_first_cycle(Calls& calls) {
    const vocabulary::SimTime first = std::min(state_.costs.backend, vocabulary::SimTime::ns(50));
    if (state_.costs.probes_off || first == vocabulary::SimTime()) co_return;
    state_.ledger.backend += first;
    calls.charge_for(accounts::backend, first);
    co_await calls.settle();
}

Task<> Backend::run(Calls& calls) {
    calls.port().on_behalf_of(accounts::backend);
    while (true) {
        co_await calls.port().wait_for_event();
        co_await pay_first_cycle(calls);
        co_await interrupted(calls, counter_.take(calls.port().clock_us(Priority::High)));
    }
}

Task<> Backend::interrupted(Calls& calls, std::optional<std::uint32_t> number) {
    if (state_.costs.probes_off) return {};
    if (number && state_.phase == MonitorPhase::On) return record_interrupt(calls, *number);
    // The interrupt takes time, even when it is not recorded.
    state_.ledger.backend += state_.costs.backend;
    calls.charge_for(accounts::backend, state_.costs.backend);
    return {};
}

Task<> Backend::record_interrupt(Calls& calls, std::uint32_t number) {
    co_await meter_.record({.task = number, .kind = EventKind::Synchronise}, calls);
    if (state_.classes.has(EventClass::Usage)) co_await sample(calls);
}

Backend::Sample Backend::read_counters(Calls& calls) {
    return {.now_us = calls.port().clock_us(Priority::High),
            .high_us = whole_us(calls.port().busy(Priority::High)),
            .low_us = whole_us(calls.port().busy(Priority::Low)),
            .links = calls.port().link_sending()};
}

Task<> Backend::sample(Calls& calls) {
    const Sample now = read_counters(calls), before = std::exchange(last_, now);
    std::uint32_t sending = 0;
    const auto passed = static_cast<double>(now.now_us - before.now_us);
    for (std::size_t link = 0; link < now.links.size() && passed > 0; ++link) {
        const double percent = (now.links[link] - before.links[link]).in_us() * 100 / passed;
        sending |= static_cast<std::uint32_t>(std::min(100.0, percent + 0.5)) << (8 * link);
    }
    co_await meter_.record({.task = static_cast<std::uint32_t>(now.high_us - before.high_us),
                            .subtask = static_cast<std::uint32_t>(now.low_us - before.low_us),
                            .bytes = sending,
                            .peer = static_cast<std::uint16_t>(std::min<std::size_t>(state_.buffers.count(), UINT16_MAX)),
                            .kind = EventKind::NodeUsage},
                           calls);
}

}  // namespace instrumentation
