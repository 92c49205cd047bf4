// Instructions that are rare, long or that schedule: functions on the registers between instructions. State::now is the end of
// the instruction by the table, and `r.iptr` the address of the next one. They charge `now`.
#pragma once

#include <cstdint>

#include <run.hpp>

namespace t800_core {

using Act = void (*)(State& s);

// `act` as a handler that ends its block.
template <Act act>
T800_HANDLER(ends) {
    const Word count = op->count;
    keep(s, nullptr, a, b, c, w);
    s.now = time_after(s, op);
    s.r.iptr = s.block_start + op->after + min_int;
    act(s);  // may forget the decoded code, `op` too
    s.instructions += count;
}

// `act` as a handler after which the block goes on, unless something has to be done first.
template <Act act>
T800_HANDLER(goes_on) {
    const std::uint64_t generation = s.code.generation();
    keep(s, nullptr, a, b, c, w);
    s.now = time_after(s, op);
    s.r.iptr = s.block_start + op->after + min_int;
    act(s);
    if (s.stopped() || s.port_called || s.cut_wanted || generation != s.code.generation()) {
        s.instructions += op->count;
        return;
    }
    s.base = s.now - op->before - op->cycles;
    a = s.r.a, b = s.r.b, c = s.r.c;
    T800_NEXT;
}

inline void push(State& s, Word value) {
    s.r.c = s.r.b, s.r.b = s.r.a, s.r.a = value;
}
inline Word pop(State& s) {
    const Word value = s.r.a;
    s.r.a = s.r.b, s.r.b = s.r.c;
    return value;
}

// scheduler_acts.cpp
void act_endp(State& s);
void act_startp(State& s);
void act_runp(State& s);
void act_stopp(State& s);
void act_stoperr(State& s);
void act_saveh(State& s);
void act_savel(State& s);
void act_sthf(State& s);
void act_sthb(State& s);
void act_stlf(State& s);
void act_stlb(State& s);
void act_sttimer(State& s);
void act_tin(State& s);
void act_clrhalterr(State& s);
void act_sethalterr(State& s);
void act_testhalterr(State& s);
void act_testpranal(State& s);
void act_start(State& s);
void act_testlds(State& s);
void act_testlde(State& s);
void act_testldd(State& s);
void act_teststs(State& s);
void act_testste(State& s);
void act_teststd(State& s);
// channels.cpp
void act_in(State& s);
void act_out(State& s);
void act_outword(State& s);
void act_outbyte(State& s);
void act_resetch(State& s);
// alternatives.cpp
void act_alt(State& s);
void act_talt(State& s);
void act_enbs(State& s);
void act_enbc(State& s);
void act_enbt(State& s);
void act_altwt(State& s);
void act_taltwt(State& s);
void act_diss(State& s);
void act_disc(State& s);
void act_dist(State& s);
// moves.cpp
void act_move(State& s);
void act_move2dinit(State& s);
void act_move2dall(State& s);
void act_move2dnonzero(State& s);
void act_move2dzero(State& s);

}  // namespace t800_core
