// Boot from a link (data sheet). The first byte is the length of the code. A 0 writes a word, and a 1 reads one.
#include <cstdint>
#include <cstring>

#include <state.hpp>

namespace t800_core {
namespace {

std::uint32_t word_of(const Boot& boot) {
    std::uint32_t word;
    std::memcpy(&word, boot.buffer.data(), 4);
    return word;
}

}  // namespace

// Waits for the first byte, on any link. Registers are as after reset.
void Core::State::listen() {
    r.running = false, r.low_cut = false, r.moving = 0;
    r.priority = 1;
    r.front = {not_process, not_process};
    cut_wanted = false, event_waits = false;
    slice_at = never;
    boot.step = BootStep::Length;
    boot.listening = true;
    port_called = true;
    for (std::uint8_t link = 0; link < 4 && boot.listening; ++link) {
        if (port->enable_input(LinkNo(link))) boot_first(link);
    }
}

void Core::State::boot_first(std::uint8_t link) {
    boot.listening = false;
    boot.link = link;
    for (std::uint8_t other = 0; other < 4; ++other) {
        if (other != link) port->disable_input(LinkNo(other));
    }
    boot_ask(BootStep::Length, 1);
}

void Core::State::boot_ask(BootStep step_wanted, std::uint32_t count) {
    boot.step = step_wanted;
    boot.filled = 0;
    engines[4U + boot.link] = {reserved::mem_start, count, true};
    port_called = true;
    port->start_input(LinkNo(boot.link), {reserved::mem_start, count});
}

void Core::State::boot_filled() {
    switch (boot.step) {
        case BootStep::Length:
            boot.code_length = std::to_integer<std::uint8_t>(boot.buffer[0]);
            if (boot.code_length == 0) return boot_ask(BootStep::PokeAddress, 4);
            if (boot.code_length == 1) return boot_ask(BootStep::PeekAddress, 4);
            return boot_ask(BootStep::Code, boot.code_length);
        case BootStep::PokeAddress:
            boot.address = word_of(boot);
            return boot_ask(BootStep::PokeData, 4);
        case BootStep::PokeData:
            put(boot.address, word_of(boot));
            return listen();
        case BootStep::PeekAddress: {
            const std::uint32_t word = get(word_of(boot));
            std::memcpy(boot.buffer.data(), &word, 4);
            boot.step = BootStep::PeekReply;
            boot.filled = 0;
            engines[boot.link] = {reserved::mem_start, 4, true};
            port_called = true;
            return port->start_output(LinkNo(boot.link), {reserved::mem_start, 4});
        }
        case BootStep::Code:
            return boot_start();
        case BootStep::PeekReply:
            return listen();
        case BootStep::None:
            return;
    }
}

void Core::State::boot_start() {
    boot.step = BootStep::None;
    r.a = boot.halted_iptr, r.b = boot.halted_wdesc, r.c = reserved::link_input + 4U * boot.link;
    r.wptr = (reserved::mem_start + boot.code_length + 3U) & ~3U;
    run_process(r.wptr | 1U, reserved::mem_start);
}

}  // namespace t800_core
