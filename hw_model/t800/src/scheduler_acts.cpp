#include <cstdint>

#include <act.hpp>

namespace t800_core {

// A addresses the successor's code and the count of branches that still run.
void act_endp(State& s) {
    const Word w = s.r.a & ~3U, left = s.get(w + 4) - 1;
    s.put(w + 4, left);
    if (left != 0) {
        s.ends_process = true;
        s.start_next();
        s.ends_process = false;
        return;
    }
    if (s.observer != nullptr) s.observer->process_joined(s.now, s.wdesc(), w | s.r.priority);
    s.r.wptr = w;
    s.r.iptr = s.get(w);
    if (s.r.iptr - min_int >= on_chip_bytes) s.now += s.extra;
}
void act_startp(State& s) {
    const Word w = s.r.a & ~3U;
    s.put(w - at_iptr, s.r.iptr + s.r.b);
    s.schedule(w | s.r.priority);
}
void act_runp(State& s) {
    const Word descriptor = pop(s);
    s.schedule(descriptor);
}
void act_stopp(State& s) {
    s.end_process();
}
void act_stoperr(State& s) {
    if (!s.r.error) return;
    s.now += 9;
    if (!s.stopped_on_error) s.stopped_on_error = StoppedProcess{s.wdesc(), s.r.iptr};
    s.end_process();
}
void act_saveh(State& s) {
    const Word address = pop(s);
    s.put(address, s.r.front[0]), s.put(address + 4, s.r.back[0]);
}
void act_savel(State& s) {
    const Word address = pop(s);
    s.put(address, s.r.front[1]), s.put(address + 4, s.r.back[1]);
}
void act_sthf(State& s) {
    s.r.front[0] = pop(s);
}
void act_sthb(State& s) {
    s.r.back[0] = pop(s);
}
void act_stlf(State& s) {
    s.r.front[1] = pop(s);
}
void act_stlb(State& s) {
    s.r.back[1] = pop(s);
}
void act_sttimer(State& s) {
    s.r.clock_start[0] = s.r.clock_start[1] = pop(s);
    s.r.clock_from = s.now;
    s.r.clocks_run = true;
}
// The process goes on when the clock is after A, that is at A + 1. Its state says that it waits, as an ALT's does, so that the
// timer wakes it.
void act_tin(State& s) {
    const Word time = s.r.a;
    if (static_cast<Signed>(s.clock(s.r.priority, s.now) - time) > 0) return;
    s.now += 26;
    s.put(s.r.wptr - at_state, waiting);
    s.insert_timer(time + 1);
    s.wait();
}
void act_clrhalterr(State& s) {
    s.r.halt_on_error = false;
}
void act_sethalterr(State& s) {
    s.r.halt_on_error = true;
}
void act_testhalterr(State& s) {
    push(s, s.r.halt_on_error ? 1 : 0);
}
void act_testpranal(State& s) {
    push(s, s.boot.after_analyse ? 1 : 0);
}
void act_testlds(State& s) {
    push(s, (s.r.error ? status::error : 0) | (s.r.halt_on_error ? status::halt_on_error : 0) | s.r.moving);
}
void act_testlde(State& s) {
    push(s, s.r.e);
}
void act_testldd(State& s) {
    push(s, s.r.d);
}
void act_teststs(State& s) {
    const Word value = pop(s);
    s.r.error = (value & status::error) != 0;
    s.r.halt_on_error = (value & status::halt_on_error) != 0;
    if (s.r.error && s.r.halt_on_error) s.halted = true;
}
void act_testste(State& s) {
    s.r.e = pop(s);
}
void act_teststd(State& s) {
    s.r.d = pop(s);
}
// Ends test programs: the part is as after reset.
void act_start(State& s) {
    s.boot.halted_iptr = s.r.iptr, s.boot.halted_wdesc = s.wdesc();
    s.listen();
}

}  // namespace t800_core
