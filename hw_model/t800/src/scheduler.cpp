// Run queues in memory, cutting in, timeslices; and the clocks with their queues (data sheet, compiler writer's guide).
#include <algorithm>
#include <array>
#include <cstdint>

#include <state.hpp>

namespace t800_core {
namespace {

constexpr std::uint32_t queue_step = 5;  // cycles for each process that an insertion passes; estimated, not published

std::uint32_t workspace(std::uint32_t descriptor) {
    return descriptor & ~3U;
}
std::uint32_t head_address(std::uint32_t priority) {
    return priority == 0 ? reserved::timer_queue_0 : reserved::timer_queue_1;
}
bool before(std::uint32_t time, std::uint32_t other) {
    return static_cast<std::int32_t>(time - other) < 0;
}

}  // namespace

void Core::State::set_error() {
    r.error = true;
    if (r.halt_on_error) halted = true;
}

void Core::State::schedule(std::uint32_t descriptor) {
    const std::uint32_t priority = descriptor & 1U, w = workspace(descriptor);
    if (!r.running && !stopped()) {
        if (priority == 0 && !r.low_cut) {
            raw(reserved::saved_wdesc - min_int, not_process | 1U);
            r.low_cut = true;
        }
        run_process(w | priority, get(w - at_iptr));
        return;
    }
    if (r.front[priority] == not_process) {
        r.front[priority] = w;
    } else {
        put(r.back[priority] - at_link, w);
    }
    r.back[priority] = w;
    if (priority == 0 && r.priority == 1) cut_wanted = true;
}

void Core::State::run_process(std::uint32_t descriptor, std::uint32_t iptr) {
    r.running = true;
    r.wptr = workspace(descriptor);
    r.priority = static_cast<std::uint8_t>(descriptor & 1U);
    r.iptr = iptr;
    fp = &r.floating[r.priority];
    now += settings.start_extra;
    if (iptr - min_int >= on_chip_bytes) now += extra;
    ++totals.process_starts;
    new_slice();
    if (observer != nullptr) observer->process_started(now, descriptor, iptr);
}

void Core::State::end_process() {
    ends_process = true;
    wait();
    ends_process = false;
}

void Core::State::start_next() {
    if (observer != nullptr && r.running) observer->process_left(now, wdesc(), ends_process);
    if (analysing) {
        analysing = false, analysed = true;
        boot.halted_iptr = r.iptr, boot.halted_wdesc = wdesc();
        boot.after_analyse = true;
        r.running = false;
        return;
    }
    cut_wanted = false;
    if (r.front[0] == not_process && r.low_cut) {
        r.low_cut = false;
        if (workspace(raw(reserved::saved_wdesc - min_int)) != not_process) return resume_low();
    }
    const std::uint32_t priority = r.front[0] != not_process ? 0 : 1, w = r.front[priority];
    if (w == not_process) {
        r.running = false;
        r.priority = 1;
        return;
    }
    r.front[priority] = w == r.back[priority] ? not_process : get(w - at_link);
    // A high process that follows a low one on its own: nothing was cut, and idleness is what comes after it.
    if (priority == 0 && !r.low_cut) {
        raw(reserved::saved_wdesc - min_int, not_process | 1U);
        r.low_cut = true;
    }
    run_process(workspace(w) | priority, get(w - at_iptr));
}

void Core::State::new_slice() {
    const Cycle period = std::uint64_t{settings.clock_hz} * 1024 / 1'000'000;
    slice_at = r.priority == 0 ? never : (now / period + 2) * period;
    if (analysing) slice_at = 0;
}

void Core::State::give_way() {
    if (analysing) return wait();
    if (r.front[1] == not_process) return new_slice();
    save_iptr();
    ++totals.timeslices;
    schedule(r.wptr | 1U);
    start_next();
}

void Core::State::cut_low() {
    cut_wanted = false;
    if (r.front[0] == not_process) return;
    const Cycle busy = fpu_free > now ? fpu_free - now : 0;
    const Cycle latency = settings.preempt_latency + busy;
    now +=
        busy == 0 ? latency : std::min<Cycle>(latency, std::max(settings.preempt_latency_most_fpu, settings.preempt_latency));
    std::uint32_t flags = r.moving;
    if (r.error) flags |= status::error;
    if (r.halt_on_error) flags |= status::halt_on_error;
    const std::array<std::uint32_t, 7> words{wdesc(), r.iptr, r.a, r.b, r.c, flags, r.e};
    for (std::uint32_t i = 0; i < words.size(); ++i) raw(reserved::saved_wdesc - min_int + 4 * i, words[i]);
    r.low_cut = true;
    r.moving = 0;
    low_slice_at = slice_at;
    ++totals.preemptions;
    if (observer != nullptr) observer->process_left(now, wdesc(), false);
    const std::uint32_t w = r.front[0];
    r.front[0] = w == r.back[0] ? not_process : get(w - at_link);
    const Cycle started = now;
    run_process(workspace(w), get(w - at_iptr));
    now = std::max(started, now - settings.start_extra);  // the latency has the start
}

void Core::State::resume_low() {
    std::array<std::uint32_t, 7> words{};
    for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = raw(reserved::saved_wdesc - min_int + 4 * i);
    r.wptr = workspace(words[0]);
    r.priority = static_cast<std::uint8_t>(words[0] & 1U);
    r.iptr = words[1], r.a = words[2], r.b = words[3], r.c = words[4], r.e = words[6];
    r.error = (words[5] & status::error) != 0;
    r.halt_on_error = (words[5] & status::halt_on_error) != 0;
    r.moving = words[5] & (status::moving | status::moving_2d);
    fp = &r.floating[r.priority];
    slice_at = r.priority == 0 ? never : low_slice_at;
    now += settings.resume;
    if (observer != nullptr) observer->process_started(now, wdesc(), r.iptr);
}

// Clock0 counts microseconds, Clock1 units of 64. Both count the periods of ClockIn since power-up; sttimer sets their values.
std::uint32_t Core::State::clock(std::uint32_t priority, Cycle at) const {
    if (!r.clocks_run) return r.clock_start[priority];
    const auto ticks = [&](Cycle cycle) {
        const std::uint64_t seconds = cycle / settings.clock_hz, rest = cycle % settings.clock_hz;
        return (seconds * 1'000'000 + rest * 1'000'000 / settings.clock_hz) >> (priority == 0 ? 0 : 6);
    };
    return r.clock_start[priority] + static_cast<std::uint32_t>(ticks(at) - ticks(r.clock_from));
}

Cycle Core::State::tick_at(std::uint32_t priority, std::uint32_t time) const {
    const std::uint32_t reached = clock(priority, now);
    if (!before(reached, time)) return now;
    const std::uint64_t seconds = now / settings.clock_hz, rest = now % settings.clock_hz;
    const std::uint32_t shift = priority == 0 ? 0 : 6;
    const std::uint64_t tick = ((seconds * 1'000'000 + rest * 1'000'000 / settings.clock_hz) >> shift) + (time - reached);
    const std::uint64_t us = tick << shift;
    return us / 1'000'000 * settings.clock_hz + (us % 1'000'000 * settings.clock_hz + 999'999) / 1'000'000;
}

Cycle Core::State::timer_due(std::uint32_t priority) const {
    if (!r.clocks_run || raw(head_address(priority) - min_int) == not_process) return never;
    // Divisions, and asked for after every message: the answer is kept while its time and the clock's start stay.
    DueTime& known = due_times[priority];
    if (known.time != r.timer_next[priority] || known.from != r.clock_from || known.cycle == 0) {
        known = {r.timer_next[priority], r.clock_from, tick_at(priority, r.timer_next[priority])};
    }
    return known.cycle;
}

Cycle Core::State::timers_due() const {
    return std::min(timer_due(0), timer_due(1));
}

// The first of the queue has reached its time. One that an ALT waits for may be ready already, and then only leaves the queue.
void Core::State::expire(std::uint32_t priority) {
    const std::uint32_t head = head_address(priority) - min_int, w = workspace(raw(head));
    const std::uint32_t next = get(w - at_timer_link), state = get(w - at_state);
    raw(head, next);
    due_times[priority] = {};
    if (next != not_process) r.timer_next[priority] = get(next - at_time);
    put(w - at_timer_link, time_set);
    if (state == ready) return;
    put(w - at_state, ready);
    schedule(w | priority);
}

void Core::State::insert_timer(std::uint32_t time) {
    put(r.wptr - at_time, time);
    due_times[r.priority] = {};
    std::uint32_t link = head_address(r.priority), next = get(link);
    for (std::uint32_t passed = 0; next != not_process && passed < size / 8; ++passed) {
        if (before(time, get(next - at_time))) break;
        now += queue_step;
        link = workspace(next) - at_timer_link, next = get(link);
    }
    put(r.wptr - at_timer_link, next);
    put(link, r.wptr);
    if (link == head_address(r.priority)) r.timer_next[r.priority] = time;
}

void Core::State::remove_timer() {
    due_times[r.priority] = {};
    std::uint32_t link = head_address(r.priority), next = get(link);
    for (std::uint32_t passed = 0; next != not_process && passed < size / 8; ++passed) {
        if (workspace(next) == r.wptr) {
            const std::uint32_t after = get(r.wptr - at_timer_link);
            put(link, after);
            if (link == head_address(r.priority) && after != not_process) r.timer_next[r.priority] = get(after - at_time);
            break;
        }
        now += queue_step;
        link = workspace(next) - at_timer_link, next = get(link);
    }
    put(r.wptr - at_timer_link, time_not_set);
}

}  // namespace t800_core
