// CPU and floating-point unit work at the same time. An instruction for the unit starts when the unit is free, and the CPU
// waits until then. Arithmetic without a result for the CPU lets the CPU go on after one cycle, or after its load.
#include <floating_acts.hpp>

#include <array>
#include <cstdint>
#include <utility>

#include <act.hpp>
#include <t800_core/floating.hpp>

namespace t800_core {
namespace {

constexpr std::uint16_t most_wait = 110;  // for what the unit may still be doing

struct Cost {
    std::uint8_t single_cycles, double_cycles;  // typical
};

// The instruction began `cpu` cycles before `now`; if the unit was busy then, everything moves.
void begin(State& s, Cycle cpu) {
    if (s.fpu_free > s.now - cpu) s.now = s.fpu_free + cpu;
}
Rounding take_rounding(State& s) {
    const Rounding rounding = s.fp->rounding;
    s.fp->rounding = Rounding::Nearest;
    return rounding;
}
void push_real(State& s, Real value) {
    auto& stack = s.fp->stack;
    stack[2] = stack[1], stack[1] = stack[0], stack[0] = value;
}
Real pop_real(State& s) {
    auto& stack = s.fp->stack;
    const Real value = stack[0];
    stack[0] = stack[1], stack[1] = stack[2];
    return value;
}
Real load_single(State& s, Word address) {
    return {s.get(address), false};
}
Real load_double(State& s, Word address) {
    const std::uint64_t low = s.get(address);
    return {low | std::uint64_t{s.get(address + 4)} << 32, true};
}

using Binary = Real (*)(Real, Real, Rounding, bool&);

// `act` as a handler, if it uses nothing but the unit: it leaves A, B and C, and always goes on.
template <Act act>
T800_HANDLER(unit) {
    s.now = time_after(s, op);
    act(s);
    s.base = s.now - op->before - op->cycles;
    T800_NEXT;
}

// FA := FB op FA, in the unit alone.
template <Binary operation>
void arithmetic(State& s) {
    auto& stack = s.fp->stack;
    stack[0] = operation(stack[1], stack[0], take_rounding(s), s.fp->error);
    stack[1] = stack[2];
}
template <Binary operation, Cost cost>
void act_arithmetic(State& s) {
    begin(s, 1);
    s.fpu_free = s.now - 1 + (s.fp->stack[0].is_double ? cost.double_cycles : cost.single_cycles);
    arithmetic<operation>(s);
}
template <Binary operation, bool is_double, int cpu, int total>
void act_load_and(State& s) {
    begin(s, cpu);
    s.fpu_free = s.now - cpu + total;
    const Word address = pop(s);
    const Real loaded = is_double ? load_double(s, address) : load_single(s, address);
    s.fp->stack[0] = operation(s.fp->stack[0], loaded, take_rounding(s), s.fp->error);
}

template <bool is_double, int cpu>
void act_load(State& s) {
    begin(s, cpu);
    take_rounding(s);
    const Word address = pop(s);
    push_real(s, is_double ? load_double(s, address) : load_single(s, address));
}
template <bool is_double, int cpu>
void act_load_indexed(State& s) {
    begin(s, cpu);
    take_rounding(s);
    const Word address = s.r.a + s.r.b * (is_double ? 8 : 4);
    s.r.a = s.r.c, s.r.b = s.r.c;
    push_real(s, is_double ? load_double(s, address) : load_single(s, address));
}
template <bool is_double>
void act_zero(State& s) {
    begin(s, 2);
    take_rounding(s);
    push_real(s, {0, is_double});
}
template <bool is_double, int cpu>
void act_store(State& s) {
    begin(s, cpu);
    take_rounding(s);
    const Word address = pop(s);
    const std::uint64_t bits = pop_real(s).bits;
    s.put(address, static_cast<Word>(bits));
    if (is_double) s.put(address + 4, static_cast<Word>(bits >> 32));
}
void act_store_int32(State& s) {
    begin(s, 4);
    take_rounding(s);
    const Word address = pop(s);
    s.put(address, floating::low_word(pop_real(s)));
}
template <bool is_double, bool is_signed>
void act_from_int(State& s) {
    begin(s, 3);  // the load; the unit converts on its own
    s.fpu_free = s.now - 3 + 8;
    const Word value = s.get(pop(s));
    const Rounding rounding = take_rounding(s);
    push_real(s,
              is_signed ? floating::from_int32(static_cast<Signed>(value), is_double, rounding) : floating::from_uint32(value));
}

void act_reverse(State& s) {
    begin(s, 1);
    take_rounding(s);
    std::swap(s.fp->stack[0], s.fp->stack[1]);
}
void act_duplicate(State& s) {
    begin(s, 1);
    take_rounding(s);
    push_real(s, s.fp->stack[0]);
}
void act_check_error(State& s) {
    begin(s, 1);
    take_rounding(s);
    if (s.fp->error) s.set_error();
}
void act_test_error(State& s) {
    begin(s, 2);
    take_rounding(s);
    push(s, s.fp->error ? 0 : 1);
    s.fp->error = false;
}
template <bool (*compare)(Real, Real, bool&), int cpu>
void act_compare(State& s) {
    begin(s, cpu);
    take_rounding(s);
    const Real a = pop_real(s), b = pop_real(s);
    push(s, compare(b, a, s.fp->error) ? 1 : 0);
}
void act_ordered(State& s) {
    begin(s, 3);
    take_rounding(s);
    Real b = s.fp->stack[1];
    b.is_double = s.fp->stack[0].is_double;
    push(s, floating::is_nan(s.fp->stack[0]) || floating::is_nan(b) ? 0 : 1);
}
void act_nan(State& s) {
    begin(s, 2);
    take_rounding(s);
    push(s, floating::is_nan(s.fp->stack[0]) ? 1 : 0);
}
void act_not_finite(State& s) {
    begin(s, 2);
    take_rounding(s);
    push(s, floating::is_finite(s.fp->stack[0]) ? 0 : 1);
}
// The first step does all that can be seen, and answers 1. A further step changes nothing and answers 0. So code that skips the
// steps at 1 comes out right, and so does code that takes one more.
void act_remainder_first(State& s) {
    begin(s, 36);
    take_rounding(s);
    auto& stack = s.fp->stack;
    std::uint32_t steps = 0;
    stack[0] = floating::remainder(stack[1], stack[0], s.fp->error, steps);
    stack[1] = stack[2];
    s.now += Cycle{steps} * 32;
    push(s, 1);
}
void act_remainder_step(State& s) {
    begin(s, 32);
    take_rounding(s);
    push(s, 0);
}
void round_to_int32(State& s) {
    Real& a = s.fp->stack[0];
    const Real whole = floating::to_integer(a, take_rounding(s), s.fp->error);
    if (!floating::in_int32(whole)) s.fp->error = true;
    a = whole;
}
void act_to_int32(State& s) {
    begin(s, 1);
    s.fpu_free = s.now - 1 + 7;
    round_to_int32(s);
}
void act_to_integer(State& s) {
    begin(s, 1);
    s.fpu_free = s.now - 1 + 5;
    s.fp->stack[0] = floating::to_integer(s.fp->stack[0], take_rounding(s), s.fp->error);
}

// Operations that fpentry selects. The root is found when the last step asks for it; a rounding set before the first step or
// before the last one counts.
struct Entry {
    Word number;
    Cost cost;
    void (*act)(State& s);
};
void set_rounding(State& s, Rounding rounding) {
    s.fp->rounding = rounding;
}
template <int power>
void scale(State& s) {
    s.fp->stack[0] = floating::scale(s.fp->stack[0], power, take_rounding(s), s.fp->error);
}
void check(State& s, bool (*inside)(Real)) {
    take_rounding(s);
    if (!inside(s.fp->stack[0])) s.fp->error = true;
}
constexpr std::array<Entry, 19> entries{{
    {0x01, {27, 27}, [](State& s) { s.fp->root_rounding = take_rounding(s); }},
    {0x02, {42, 42}, [](State& s) { take_rounding(s); }},
    {0x03,
     {8, 8},
     [](State& s) {
         const Rounding last = take_rounding(s), rounding = last != Rounding::Nearest ? last : s.fp->root_rounding;
         s.fp->root_rounding = Rounding::Nearest;
         s.fp->stack[0] = floating::square_root(s.fp->stack[0], rounding, s.fp->error);
     }},
    {0x04, {1, 1}, [](State& s) { set_rounding(s, Rounding::Up); }},
    {0x05, {1, 1}, [](State& s) { set_rounding(s, Rounding::Down); }},
    {0x06, {1, 1}, [](State& s) { set_rounding(s, Rounding::Zero); }},
    {0x22, {1, 1}, [](State& s) { set_rounding(s, Rounding::Nearest); }},
    {0x07,
     {3, 3},
     [](State& s) {
         take_rounding(s);
         s.fp->stack[0] = floating::widen(s.fp->stack[0], s.fp->error);
     }},
    {0x08, {6, 6}, [](State& s) { s.fp->stack[0] = floating::narrow(s.fp->stack[0], take_rounding(s), s.fp->error); }},
    {0x09, {6, 6}, scale<-32>},
    {0x0A, {6, 6}, scale<32>},
    {0x0B,
     {2, 2},
     [](State& s) {
         take_rounding(s);
         s.fp->stack[0] = floating::absolute(s.fp->stack[0], s.fp->error);
     }},
    {0x0D,
     {2, 2},
     [](State& s) {
         take_rounding(s);
         s.fp->stack[0] = floating::narrow_unrounded(s.fp->stack[0]);
     }},
    {0x0E, {3, 3}, [](State& s) { check(s, floating::in_int32); }},
    {0x0F, {3, 3}, [](State& s) { check(s, floating::in_int64); }},
    {0x11, {6, 6}, scale<-1>},
    {0x12, {6, 6}, scale<1>},
    {0x23,
     {1, 1},
     [](State& s) {
         take_rounding(s);
         s.fp->error = true;
     }},
    {0x9C,
     {1, 1},
     [](State& s) {
         take_rounding(s);
         s.fp->error = false;
     }},
}};
void act_entry(State& s) {
    begin(s, 1);
    const Word number = pop(s);
    for (const Entry& entry : entries) {
        if (entry.number != number) continue;
        s.fpu_free = s.now + entry.cost.single_cycles;
        return entry.act(s);
    }
}

// State of the unit for tests of the chip: FA as three words, the third its length. Only the names are published.
void act_store_test(State& s) {
    begin(s, 3);
    const Word address = pop(s);
    const Real a = s.fp->stack[0];
    s.put(address, static_cast<Word>(a.bits)), s.put(address + 4, static_cast<Word>(a.bits >> 32));
    s.put(address + 8, a.is_double ? 1 : 0);
}
void act_load_test(State& s) {
    begin(s, 3);
    const Word address = pop(s);
    Real a = load_double(s, address);
    a.is_double = s.get(address + 8) != 0;
    if (!a.is_double) a.bits = static_cast<Word>(a.bits);
    s.fp->stack[0] = a;
}

constexpr Cost add_cost{6, 6}, multiply_cost{11, 18}, divide_cost{16, 31};

}  // namespace

std::span<const FloatingRow> floating_rows() {
    using floating::add, floating::subtract, floating::multiply, floating::divide;
    static const std::array<FloatingRow, 38> rows{{
        {0x8E, goes_on<act_load<false, 2>>, 2, 1, most_wait},
        {0x8A, goes_on<act_load<true, 3>>, 3, 2, most_wait},
        {0x86, goes_on<act_load_indexed<false, 4>>, 4, 1, most_wait},
        {0x82, goes_on<act_load_indexed<true, 6>>, 6, 2, most_wait},
        {0x9F, unit<act_zero<false>>, 2, 0, most_wait},
        {0xA0, unit<act_zero<true>>, 2, 0, most_wait},
        {0xAA, goes_on<act_load_and<add, false, 2, 8>>, 2, 1, most_wait},
        {0xA6, goes_on<act_load_and<add, true, 3, 9>>, 3, 2, most_wait},
        {0xAC, goes_on<act_load_and<multiply, false, 2, 13>>, 2, 1, most_wait},
        {0xA8, goes_on<act_load_and<multiply, true, 3, 21>>, 3, 2, most_wait},
        {0x88, goes_on<act_store<false, 2>>, 2, 1, most_wait},
        {0x84, goes_on<act_store<true, 3>>, 3, 2, most_wait},
        {0x9E, goes_on<act_store_int32>, 4, 1, most_wait},
        {0xAB, goes_on<act_entry>, 1, 0, most_wait},
        {0xA4, unit<act_reverse>, 1, 0, most_wait},
        {0xA3, unit<act_duplicate>, 1, 0, most_wait},
        {0x83, goes_on<act_check_error>, 1, 0, most_wait},
        {0x9C, goes_on<act_test_error>, 2, 0, most_wait},
        {0x94, goes_on<act_compare<floating::greater, 4>>, 4, 0, most_wait},
        {0x95, goes_on<act_compare<floating::equal, 3>>, 3, 0, most_wait},
        {0x92, goes_on<act_ordered>, 3, 0, most_wait},
        {0x91, goes_on<act_nan>, 2, 0, most_wait},
        {0x93, goes_on<act_not_finite>, 2, 0, most_wait},
        {0x9D, unit<act_to_int32>, 1, 0, most_wait},
        {0x96, goes_on<act_from_int<false, true>>, 3, 1, most_wait},
        {0x98, goes_on<act_from_int<true, true>>, 3, 1, most_wait},
        {0x9A, goes_on<act_from_int<true, false>>, 3, 1, most_wait},
        {0xA1, unit<act_to_integer>, 1, 0, most_wait},
        {0x87, unit<act_arithmetic<add, add_cost>>, 1, 0, most_wait},
        {0x89, unit<act_arithmetic<subtract, add_cost>>, 1, 0, most_wait},
        {0x8B, unit<act_arithmetic<multiply, multiply_cost>>, 1, 0, most_wait},
        {0x8C, unit<act_arithmetic<divide, divide_cost>>, 1, 0, most_wait},
        {0x8F, goes_on<act_remainder_first>, 36, 0, 2000},
        {0x90, goes_on<act_remainder_step>, 32, 0, most_wait},
        {0x80, goes_on<act_store_test>, 3, 3, most_wait},
        {0x85, goes_on<act_load_test>, 3, 3, most_wait},
        {0xA7, goes_on<act_entry>, 1, 0, most_wait},
        {0xA9, goes_on<act_entry>, 1, 0, most_wait},
    }};
    return rows;
}

}  // namespace t800_core
