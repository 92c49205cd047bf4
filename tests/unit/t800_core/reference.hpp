// A T800 written again, for comparison: one instruction at a time, with plain whole numbers, and nothing of the core. It has
// the direct functions and all operations that neither schedule nor use the floating-point unit.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace t800_reference {

using Whole = __int128_t;
inline constexpr std::int64_t two_31 = std::int64_t{1} << 31, two_32 = std::int64_t{1} << 32;

// A register's value as a number with its sign.
inline std::int64_t with_sign(std::uint32_t word) {
    return word >= two_31 ? std::int64_t{word} - two_32 : std::int64_t{word};
}
inline std::uint32_t wrapped(Whole number) {
    const Whole rest = number % two_32;
    return static_cast<std::uint32_t>(rest < 0 ? rest + two_32 : rest);
}
inline int top_bit(std::uint64_t value) {
    int bit = 0;
    while (value > 1) value /= 2, ++bit;
    return bit;
}

class Machine {
public:
    Machine(std::vector<std::uint8_t> bytes, int access) : memory(std::move(bytes)), access_(access) { list(); }

    std::vector<std::uint8_t> memory;
    std::uint32_t iptr = 0, wptr = 0, a = 0, b = 0, c = 0;
    bool error = false, halt = false, halted = false, ran_away = false;
    std::uint64_t cycles = 0, instructions = 0;
    std::pair<std::uint32_t, std::uint32_t> high{two_31, two_31}, low{two_31, two_31};  // front and back of the queues

    // False: no such instruction here.
    bool step() {
        std::int64_t operand = 0;
        for (;;) {
            const auto place = index(iptr);
            if (!place) {
                ran_away = true;
                return true;
            }
            const int byte = memory[*place];
            ++iptr;
            operand = wrapped(operand) / 16 * 16 + byte % 16;  // the low digit is free: the last prefix shifted
            if (byte / 16 == 2) {
                operand = wrapped(Whole{operand} * 16);
            } else if (byte / 16 == 6) {
                operand = wrapped((-Whole{operand} - 1) * 16);
            } else {
                return act(byte / 16, wrapped(operand));
            }
            ++cycles;
        }
    }

private:
    std::optional<std::size_t> index(std::uint32_t address) const {
        const std::int64_t place = with_sign(address) + two_31;
        if (place >= static_cast<std::int64_t>(memory.size())) return {};
        return static_cast<std::size_t>(place);
    }
    void pay(std::uint32_t address) {
        const auto place = index(address);
        if (place && *place >= 4096) cycles += static_cast<std::uint64_t>(access_ - 1);
    }
    std::uint32_t read(std::uint32_t address) {
        address = address / 4 * 4;
        pay(address);
        std::uint32_t word = 0;
        for (std::uint32_t i = 4; i-- > 0;) word = word * 256 + (index(address) ? memory[*index(address + i)] : 255U);
        return word;
    }
    void write(std::uint32_t address, std::uint32_t word) {
        address = address / 4 * 4;
        pay(address);
        if (!index(address)) return;
        for (std::uint32_t i = 0; i < 4; ++i, word /= 256) memory[*index(address + i)] = static_cast<std::uint8_t>(word % 256);
    }
    void push(std::uint32_t word) { c = b, b = a, a = word; }
    void replace_two(std::uint32_t word) { a = word, b = c; }
    void drop(int count) {
        for (; count > 0; --count) a = b, b = c;
    }
    void fail() {
        error = true;
        halted = halt;
    }
    // A result that must fit in a word.
    std::uint32_t fitting(Whole number) {
        if (number < -two_31 || number >= two_31) fail();
        return wrapped(number);
    }
    void go_to(std::uint32_t address, bool refill = true) {
        iptr = address;
        if (refill && with_sign(address) + two_31 >= 4096) cycles += static_cast<std::uint64_t>(access_ - 1);
    }

    bool act(int function, std::uint32_t operand) {
        ++instructions;
        const std::int64_t signed_operand = with_sign(operand);
        switch (function) {
            case 0:
                cycles += 3, go_to(wrapped(Whole{iptr} + operand));
                return true;
            case 1:
                cycles += 1, push(wrapped(Whole{wptr} + 4 * Whole{operand}));
                return true;
            case 3:
                cycles += 2, a = read(wrapped(Whole{a} + 4 * Whole{operand}));
                return true;
            case 4:
                cycles += 1, push(operand);
                return true;
            case 5:
                cycles += 1, a = wrapped(Whole{a} + 4 * Whole{operand});
                return true;
            case 7:
                cycles += 2, push(read(wrapped(Whole{wptr} + 4 * Whole{operand})));
                return true;
            case 8:
                cycles += 1, a = fitting(Whole{with_sign(a)} + signed_operand);
                return true;
            case 9:
                call(operand);
                return true;
            case 10:
                conditional_jump(operand);
                return true;
            case 11:
                cycles += 1, wptr = wrapped(Whole{wptr} + 4 * Whole{operand});
                return true;
            case 12:
                cycles += 2, a = a == operand;
                return true;
            case 13:
                cycles += 1, write(wrapped(Whole{wptr} + 4 * Whole{operand}), a), drop(1);
                return true;
            case 14:
                cycles += 2, write(wrapped(Whole{a} + 4 * Whole{operand}), b), drop(2);
                return true;
            default:
                break;
        }
        const auto found = operations_.find(operand);
        if (found == operations_.end()) return false;
        cycles += static_cast<std::uint64_t>(found->second.first);
        found->second.second();
        return true;
    }
    void call(std::uint32_t way) {
        cycles += 7;
        wptr = wrapped(Whole{wptr} - 16);
        write(wptr, iptr), write(wptr + 4, a), write(wptr + 8, b), write(wptr + 12, c);
        a = iptr;
        go_to(wrapped(Whole{iptr} + way));
    }
    void conditional_jump(std::uint32_t way) {
        cycles += a == 0 ? 4 : 2;
        if (a == 0) return go_to(wrapped(Whole{iptr} + way));
        drop(1);
    }

    void add(std::uint32_t number, int cost, std::function<void()> what) { operations_[number] = {cost, std::move(what)}; }
    void list() {
        list_words();
        list_long();
        list_checks();
        list_flow();
        list_bits();
    }
    void list_words() {
        add(0x46, 1, [this] { replace_two(a & b); });
        add(0x4B, 1, [this] { replace_two(a | b); });
        add(0x33, 1, [this] { replace_two((a | b) - (a & b)); });
        add(0x32, 1, [this] { a = wrapped(-Whole{a} - 1); });
        add(0x05, 1, [this] { replace_two(fitting(Whole{with_sign(b)} + with_sign(a))); });
        add(0x0C, 1, [this] { replace_two(fitting(Whole{with_sign(b)} - with_sign(a))); });
        add(0x53, 38, [this] { replace_two(fitting(Whole{with_sign(b)} * with_sign(a))); });
        add(0x09, 2, [this] { replace_two(with_sign(b) > with_sign(a)); });
        add(0x04, 1, [this] { replace_two(wrapped(Whole{b} - a)); });
        add(0x52, 1, [this] { replace_two(wrapped(Whole{b} + a)); });
        add(0x08, 0, [this] {
            const std::int64_t value = with_sign(a);
            cycles += static_cast<std::uint64_t>(value >= 0 ? top_bit(a) + 4 : top_bit(static_cast<std::uint64_t>(-value)) + 5);
            replace_two(wrapped(Whole{b} * a));
        });
        add(0x02, 1, [this] { replace_two(wrapped(Whole{a} + b)); });
        add(0x0A, 2, [this] { replace_two(wrapped(Whole{a} + 4 * Whole{b})); });
        add(0x81, 3, [this] { replace_two(wrapped(Whole{a} + 8 * Whole{b})); });
        add(0x34, 2, [this] { a = wrapped(4 * Whole{a}); });
        add(0x3F, 5, [this] {
            c = b, b = a % 4;
            a = wrapped((Whole{with_sign(a)} - b) / 4);
        });
        add(0x00, 1, [this] { std::swap(a, b); });
        add(0x42, 1, [this] { push(1U << 31); });
        add(0x5A, 1, [this] { push(a); });
        add(0x1E, 1, [this] { push(1); });
        add(0x01, 5, [this] {
            pay(a);
            a = index(a) ? memory[*index(a)] : 255;
        });
        add(0x3B, 4, [this] {
            pay(a);
            if (index(a)) memory[*index(a)] = static_cast<std::uint8_t>(b % 256);
            drop(2);
        });
        add(0x72, 35, [this] { fractional(); });
        add(0x2C, 39, [this] { divide(); });
        add(0x1F, 37, [this] { divide_rest(); });
    }
    void fractional() {
        const Whole product = Whole{with_sign(a)} * with_sign(b);
        Whole floor = product / two_31;
        if (product % two_31 < 0) floor -= 1;
        const Whole rest = product - floor * two_31;
        if (rest != 0) cycles += 5;
        if (2 * rest > two_31 || (2 * rest == two_31 && floor % 2 != 0)) floor += 1;
        replace_two(fitting(floor));
    }
    void divide() {
        const std::int64_t by = with_sign(a), value = with_sign(b);
        b = c;
        if (by == 0 || (by == -1 && value == -two_31)) return fail();
        a = wrapped(value / by);
        const std::int64_t quotient = value / by < 0 ? -(value / by) : value / by;
        c = wrapped(Whole{value < 0 ? -value : value} - Whole{quotient + (quotient % 2 == 0 ? 1 : 0)} * (by < 0 ? -by : by));
    }
    void divide_rest() {
        const std::int64_t by = with_sign(a), value = with_sign(b);
        b = c;
        if (by == 0) return fail();
        const std::int64_t rest = value % by;
        a = wrapped(rest), c = wrapped(rest < 0 ? -rest : rest);
    }
    void list_long() {
        add(0x16, 2, [this] { a = fitting(Whole{with_sign(b)} + with_sign(a) + c % 2); });
        add(0x38, 2, [this] { a = fitting(Whole{with_sign(b)} - with_sign(a) - c % 2); });
        add(0x37, 3, [this] {
            const Whole sum = Whole{a} + b + c % 2;
            a = wrapped(sum), b = sum >= two_32;
        });
        add(0x4F, 3, [this] {
            const Whole difference = Whole{b} - a - c % 2;
            a = wrapped(difference), b = difference < 0;
        });
        add(0x31, 33, [this] { pair(Whole{a} * b + c), c = b; });
        add(0x1A, 35, [this] {
            if (c >= a) return fail();
            const Whole value = Whole{c} * two_32 + b;
            b = wrapped(value % a), a = wrapped(value / a), c = b;
        });
        add(0x36, 3, [this] { shift_long(true); });
        add(0x35, 3, [this] { shift_long(false); });
        add(0x19, 3, [this] {
            Whole value = Whole{b} * two_32 + a;
            for (c = 0; c < 64 && value < Whole{two_31} * two_32; ++c) value *= 2;
            if (c < 64) cycles += c < 32 ? c + 2 : c - 29;
            pair(value);
        });
    }
    void pair(Whole value) { a = wrapped(value), b = wrapped(value / two_32); }
    void shift_long(bool left) {
        Whole value = Whole{c} * two_32 + b;
        if (a < 64) cycles += a < 32 ? a : a - 31;
        for (std::uint32_t i = 0; i < a && i < 64; ++i) value = left ? value * 2 % (Whole{two_32} * two_32) : value / 2;
        pair(value), c = b;
    }
    void list_checks() {
        add(0x10, 1, [this] { fail(); });
        add(0x13, 2, [this] { checked(b >= a); });
        add(0x4D, 3, [this] { checked(b == 0 || b > a); });
        add(0x56, 5, [this] { checked(with_sign(b) >= with_sign(a) || with_sign(b) < with_sign(wrapped(-Whole{a}))); });
        add(0x4C, 3, [this] {
            if (b != (with_sign(a) < 0 ? ~0U : 0U)) fail();
            b = c;
        });
        add(0x1D, 2, [this] { c = b, b = with_sign(a) < 0 ? ~0U : 0U; });
        add(0x3A, 4, [this] { replace_two(b < a ? b : wrapped(Whole{b} - 2 * Whole{a})); });
        add(0x29, 2, [this] {
            if (error) ++cycles;
            push(!error), error = false;
        });
        add(0x57, 1, [this] { halt = false; });
        add(0x58, 1, [this] { halt = true; });
        add(0x59, 2, [this] { push(halt); });
        add(0x2A, 2, [this] { push(0); });
    }
    void checked(bool bad) {
        replace_two(b);
        if (bad) fail();
    }
    void list_flow() {
        add(0x20, 5, [this] {
            const std::uint32_t back = read(wptr);
            wptr = wrapped(Whole{wptr} + 16);
            go_to(back);
        });
        add(0x1B, 2, [this] { a = wrapped(Whole{a} + iptr); });
        add(0x3C, 2, [this] { std::swap(a, wptr), wptr = wptr / 4 * 4; });
        add(0x06, 4, [this] {
            const std::uint32_t back = iptr;
            go_to(a);
            a = back;
        });
        add(0x45, 4, [this] { go_to(wrapped(Whole{iptr} + read(wptr))); });
        add(0x21, 5, [this] {
            const std::uint32_t left = wrapped(Whole{read(b + 4)} - 1);
            write(b + 4, left);
            if (with_sign(left) <= 0) return;
            cycles += 5;
            write(b, wrapped(Whole{read(b)} + 1));
            go_to(wrapped(Whole{iptr} - a));
        });
        add(0x3E, 4, [this] { write(a, high.first), write(a + 4, high.second), drop(1); });
        add(0x3D, 4, [this] { write(a, low.first), write(a + 4, low.second), drop(1); });
        add(0x18, 1, [this] { high.first = a, drop(1); });
        add(0x50, 1, [this] { high.second = a, drop(1); });
        add(0x1C, 1, [this] { low.first = a, drop(1); });
        add(0x17, 1, [this] { low.second = a, drop(1); });
    }
    void list_bits() {
        add(0x41, 2, [this] {
            cycles += a < 32 ? a : 1;
            Whole value = b;
            for (std::uint32_t i = 0; i < a && i < 32; ++i) value *= 2;
            replace_two(wrapped(value));
        });
        add(0x40, 2, [this] {
            cycles += a < 32 ? a : 1;
            std::uint32_t value = b;
            for (std::uint32_t i = 0; i < a && i < 32; ++i) value /= 2;
            replace_two(value);
        });
        add(0x74, 35, [this] { crc(32); });
        add(0x75, 11, [this] { crc(8); });
        add(0x76, 2, [this] {
            cycles += static_cast<std::uint64_t>(top_bit(a));
            std::uint32_t count = 0;
            for (std::uint32_t rest = a; rest != 0; rest /= 2) count += rest % 2;
            replace_two(wrapped(Whole{b} + count));
        });
        add(0x77, 36, [this] { a = reversed(a, 32); });
        add(0x78, 4, [this] {
            cycles += a < 64 ? a : 64;
            replace_two(reversed(b, a));
        });
    }
    // The lowest `count` bits of `value`, mirrored.
    static std::uint32_t reversed(std::uint32_t value, std::uint32_t count) {
        if (count >= 64) return 0;
        Whole result = 0;
        for (std::uint32_t i = 0; i < count; ++i, value /= 2) result = result * 2 + value % 2;
        return wrapped(result);
    }
    // Division of polynomials over two elements: the data goes in behind the remainder.
    void crc(int bits) {
        std::uint32_t data = a, rest = b;
        for (; bits > 0; --bits) {
            const Whole shifted = Whole{rest} * 2 + (data >= two_31 ? 1 : 0);
            data = wrapped(Whole{data} * 2);
            rest = wrapped(shifted);
            if (shifted >= two_32) rest = (rest | c) - (rest & c);
        }
        a = rest, b = c;
    }

    int access_;
    std::map<std::uint32_t, std::pair<int, std::function<void()>>> operations_;
};

}  // namespace t800_reference
