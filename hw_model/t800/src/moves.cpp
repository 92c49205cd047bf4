// Block moves, and the copy of messages. A move goes on word by word in A (bytes left), B (to) and C (from). It can be cut
// after any word, by a high process or by the limit of a run.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include <act.hpp>

namespace t800_core {
namespace {

enum Kind : std::uint32_t { All = 0, NonZero = 1, Zero = 2 };

// Bytes that can be treated alike from here: same kind of memory, or none.
std::uint32_t region(const State& s, Word address) {
    const Word offset = address - min_int;
    if (offset < on_chip_bytes) return on_chip_bytes - offset;
    return offset < s.size ? s.size - offset : 0U - offset;  // to the end of the address space; 0 for all of it is impossible
}
Cycle word_extra(const State& s, Word address) {
    const Word offset = address - min_int;
    return offset < on_chip_bytes || offset >= s.size ? 0 : s.extra;
}
void move_bytes(State& s, Word count, bool plain, Kind kind) {
    const Word to = s.r.b - min_int, from = s.r.c - min_int;
    if (plain) {
        std::memmove(s.mem + to, s.mem + from, count);
        s.code.forget(to, count);
        return;
    }
    for (Word i = 0; i < count; ++i) {
        if (from + i >= s.size) s.stray((from + i) & ~3U);
        const std::uint8_t byte = s.get_byte(s.r.c + i);
        if (kind == All || (kind == Zero) == (byte == 0)) s.put_byte(s.r.b + i, byte);
    }
}
// As much of this row as the limit allows, at least a word. True: the row has ended.
bool move_part(State& s, Kind kind) {
    const Cycle word = 2 + word_extra(s, s.r.b) + word_extra(s, s.r.c);
    const Word alike = std::min({s.r.a, region(s, s.r.b), region(s, s.r.c)});
    const Cycle due = std::min(s.limit, s.timers_due()), room = due > s.now ? due - s.now : 0;
    const Cycle words = std::min<Cycle>((Cycle{alike} + 3) / 4, room / word + 1);
    const Word count = static_cast<Word>(std::min<Cycle>(alike, words * 4));
    const bool inside = s.r.b - min_int < s.size && s.r.c - min_int < s.size;
    move_bytes(s, count, inside && kind == All, kind);
    s.now += words * word;
    s.r.a -= count, s.r.b += count, s.r.c += count;
    return s.r.a == 0;
}
// Part words at the ends of a message that is not aligned: the words beside those that move_part() counts.
Cycle ends_extra(Word to, Word from, Word count) {
    return std::max(words_of(to, count), words_of(from, count)) - words_of(0, count);
}
void start_row(State& s) {
    s.now += 23 + 2 * ends_extra(s.r.b, s.r.c, s.r.a);
}
void move_2d(State& s, Kind kind) {
    BlockMove2d& block = s.r.move_2d[s.r.priority];
    if (static_cast<Signed>(s.r.a) <= 0 || static_cast<Signed>(block.rows) <= 0) return;
    block.kind = kind, block.width = s.r.a;
    s.r.moving = status::moving_2d;
    start_row(s);
}
void go_on_2d(State& s) {
    BlockMove2d& block = s.r.move_2d[s.r.priority];
    if (!move_part(s, static_cast<Kind>(block.kind))) return;
    if (--block.rows == 0 || block.width == 0) {
        s.r.moving = 0;
        return;
    }
    s.r.a = block.width;
    s.r.b += block.destination_stride - block.width, s.r.c += block.source_stride - block.width;
    start_row(s);
}

}  // namespace

void Core::State::put_byte(std::uint32_t address, std::uint8_t value) {
    const std::uint32_t offset = address - min_int;
    if (offset >= size) {
        stray(offset & ~3U);
        return;
    }
    mem[offset] = static_cast<std::byte>(value);
    if (code.is_code(offset)) code.forget_all();
}

// A message, of which E is to be woken. `now` has the cost of a process that waits; a copy costs 2w + 19.
void Core::State::copy(std::uint32_t to, std::uint32_t from, std::uint32_t count) {
    if (short_output) {
        now += word_extra(*this, to) + word_extra(*this, from);
        r.b = to, r.c = from;
        const bool inside =
            to - min_int + count <= size && from - min_int + count <= size && to - min_int < size && from - min_int < size;
        move_bytes(*this, count, inside, All);
        schedule(r.e);
        return;
    }
    now -= 1;
    now += 2 * ends_extra(to, from, count);
    r.a = count, r.b = to, r.c = from;
    r.moving = status::moving;
}

void Core::State::go_on_moving() {
    if (r.moving == status::moving_2d) return go_on_2d(*this);
    if (r.a != 0 && !move_part(*this, All)) return;
    r.moving = 0;
    const std::uint32_t partner = r.e;
    if (partner != not_process) schedule(partner);
}

void act_move(State& s) {
    s.now += 2 * ends_extra(s.r.b, s.r.c, s.r.a);
    s.r.e = not_process;
    s.r.moving = status::moving;
}
void act_move2dinit(State& s) {
    s.r.move_2d[s.r.priority] = {s.r.c, s.r.b, s.r.a, 0, 0};
}
void act_move2dall(State& s) {
    move_2d(s, All);
}
void act_move2dnonzero(State& s) {
    move_2d(s, NonZero);
}
void act_move2dzero(State& s) {
    move_2d(s, Zero);
}

}  // namespace t800_core
