// ALT: enable, wait, disable. The state lies below the workspace; a guard that is ready sets it to Ready.
#include <cstdint>
#include <utility>

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
LinkNo link_of(Word channel) {
    return LinkNo(static_cast<std::uint8_t>((channel >> 2) & 3U));
}
// The engine is asked when the node has come to the end of the instruction (answer()).
void ask(State& s, Question question, Word channel) {
    s.question = question;
    s.question_channel = channel;
    s.port_called = true;
}
bool enable_channel(State& s, Word channel) {
    const Word partner = s.get(channel);
    if (partner == not_process) s.wait_at(channel);
    return partner != not_process && partner != s.wdesc();
}
bool disable_channel(State& s, Word channel) {
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
    s.r.b = s.r.c;
    if (s.r.a == 0) return;
    if (is_hard_input(channel)) return ask(s, Question::Enable, channel);
    if (!enable_channel(s, channel)) return;
    set_state(s, ready);
    s.now += 2;
}
// The process's descriptor in the channel word says who is to be woken.
void Core::State::answer() {
    const Word channel = question_channel;
    const bool enables = std::exchange(question, Question::None) == Question::Enable;
    if (!enables) put(channel, not_process);
    bool waits = event_waits;
    if (channel != reserved::event)
        waits = enables ? port->enable_input(link_of(channel)) : port->disable_input(link_of(channel));
    if (!enables) return select(*this, waits);
    if (!waits) return put(channel, wdesc());
    set_state(*this, ready);
    now += 2;
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
    if (s.r.b != 0 && is_hard_input(channel)) return ask(s, Question::Disable, channel);
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
