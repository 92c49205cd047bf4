#include <t800_core/core.hpp>

#include <algorithm>
#include <cstring>

#include <instruction_table.hpp>
#include <run.hpp>
#include <vocabulary/contract.hpp>

namespace t800_core {
namespace {

// One instruction, whatever its length, and without a limit.
void run_chain(State& s, const Op* first) {
    s.next_op = first;
    while (s.next_op != nullptr) {
        const Op* op = s.next_op;
        s.next_op = nullptr;
        op->run(s, op, s.r.a, s.r.b, s.r.c, s.r.wptr - min_int);
    }
}

void step(State& s) {
    static constexpr std::uint32_t most_length = 200;  // what an Op's counters hold
    const std::uint32_t offset = s.r.iptr - min_int;
    Instruction instruction;
    if (offset >= s.size || !read_instruction(s.mem, s.size, offset, s.size, instruction)) {
        s.ran_away = true;
        s.stray(std::max(offset, s.size) & ~3U);
        return;
    }
    const std::uint32_t length = instruction.length, next = offset + length;
    if (s.sees_instructions) {
        s.observer->instruction({s.now, s.r.iptr, instruction.operand, instruction.function,
                                 static_cast<std::uint8_t>(std::min(length, 255U)), s.r.a, s.r.b, s.r.c, s.r.wptr});
    }
    instruction.length = std::min(length, most_length);
    std::uint32_t most = 0;
    s.step[0] = Op{};
    fill(s.step[0], instruction, next, s.settings, most);
    s.step[0].after = static_cast<std::uint16_t>(instruction.length);
    s.step[0].count = 1;
    s.step[1] = Op{};
    s.step[1].run = stop_step;
    s.step[1].operand = next;
    s.step[1].before = s.step[0].cycles;
    s.block_start = next - instruction.length;
    s.base = s.now + (length - instruction.length);
    s.fast_limit = 0;
    run_chain(s, s.step.data());
}

// Instructions up to the next thing that is no instruction.
void run_code(State& s) {
    const std::uint32_t offset = s.r.iptr - min_int;
    if (s.sees_instructions || s.stepping || !s.breakpoints.empty() || s.settings.beyond_memory == BeyondMemory::RaisesError)
        return step(s);
    const std::uint32_t block = s.code.block(s, offset);
    s.fast_limit = std::min(s.limit, s.timers_due());  // j and lend look at slice_at themselves
    if (block == 0 || s.now + s.code.op(block)->link > s.fast_limit) return step(s);
    s.base = s.now;
    s.block_start = offset;
    run_chain(s, s.code.op(block));
}

void expire_timers(State& s) {
    for (std::uint32_t priority = 0; priority < 2; ++priority) {
        // A queue that code has tied into a ring ends here, too.
        for (std::uint32_t most = s.size / 8; most > 0 && s.timer_due(priority) <= s.now; --most) s.expire(priority);
    }
}

// Once before each execution, although high processes may run before the instruction does.
bool stops_here(State& s) {
    const std::pair here(s.wdesc(), s.r.iptr);
    const auto passed = std::find(s.past_breakpoints.begin(), s.past_breakpoints.end(), here);
    if (passed != s.past_breakpoints.end()) {
        s.past_breakpoints.erase(passed);
        return false;
    }
    if (!s.stepping && !s.breakpoints.contains(s.r.iptr)) return false;
    s.past_breakpoints.push_back(here);
    return true;
}

std::optional<Stop::Reason> stopped(State& s) {
    if (!s.stopped()) return {};
    if (s.ran_away) return Stop::Reason::RanAway;
    return s.halted ? Stop::Reason::Halted : Stop::Reason::Analysed;
}

}  // namespace

std::uint32_t Core::State::stray(std::uint32_t offset) {
    if (!strays) strays = Stray{offset + min_int, r.iptr, 0};
    ++strays->count;
    if (settings.beyond_memory == BeyondMemory::RaisesError) set_error();
    return ~0U;
}

Core::Core(std::span<std::byte> memory, const CoreSettings& settings, LinkPort& port) {
    EXPECTS(memory.size() >= on_chip_bytes && memory.size() % 4 == 0 && memory.size() < 0x80000000U, "t800_core.memory");
    EXPECTS(settings.external_access >= 1 && settings.external_access <= 6 && settings.clock_hz >= 1'000'000,
            "t800_core.settings");
    state_ = std::make_unique<State>(memory, settings, port);
    state_->fp = &state_->r.floating[1];
}

Core::Core(const Core& other, std::span<std::byte> memory, LinkPort& port) : Core(memory, other.state_->settings, port) {
    EXPECTS(memory.size() == other.state_->size, "t800_core.snapshot_memory");
    State& to = *state_;
    const State& from = *other.state_;
    to.r = from.r, to.now = from.now, to.fpu_free = from.fpu_free, to.slice_at = from.slice_at;
    to.instructions = from.instructions, to.totals = from.totals, to.strays = from.strays, to.unknown = from.unknown;
    to.stopped_on_error = from.stopped_on_error;
    to.engines = from.engines, to.boot = from.boot, to.breakpoints = from.breakpoints;
    to.stepping = from.stepping, to.past_breakpoints = from.past_breakpoints;
    to.event_waits = from.event_waits, to.halted = from.halted, to.ran_away = from.ran_away;
    to.analysing = from.analysing, to.analysed = from.analysed;
    to.question = from.question, to.question_channel = from.question_channel;
    to.cut_wanted = from.cut_wanted, to.low_slice_at = from.low_slice_at;
    to.channel_words_seen.copy(from.channel_words_seen);
    to.fp = &to.r.floating[to.r.priority];
}

Core::~Core() = default;

void Core::reset() {
    State& s = *state_;
    s.boot.after_analyse = s.analysing || s.analysed;
    if (!s.analysed) s.boot.halted_iptr = s.r.iptr, s.boot.halted_wdesc = s.wdesc();
    s.analysing = s.analysed = s.halted = s.ran_away = false;
    s.r.halt_on_error = false;
    s.r.clock_start = {s.clock(0, s.now), s.clock(1, s.now)};
    s.r.clocks_run = false;
    s.engines = {};
    s.question = Question::None;
    s.past_breakpoints.clear();
    s.stopped_on_error.reset();
    s.listen();
}

void Core::analyse() {
    state_->analysing = true;
    if (state_->r.priority == 1) state_->slice_at = 0;
}

void Core::start(std::uint32_t iptr, std::uint32_t wptr, std::uint8_t priority) {
    EXPECTS(priority <= 1, "t800_core.priority");
    state_->boot.step = BootStep::None;
    state_->boot.listening = false;
    state_->r.running = false;
    state_->run_process((wptr & ~3U) | priority, iptr);
}

Stop Core::run_until(Cycle limit) {
    State& s = *state_;
    s.limit = limit;
    bool ran = false;
    for (;;) {
        if (const auto reason = stopped(s)) return {*reason};
        if (s.port_called) {
            s.port_called = false;
            return {Stop::Reason::Port};
        }
        if (s.question != Question::None) s.answer();
        expire_timers(s);
        if (s.r.running && s.r.priority == 1 && s.cut_wanted) s.cut_low();
        if (!s.r.running && s.observer != nullptr) s.observer->idle(s.now);
        if (s.now >= limit) return {s.r.running ? Stop::Reason::Limit : Stop::Reason::Idle};
        if (!s.r.running) {
            if (s.analysing) {
                s.start_next();
                continue;
            }
            if (ran) return {Stop::Reason::Idle};
            const Cycle next = std::min(limit, s.boot.step == BootStep::None ? s.timers_due() : never);
            s.totals.idle += next - s.now;
            s.now = next;
            if (s.observer != nullptr) s.observer->idle(s.now);
            continue;
        }
        ran = true;
        if (s.r.moving != 0) {
            s.go_on_moving();
            continue;
        }
        if (s.stepping || !s.breakpoints.empty()) {
            if (stops_here(s)) return {Stop::Reason::Breakpoint};
        } else if (!s.past_breakpoints.empty()) {
            s.past_breakpoints.clear();
        }
        run_code(s);
    }
}

Cycle Core::now() const {
    return state_->now;
}
std::optional<Cycle> Core::next_timer() const {
    const Cycle due = state_->timers_due();
    return due == never ? std::nullopt : std::optional(due);
}

std::uint32_t Core::take_output(LinkNo link, std::span<std::byte> into) {
    State& s = *state_;
    Engine& engine = s.engines[link.value() & 3U];
    EXPECTS(into.size() <= engine.left, "t800_core.take_output");
    for (std::byte& byte : into) {
        byte = s.boot.step == BootStep::PeekReply ? s.boot.buffer[s.boot.filled++ & 3U] : std::byte{s.get_byte(engine.address)};
        ++engine.address, --engine.left;
    }
    return engine.left;
}

std::uint32_t Core::give_input(LinkNo link, std::span<const std::byte> from) {
    State& s = *state_;
    Engine& engine = s.engines[4U + (link.value() & 3U)];
    EXPECTS(from.size() <= engine.left, "t800_core.give_input");
    const bool to_buffer = s.boot.step != BootStep::None && s.boot.step != BootStep::Code && s.boot.step != BootStep::PeekReply;
    for (const std::byte byte : from) {
        if (to_buffer) {
            s.boot.buffer[s.boot.filled++ & 3U] = byte;
        } else {
            s.put_byte(engine.address, std::to_integer<std::uint8_t>(byte));
        }
        ++engine.address, --engine.left;
    }
    return engine.left;
}

void Core::output_done(LinkNo link) {
    State& s = *state_;
    if (s.boot.step != BootStep::None) {
        if (s.boot.step == BootStep::PeekReply) s.boot_filled();
        return;
    }
    s.wake_channel(link.value() & 3U);
}

void Core::input_done(LinkNo link) {
    State& s = *state_;
    if (s.boot.step != BootStep::None) {
        if (!s.boot.listening && s.boot.link == link.value()) s.boot_filled();
        return;
    }
    s.wake_channel(4U + (link.value() & 3U));
}

void Core::input_ready(LinkNo link) {
    State& s = *state_;
    if (s.boot.step != BootStep::None) {
        if (s.boot.listening) s.boot_first(link.value() & 3U);
        return;
    }
    s.ready_channel(4U + (link.value() & 3U));
}

void Core::event_raised() {
    State& s = *state_;
    const std::uint32_t descriptor = s.raw(event_channel * 4);
    if (s.boot.step != BootStep::None || descriptor == not_process) {
        s.event_waits = true;
        return;
    }
    if (!s.engines[event_channel].active) {  // an ALT looks; the input that follows takes the event
        s.event_waits = true;
        return s.ready_channel(event_channel);
    }
    s.port->acknowledge_event();
    s.wake_channel(event_channel);
}

void Core::steal(std::uint32_t cycles) {
    if (!state_->r.running) return;  // nobody waits for the memory
    state_->now += cycles;
    state_->totals.stolen += cycles;
}

void Core::memory_changed(std::uint32_t address, std::size_t count) {
    state_->code.forget(address - min_int, count);
}

}  // namespace t800_core
