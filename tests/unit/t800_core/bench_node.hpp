// A node without a machine around it: a core, its memory, and links whose far ends are byte strings of the test.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <t800_assembly/assembler.hpp>
#include <t800_core/core.hpp>

namespace t800_test {

using namespace t800_core;

// A transfer takes `byte_cycles` for each byte that is there; an input waits for the test to send().
class BenchNode : public LinkPort {
public:
    explicit BenchNode(std::size_t bytes = 65536, const CoreSettings& settings = {})
        : memory(bytes), core(memory, settings, *this) {}

    std::vector<std::byte> memory;
    Core core;
    std::array<std::deque<std::uint8_t>, 4> to_node;
    std::array<std::string, 4> from_node;
    std::uint64_t byte_cycles = 12;
    int events_acknowledged = 0, resets = 0;

    void send(int link, const std::vector<std::uint8_t>& bytes) {
        for (const std::uint8_t byte : bytes) to_node[static_cast<std::size_t>(link)].push_back(byte);
    }
    void boot(const std::string& source, int link = 0) {
        send(link, t800_assembly::boot_image(t800_assembly::assemble(source, "test.s")));
        core.reset();
    }
    // The reset pin: of the core and of its links.
    void reset() {
        transfers = {};
        enabled = {};
        core.reset();
    }
    // Code at MemStart, workspace at `wptr`.
    void load(const std::string& source, std::uint32_t wptr = 0x80000C00, std::uint8_t priority = 1) {
        const t800_assembly::Program program = t800_assembly::assemble(source, "test.s");
        std::memcpy(memory.data() + (program.origin - min_int), program.code.data(), program.code.size());
        clear_reserved();
        core.memory_changed(program.origin, program.code.size());
        core.start(program.origin, wptr, priority);
    }
    void clear_reserved() {
        for (std::uint32_t word = 0; word < 11; ++word) core.set_word(min_int + 4 * word, not_process);
    }
    // Runs until nothing can happen any more, or until `limit`.
    Stop run(Cycle limit = 100'000'000) {
        serve();
        for (;;) {
            const Stop stop = core.run_until(std::min(limit, next_transfer()));
            serve();
            const bool over = stop.reason == Stop::Reason::Halted || stop.reason == Stop::Reason::RanAway ||
                              stop.reason == Stop::Reason::Analysed || stop.reason == Stop::Reason::Breakpoint;
            const bool dead = stop.reason == Stop::Reason::Idle && !core.registers().running && next_transfer() == never &&
                              !core.next_timer();
            if (over || dead || core.now() >= limit) return stop;
        }
    }

    void start_output(LinkNo link, const Transfer& transfer) override { begin(0, link, transfer.count); }
    void start_input(LinkNo link, const Transfer& transfer) override {
        begin(1, link, transfer.count);
        serve_input(link.value());
    }
    bool enable_input(LinkNo link) override {
        const bool waits = !to_node[link.value()].empty();
        enabled[link.value()] = !waits;
        return waits;
    }
    bool disable_input(LinkNo link) override {
        enabled[link.value()] = false;
        return !to_node[link.value()].empty();
    }
    void reset_half(LinkNo link, Direction half) override {
        ++resets;
        transfers[half == Direction::Output ? 0 : 1][link.value()] = {};
    }
    void acknowledge_event() override { ++events_acknowledged; }

private:
    struct Running {
        bool active = false;
        std::uint32_t left = 0;
        Cycle done = never;
    };
    void begin(std::size_t direction, LinkNo link, std::uint32_t count) {
        transfers[direction][link.value()] = {true, count, direction == 0 ? core.now() + byte_cycles * count : never};
    }
    void serve_input(std::size_t link) {
        Running& running = transfers[1][link];
        if (running.active && running.done == never && to_node[link].size() >= running.left) {
            running.done = core.now() + byte_cycles * running.left;
        }
    }
    Cycle next_transfer() const {
        Cycle next = never;
        for (const auto& direction : transfers) {
            for (const Running& running : direction) {
                if (running.active) next = std::min(next, running.done);
            }
        }
        return next;
    }
    void finish(std::size_t direction, std::size_t link) {
        Running& running = transfers[direction][link];
        const LinkNo number(static_cast<std::uint8_t>(link));
        std::vector<std::byte> bytes(running.left);
        running.active = false;
        if (direction == 0) {
            core.take_output(number, bytes);
            for (const std::byte byte : bytes) from_node[link] += static_cast<char>(byte);
            core.output_done(number);
            return;
        }
        for (std::byte& byte : bytes) {
            byte = std::byte{to_node[link].front()};
            to_node[link].pop_front();
        }
        core.give_input(number, bytes);
        core.input_done(number);
    }
    void serve() {
        for (std::size_t link = 0; link < 4; ++link) {
            serve_input(link);
            for (std::size_t direction = 0; direction < 2; ++direction) {
                if (transfers[direction][link].active && transfers[direction][link].done <= core.now()) finish(direction, link);
            }
            if (enabled[link] && !to_node[link].empty()) {
                enabled[link] = false;
                core.input_ready(LinkNo(static_cast<std::uint8_t>(link)));
            }
        }
    }
    std::array<std::array<Running, 4>, 2> transfers{};
    std::array<bool, 4> enabled{};
};

}  // namespace t800_test
