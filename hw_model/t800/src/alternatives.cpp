// ALT: enable, wait, disable. The state lies below the workspace; a guard that is ready sets it to Ready.
#include <cstdint>

#include <act.hpp>

namespace t800_core {
namespace {

bool is_hard_input(Word channel) {
    return channel >= reserved::link_input && channel <= reserved::event;
}
Word state_of(State& s) {
    return s.get(s.r.wptr - at_state);
}
void set_state(State& s, Word value) {
    s.put(s.r.wptr - at_state, value);
}
// Asks the engine; the process's descriptor in the channel word says who is to be woken.
bool enable_hard(State& s, Word channel) {
    if (channel == reserved::event) {
        if (!s.event_waits) s.put(channel, s.wdesc());
        return s.event_waits;
    }
    s.port_called = true;
    const bool waits = s.port->enable_input(LinkNo(static_cast<std::uint8_t>((channel >> 2) & 3U)));
    if (!waits) s.put(channel, s.wdesc());
    return waits;
}
bool disable_hard(State& s, Word channel) {
    s.put(channel, not_process);
    if (channel == reserved::event) return s.event_waits;
    s.port_called = true;
    return s.port->disable_input(LinkNo(static_cast<std::uint8_t>((channel >> 2) & 3U)));
}
bool enable_channel(State& s, Word channel) {
    if (is_hard_input(channel)) return enable_hard(s, channel);
    const Word partner = s.get(channel);
    if (partner == not_process) s.put(channel, s.wdesc());
    return partner != not_process && partner != s.wdesc();
}
bool disable_channel(State& s, Word channel) {
    if (is_hard_input(channel)) return disable_hard(s, channel);
    const Word partner = s.get(channel);
    if (partner == s.wdesc()) s.put(channel, not_process);
    return partner != not_process && partner != s.wdesc();
}
// The first guard that is ready and is asked is the one.
void select(State& s, bool is_ready) {
    const bool chosen = is_ready && s.get(s.r.wptr) == none_selected;
    if (chosen) s.put(s.r.wptr, s.r.a);
    s.r.a = chosen ? 1 : 0;
}

}  // namespace

void act_alt(State& s) {
    set_state(s, enabling);
}
void act_talt(State& s) {
    set_state(s, enabling);
    s.put(s.r.wptr - at_timer_link, time_not_set);
}
void act_enbs(State& s) {
    if (s.r.a != 0) set_state(s, ready);
}
void act_enbc(State& s) {
    const Word channel = s.r.b & ~3U;
    if (s.r.a != 0 && enable_channel(s, channel)) {
        set_state(s, ready);
        s.now += 2;
    }
    s.r.b = s.r.c;
}
void act_enbt(State& s) {
    if (s.r.a != 0) {
        const bool first = s.get(s.r.wptr - at_timer_link) == time_not_set;
        if (first) s.put(s.r.wptr - at_timer_link, time_set);
        if (first || static_cast<Signed>(s.r.b - s.get(s.r.wptr - at_time)) < 0) s.put(s.r.wptr - at_time, s.r.b);
    }
    s.r.b = s.r.c;
}
void act_altwt(State& s) {
    s.put(s.r.wptr, none_selected);
    if (state_of(s) == ready) return;
    set_state(s, waiting);
    s.now += 12;
    s.wait();
}
void act_taltwt(State& s) {
    s.put(s.r.wptr, none_selected);
    if (state_of(s) == ready) return;
    if (s.get(s.r.wptr - at_timer_link) == time_not_set) {
        set_state(s, waiting);
        s.now += 2;  // as altwt
        return s.wait();
    }
    const Word time = s.get(s.r.wptr - at_time);
    if (static_cast<Signed>(s.clock(s.r.priority, s.now) - time) > 0) return set_state(s, ready);
    set_state(s, waiting);
    s.now += 33;
    s.insert_timer(time + 1);
    s.wait();
}
void act_diss(State& s) {
    select(s, s.r.b != 0);
    s.r.b = s.r.c;
}
void act_disc(State& s) {
    const Word channel = s.r.c & ~3U;
    select(s, s.r.b != 0 && disable_channel(s, channel));
}
void act_dist(State& s) {
    const bool flag = s.r.b != 0;
    if (flag) {
        const Word link = s.get(s.r.wptr - at_timer_link);
        if (link != time_set && link != time_not_set) s.remove_timer();
    }
    select(s, flag && static_cast<Signed>(s.clock(s.r.priority, s.now) - s.r.c) > 0);
}

}  // namespace t800_core
