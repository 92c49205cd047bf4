// Messages on channels: a word of memory, or a link, or the event pin (compiler writer's guide; facts of working parts are
// named in docs/model/t800_core.md).
#include <cstdint>

#include <act.hpp>

namespace t800_core {
namespace {

Word index_of(Word channel) {
    return (channel - min_int) / 4;
}
bool is_link(Word channel) {
    return index_of(channel) < channel_words;
}
// An ALT's state; no address of a message lies in these four bytes.
bool is_alternative(Word state) {
    return (state & ~3U) == min_int;
}

}  // namespace

void Core::State::on_link(std::uint32_t index, std::uint32_t count, std::uint32_t pointer) {
    raw(index * 4, wdesc());
    engines[index] = {pointer, count, true};
    if (index == event_channel) {
        if (event_waits) {
            event_waits = false;
            engines[index].active = false;
            port->acknowledge_event();
            raw(index * 4, not_process);
            save_iptr();
            schedule(wdesc());
            start_next();
            return;
        }
    } else {
        const LinkNo link(static_cast<std::uint8_t>(index & 3U));
        port_called = true;
        if (index < 4) {
            port->start_output(link, {pointer, count});
        } else {
            port->start_input(link, {pointer, count});
        }
    }
    if (observer != nullptr) {
        const bool output = index < 4;
        observer->message({now, min_int + index * 4, count, output ? pointer : 0, output ? 0 : pointer,
                           output ? wdesc() : not_process, output ? not_process : wdesc()});
    }
    wait();
}

void Core::State::communicate(bool output, std::uint32_t count, std::uint32_t channel, std::uint32_t pointer) {
    channel &= ~3U;
    ++totals.messages;
    if (is_link(channel)) return on_link(index_of(channel), count, pointer);
    const std::uint32_t partner = get(channel);
    if (partner == not_process) {
        wait_at(channel);
        put(r.wptr - at_state, pointer);
        return wait();
    }
    const std::uint32_t w = partner & ~3U, state = get(w - at_state);
    if (output && is_alternative(state)) {
        wait_at(channel);
        put(r.wptr - at_state, pointer);
        if (state != ready) put(w - at_state, ready);
        save_iptr();
        if (state == waiting) schedule(partner);
        return start_next();
    }
    put(channel, not_process);
    if (observer != nullptr) {
        observer->message({now, channel, count, output ? pointer : state, output ? state : pointer, output ? wdesc() : partner,
                           output ? partner : wdesc()});
    }
    // The copy can be cut; E keeps who is to be woken after it.
    r.e = partner;
    copy(output ? state : pointer, output ? pointer : state, count);
}

// The engine has finished, or the event has come: whoever the channel word names goes on. Code may have changed it meanwhile.
void Core::State::wake_channel(std::uint32_t index) {
    engines[index].active = false;
    const std::uint32_t descriptor = raw(index * 4);
    now += settings.link_completion;
    raw(index * 4, not_process);
    if (observer != nullptr) observer->transfer_done(now, min_int + index * 4, descriptor);
    if (descriptor != not_process) schedule(descriptor);
}

// A byte, or the event, for an ALT that has enabled this channel.
void Core::State::ready_channel(std::uint32_t index) {
    const std::uint32_t descriptor = raw(index * 4);
    if (descriptor == not_process) return;
    const std::uint32_t w = descriptor & ~3U, state = get(w - at_state);
    now += settings.link_completion;
    if (state != ready) put(w - at_state, ready);
    if (state == waiting) schedule(descriptor);
}

void act_in(State& s) {
    s.communicate(false, s.r.a, s.r.b, s.r.c);
}
void act_out(State& s) {
    s.communicate(true, s.r.a, s.r.b, s.r.c);
}
// Both cost 23 whatever the partner does; copy() adds nothing for a message of one word.
void act_outword(State& s) {
    const Word channel = s.r.b;
    s.put(s.r.wptr, s.r.a);
    s.short_output = true;
    s.communicate(true, 4, channel, s.r.wptr);
    s.short_output = false;
}
void act_outbyte(State& s) {
    const Word channel = s.r.b;
    s.put(s.r.wptr, s.r.a);
    s.short_output = true;
    s.communicate(true, 1, channel, s.r.wptr);
    s.short_output = false;
}
void act_resetch(State& s) {
    const Word channel = s.r.a & ~3U;
    s.r.a = s.get(channel);
    s.put(channel, not_process);
    if (!is_link(channel)) return;
    const Word index = index_of(channel);
    s.engines[index] = {};
    if (index == event_channel) {
        s.event_waits = false;
        return;
    }
    s.port_called = true;
    s.port->reset_half(LinkNo(static_cast<std::uint8_t>(index & 3U)), index < 4 ? Direction::Output : Direction::Input);
}

}  // namespace t800_core
