#include <instrumentation/backend.hpp>

#include <algorithm>
#include <utility>

#include <instrumentation/accounts.hpp>

namespace instrumentation {

using trace_record::EventClass;
using trace_record::EventKind;
using trollius_os::Api;
using trollius_os::Priority;

namespace {

std::uint64_t whole_us(vocabulary::SimTime time) {
    return static_cast<std::uint64_t>(time.in_ps() / 1'000'000);
}

}  // namespace

// The cut and the switch to this process are paid with the first cycle of its work; only then can it read a clock. With
// monitor.backend 0 it uses no cycle: a free monitor changes nothing.
void Backend::pay_first_cycle(Api& api) {
    const vocabulary::SimTime first = std::min(state_.costs.backend, vocabulary::SimTime::ns(50));
    if (state_.costs.probes_off || first == vocabulary::SimTime()) return;
    state_.ledger.backend += first;
    api.charge_for(accounts::backend, first);
    api.port().settle();
}

void Backend::run(Api& api) {
    api.port().on_behalf_of(accounts::backend);
    while (true) {
        api.port().wait_for_event();
        pay_first_cycle(api);
        interrupted(api, counter_.take(api.port().clock_us(Priority::High)));
    }
}

void Backend::interrupted(Api& api, std::optional<std::uint32_t> number) {
    if (state_.costs.probes_off) return;
    if (number && state_.phase == MonitorPhase::On) {
        meter_.record({.task = *number, .kind = EventKind::Synchronise}, api);
        if (state_.classes.has(EventClass::Usage)) sample(api);
        return;
    }
    // The interrupt takes time, even when it is not recorded.
    state_.ledger.backend += state_.costs.backend;
    api.charge_for(accounts::backend, state_.costs.backend);
}

Backend::Sample Backend::read_counters(Api& api) {
    return {.now_us = api.port().clock_us(Priority::High),
            .high_us = whole_us(api.port().busy(Priority::High)),
            .low_us = whole_us(api.port().busy(Priority::Low)),
            .links = api.port().link_sending()};
}

void Backend::sample(Api& api) {
    const Sample now = read_counters(api), before = std::exchange(last_, now);
    std::uint32_t sending = 0;
    const auto passed = static_cast<double>(now.now_us - before.now_us);
    for (std::size_t link = 0; link < now.links.size() && passed > 0; ++link) {
        const double percent = (now.links[link] - before.links[link]).in_us() * 100 / passed;
        sending |= static_cast<std::uint32_t>(std::min(100.0, percent + 0.5)) << (8 * link);
    }
    meter_.record({.task = static_cast<std::uint32_t>(now.high_us - before.high_us),
                   .subtask = static_cast<std::uint32_t>(now.low_us - before.low_us),
                   .bytes = sending,
                   .peer = static_cast<std::uint16_t>(std::min<std::size_t>(state_.buffers.count(), UINT16_MAX)),
                   .kind = EventKind::NodeUsage},
                  api);
}

}  // namespace instrumentation
