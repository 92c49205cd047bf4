// Looks at a core, and the debugger's hand.
#include <cstring>

#include <state.hpp>
#include <t800_core/core.hpp>
#include <vocabulary/contract.hpp>

namespace t800_core {

const Registers& Core::registers() const {
    return state_->r;
}
void Core::set_registers(const Registers& registers) {
    EXPECTS(registers.priority <= 1, "t800_core.set_registers");
    State& s = *state_;
    s.r = registers;
    s.due_times = {};
    s.r.wptr &= ~3U;
    s.fp = &s.r.floating[s.r.priority];
    s.halted = s.r.error && s.r.halt_on_error && s.halted;
    if (s.r.priority == 0) s.slice_at = never;
}
std::uint32_t Core::clock(std::uint8_t priority) const {
    return state_->clock(priority & 1U, state_->now);
}
const Totals& Core::totals() const {
    state_->totals.instructions = state_->instructions;
    return state_->totals;
}
const std::optional<Stray>& Core::stray() const {
    return state_->strays;
}
const std::optional<Stray>& Core::unknown_operation() const {
    return state_->unknown;
}
const std::optional<StoppedProcess>& Core::stopped_on_error() const {
    return state_->stopped_on_error;
}
bool Core::booting() const {
    return state_->boot.step != BootStep::None;
}
std::optional<LinkNo> Core::boot_link() const {
    return state_->boot.listening ? std::nullopt : std::optional(LinkNo(state_->boot.link));
}
std::span<const std::byte> Core::memory() const {
    return {state_->mem, state_->size};
}
bool Core::is_memory(std::uint32_t address, std::size_t count) const {
    const std::uint32_t offset = address - min_int;
    return offset < state_->size && count <= state_->size - offset;
}
std::uint32_t Core::word(std::uint32_t address) const {
    const std::uint32_t offset = (address - min_int) & ~3U;
    return offset < state_->size ? state_->raw(offset) : ~0U;
}
bool Core::was_channel(std::uint32_t address) const {
    return state_->channel_words_seen.contains(address - min_int);
}
void Core::set_word(std::uint32_t address, std::uint32_t value) {
    const std::uint32_t offset = (address - min_int) & ~3U;
    if (offset >= state_->size) return;
    state_->raw(offset, value);
    state_->code.forget(offset, 4);
}
void Core::observe(Observer* observer) {
    state_->observer = observer;
    state_->sees_instructions = observer != nullptr && observer->wants_instructions();
}
void Core::set_breakpoint(std::uint32_t address) {
    state_->breakpoints.insert(address);
}
void Core::clear_breakpoint(std::uint32_t address) {
    state_->breakpoints.erase(address);
}
void Core::set_stepping(bool on) {
    state_->stepping = on;
}
bool Core::at_breakpoint() const {
    return state_->r.running && (state_->stepping || state_->breakpoints.contains(state_->r.iptr));
}
std::size_t Core::decoded_bytes() const {
    return state_->code.bytes();
}

}  // namespace t800_core
