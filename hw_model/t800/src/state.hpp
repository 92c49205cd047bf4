// Core::State: everything a core holds, and the memory accesses of its instructions. Private to the component.
//
// Instructions run as a chain of handlers (run.hpp), which carry A, B, C and the workspace in host registers. Their time is
// `base` plus the cycles that lie before an instruction in its block. A handler touches `base` only for what it costs beside
// the table. Everything else works on `r` and `now`, between instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <channel_words.hpp>
#include <decoded.hpp>
#include <t800_core/core.hpp>

namespace t800_core {

inline constexpr std::uint32_t channel_words = 9;  // four outputs, four inputs, the event channel
inline constexpr std::uint32_t event_channel = 8;

// Offsets of workspace words (compiler writer's guide).
inline constexpr std::uint32_t at_iptr = 4, at_link = 8, at_state = 12, at_timer_link = 16, at_time = 20;  // bytes below Wptr
inline constexpr std::uint32_t enabling = min_int | 1U, waiting = min_int | 2U, ready = min_int | 3U;
inline constexpr std::uint32_t time_set = min_int | 1U, time_not_set = min_int | 2U;
inline constexpr std::uint32_t none_selected = ~0U;

struct Engine {  // what the core knows of one direction of a link
    std::uint32_t address = 0, left = 0;
    bool active = false;
};

enum class BootStep : std::uint8_t { None, Length, PokeAddress, PokeData, PeekAddress, PeekReply, Code };

struct Boot {
    BootStep step = BootStep::None;
    bool listening = false;  // no link has spoken yet
    std::uint8_t link = 0, code_length = 0;
    std::array<std::byte, 4> buffer{};
    std::uint32_t filled = 0, address = 0;
    std::uint32_t halted_iptr = 0, halted_wdesc = not_process | 1U;
    bool after_analyse = false;
};

enum class Question : std::uint8_t { None, Enable, Disable };  // enbc or disc at a link has asked its engine

struct DueTime {  // cycle 0: not known
    std::uint32_t time = 0;
    Cycle from = 0, cycle = 0;
};

struct Core::State {
    State(std::span<std::byte> memory_span, const CoreSettings& chosen, LinkPort& links)
        : mem(memory_span.data()),
          size(static_cast<std::uint32_t>(memory_span.size())),
          extra(chosen.external_access - 1),
          settings(chosen),
          port(&links),
          code(size),
          channel_words_seen(size) {}

    // Hot.
    std::byte* mem;
    std::uint32_t size;             // bytes of memory, from #80000000
    std::uint32_t extra;            // cycles of an external access beside the one that the table has
    Cycle base = 0;                 // see above
    Cycle fast_limit = 0;           // a block that may not end before it is run instruction by instruction
    Cycle slice_at = never;         // j and lend: from here on the process gives way
    FloatingState* fp = nullptr;    // of the running priority
    Cycle fpu_free = 0;             // the floating-point unit works until then
    const Op* next_op = nullptr;    // where the chain of handlers goes on; nothing: it has ended
    std::uint32_t block_start = 0;  // offset of the running block
    std::uint64_t instructions = 0;
    Registers r{};
    Cycle now = 0;

    CoreSettings settings;
    LinkPort* port;
    Observer* observer = nullptr;
    bool sees_instructions = false;
    std::set<std::uint32_t> breakpoints{};
    bool stepping = false;  // a breakpoint lies before each instruction
    // Process and instruction that were stopped at and are not executed yet; a low one and the high ones that came between.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> past_breakpoints{};
    Totals totals{};
    std::optional<Stray> strays{};
    std::optional<Stray> unknown{};
    std::optional<StoppedProcess> stopped_on_error{};
    Decoded code;
    ChannelWords channel_words_seen;
    std::array<Op, 3> step{};  // one instruction, for steps
    std::array<Engine, channel_words> engines{};
    Boot boot{};
    bool event_waits = false, port_called = false, halted = false, ran_away = false, analysing = false, analysed = false;
    Question question = Question::None;
    std::uint32_t question_channel = 0;
    bool ends_process = false;   // for the observer
    bool short_output = false;   // outword and outbyte: their cost has the copy
    bool cut_wanted = false;     // a high process became ready while a low one runs
    Cycle low_slice_at = never;  // of the low process that was cut
    mutable std::array<DueTime, 2> due_times{};
    Cycle limit = 0;  // of this run_until()

    // Memory. `offset` is the address less #80000000, and aligned for words.
    std::uint32_t raw(std::uint32_t offset) const {
        std::uint32_t value;
        std::memcpy(&value, mem + offset, 4);
        return value;
    }
    void raw(std::uint32_t offset, std::uint32_t value) { std::memcpy(mem + offset, &value, 4); }
    // In a handler: charges `base`.
    std::uint32_t load(std::uint32_t offset) {
        if (offset < on_chip_bytes) [[likely]]
            return raw(offset);
        if (offset < size) [[likely]] {
            base += extra;
            return raw(offset);
        }
        return stray(offset);
    }
    // True: the word was code, so the decoded code is gone and the chain must leave its block.
    bool store(std::uint32_t offset, std::uint32_t value) {
        if (offset >= on_chip_bytes) {
            if (offset >= size) [[unlikely]]
                return stray(offset), false;
            base += extra;
        }
        raw(offset, value);
        return code.is_code(offset) && code.forget_all();
    }
    // Between instructions: charge `now`. Addresses as programs have them, aligned down.
    std::uint32_t get(std::uint32_t address) {
        const std::uint32_t offset = (address - min_int) & ~3U;
        if (offset >= size) return stray(offset);
        if (offset >= on_chip_bytes) now += extra;
        return raw(offset);
    }
    void put(std::uint32_t address, std::uint32_t value) {
        const std::uint32_t offset = (address - min_int) & ~3U;
        if (offset >= size) {
            stray(offset);
            return;
        }
        if (offset >= on_chip_bytes) now += extra;
        raw(offset, value);
        if (code.is_code(offset)) code.forget_all();
    }
    std::uint8_t get_byte(std::uint32_t address) const {  // free; all ones where no memory is
        const std::uint32_t offset = address - min_int;
        return offset < size ? std::to_integer<std::uint8_t>(mem[offset]) : std::uint8_t{0xFF};
    }
    void put_byte(std::uint32_t address, std::uint8_t value);
    std::uint32_t stray(std::uint32_t offset);  // all ones
    // Cycles that the words of `count` bytes take beside those of the table.
    Cycle words_extra(std::uint32_t address, std::uint32_t count) const;

    // Scheduler (scheduler.cpp). Each works on `r` and `now`.
    std::uint32_t wdesc() const { return r.wptr | r.priority; }
    void schedule(std::uint32_t descriptor);  // queue, start or cut
    void start_next();
    void run_process(std::uint32_t descriptor, std::uint32_t iptr);
    void save_iptr() { put(r.wptr - at_iptr, r.iptr); }
    void wait() { save_iptr(), start_next(); }
    void end_process();  // stopp and stoperr
    void give_way();     // a timeslice is over, at j or lend
    void new_slice();
    void cut_low();  // a high process is ready
    void resume_low();
    void set_error();
    bool stopped() const { return halted || ran_away || analysed; }

    // Timers (timers.cpp).
    std::uint32_t clock(std::uint32_t priority, Cycle at) const;
    Cycle tick_at(std::uint32_t priority, std::uint32_t time) const;  // first cycle at which the clock is at or after `time`
    Cycle timer_due(std::uint32_t priority) const;                    // never: the queue is empty or the clocks stand
    Cycle timers_due() const;
    void expire(std::uint32_t priority);
    void insert_timer(std::uint32_t time);
    void remove_timer();

    // Channels (channels.cpp).
    void wait_at(std::uint32_t channel) {  // the process's descriptor in the channel word says who waits
        put(channel, wdesc());
        if (channel - min_int < size) channel_words_seen.note(channel - min_int);
    }
    void wake_channel(std::uint32_t index);
    void ready_channel(std::uint32_t index);
    void communicate(bool output, std::uint32_t count, std::uint32_t channel, std::uint32_t pointer);
    void on_link(std::uint32_t index, std::uint32_t count, std::uint32_t pointer);
    void answer();  // alternatives.cpp
    void copy(std::uint32_t to, std::uint32_t from, std::uint32_t count);

    // Block moves (moves.cpp).
    void go_on_moving();

    // Boot (boot.cpp).
    void listen();
    void boot_first(std::uint8_t link);
    void boot_filled();
    void boot_ask(BootStep step, std::uint32_t count);
    void boot_start();
};

inline std::uint32_t words_of(std::uint32_t address, std::uint32_t count) {
    return count == 0 ? 0 : static_cast<std::uint32_t>((std::uint64_t{address & 3U} + count + 3U) / 4U);
}

}  // namespace t800_core
