// The core beside a second T800 (reference.hpp), on random states and random code.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench_node.hpp"
#include "reference.hpp"

namespace t800_beside_reference {
namespace {

using namespace t800_test;

constexpr std::uint32_t code_on_chip = 0x80000400U, code_off_chip = 0x80001400U;
constexpr std::size_t memory_bytes = 8192;

// Cases: 20000 as a test; T800_CASES sets more (scripts/t800_campaign).
std::uint64_t cases() {
    const char* wanted = std::getenv("T800_CASES");
    return wanted == nullptr ? 20'000 : std::strtoull(wanted, nullptr, 10);
}

class Generator {
public:
    explicit Generator(std::uint64_t seed) : random_(seed) {}
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
    // Values at which things happen.
    std::uint32_t word() {
        static constexpr std::uint32_t special[] = {
            0, 1, 2, 3, 31, 32, 33, 63, 64, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x8000, 0x80};
        switch (below(6)) {
            case 0:
                return special[below(16)];
            case 1:
                return 0x80000000U + below(memory_bytes);
            case 2:
                return below(70);
            case 3:
                return 1U << below(32);
            case 4:
                return 0U - below(300);
            default:
                return static_cast<std::uint32_t>(random_());
        }
    }
    void encode(std::vector<std::uint8_t>& into, std::uint8_t function, std::int32_t operand) {
        if (operand >= 16) encode(into, 2, operand >> 4);
        if (operand < 0) encode(into, 6, ~operand >> 4);
        into.push_back(static_cast<std::uint8_t>(function << 4 | (operand & 15)));
    }
    std::vector<std::uint8_t> code() {
        static constexpr std::uint8_t operations[] = {
            0x46, 0x4B, 0x33, 0x32, 0x05, 0x0C, 0x53, 0x09, 0x04, 0x52, 0x08, 0x02, 0x0A, 0x81, 0x34, 0x3F,
            0x00, 0x42, 0x5A, 0x1E, 0x01, 0x3B, 0x72, 0x2C, 0x1F, 0x16, 0x38, 0x37, 0x4F, 0x31, 0x1A, 0x36,
            0x35, 0x19, 0x10, 0x13, 0x4D, 0x56, 0x4C, 0x1D, 0x3A, 0x29, 0x57, 0x59, 0x2A, 0x20, 0x1B, 0x3C,
            0x06, 0x45, 0x21, 0x3E, 0x3D, 0x50, 0x17, 0x41, 0x40, 0x74, 0x75, 0x76, 0x77, 0x78};
        static constexpr std::uint8_t functions[] = {0, 1, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 4, 4, 7, 7, 13};
        std::vector<std::uint8_t> bytes;
        for (std::uint32_t count = 4 + below(40); count > 0; --count) {
            if (below(2) == 0) {
                encode(bytes, 15, operations[below(std::size(operations))]);
                continue;
            }
            const std::uint8_t function = functions[below(std::size(functions))];
            const bool is_jump = function == 0 || function == 9 || function == 10;
            encode(bytes, function,
                   is_jump         ? static_cast<std::int32_t>(below(60)) - 30
                   : below(8) == 0 ? static_cast<std::int32_t>(word())
                                   : static_cast<std::int32_t>(below(40)) - 4);
        }
        if (below(20) == 0) bytes.insert(bytes.begin() + 1, 20, 0x20);  // more prefixes than an instruction needs
        return bytes;
    }
    std::uint64_t raw() { return random_(); }

private:
    std::mt19937_64 random_;
};

struct Case {
    std::vector<std::uint8_t> memory;
    std::uint32_t iptr, wptr, a, b, c;
    bool error, halt;
    std::uint64_t limit;
    int access;
};

Case make_case(Generator& random) {
    Case made{};
    made.memory.resize(memory_bytes);
    for (std::uint8_t& byte : made.memory) byte = static_cast<std::uint8_t>(random.below(4) == 0 ? random.below(256) : 0);
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t word = random.word();
        std::memcpy(made.memory.data() + 4 * random.below(memory_bytes / 4), &word, 4);
    }
    made.iptr = random.below(3) == 0 ? code_off_chip : code_on_chip;
    const std::vector<std::uint8_t> code = random.code();
    std::copy(code.begin(), code.end(), made.memory.begin() + (made.iptr - 0x80000000U));
    made.wptr = (random.below(4) == 0 ? made.iptr + 64 : 0x80000800U) + 4 * random.below(400);
    made.a = random.word(), made.b = random.word(), made.c = random.word();
    made.error = random.below(4) == 0, made.halt = random.below(4) == 0;
    made.limit = 1 + random.below(400);
    made.access = static_cast<int>(random.below(2) * 2 + 1);
    return made;
}

void set_up(const Case& made, BenchNode& node, t800_reference::Machine& reference) {
    std::memcpy(node.memory.data(), made.memory.data(), made.memory.size());
    node.core.start(made.iptr, made.wptr);
    Registers r = node.core.registers();
    r.a = made.a, r.b = made.b, r.c = made.c, r.error = made.error, r.halt_on_error = made.halt;
    node.core.set_registers(r);
    reference.iptr = made.iptr, reference.wptr = made.wptr, reference.a = made.a, reference.b = made.b, reference.c = made.c;
    reference.error = made.error, reference.halt = made.halt;
    reference.cycles = node.core.now();
}

std::string difference(const BenchNode& node, const t800_reference::Machine& reference) {
    const Registers& r = node.core.registers();
    std::string text;
    const auto compare = [&](const char* name, std::uint64_t core, std::uint64_t other) {
        if (core != other) text += std::string(name) + " " + std::to_string(core) + " against " + std::to_string(other) + "; ";
    };
    compare("Iptr", r.iptr, reference.iptr), compare("Wptr", r.wptr, reference.wptr);
    compare("A", r.a, reference.a), compare("B", r.b, reference.b), compare("C", r.c, reference.c);
    compare("Error", r.error, reference.error), compare("HaltOnError", r.halt_on_error, reference.halt);
    compare("instructions", node.core.totals().instructions, reference.instructions);
    if (std::memcmp(node.memory.data(), reference.memory.data(), reference.memory.size()) != 0) text += "memory; ";
    return text;
}

// Runs both to the same cycle. Empty: they agree.
std::string run_case(const Case& made, std::uint64_t pieces, std::uint64_t& compared) {
    CoreSettings settings;
    settings.external_access = static_cast<std::uint32_t>(made.access);
    BenchNode node(memory_bytes, settings);
    t800_reference::Machine reference(made.memory, made.access);
    set_up(made, node, reference);
    const std::uint64_t limit = reference.cycles + made.limit;
    Stop stop;
    for (std::uint64_t piece = 1; piece <= pieces; ++piece)
        stop = node.core.run_until(reference.cycles + made.limit * piece / pieces);
    while (reference.cycles < limit && !reference.halted && !reference.ran_away) {
        if (!reference.step()) return {};  // data that was run as code has an operation which the reference lacks
    }
    ++compared;
    std::string text = difference(node, reference);
    if ((stop.reason == Stop::Reason::RanAway) != reference.ran_away) text += "runs away in one; ";
    if (reference.ran_away) return stop.reason == Stop::Reason::RanAway ? "" : text;
    if ((stop.reason == Stop::Reason::Halted) != reference.halted) text += "halts in one; ";
    if (!reference.halted && node.core.now() != reference.cycles)
        text += "cycles " + std::to_string(node.core.now()) + " against " + std::to_string(reference.cycles);
    return text;
}

TEST(T800Reference, RandomCodeGivesTheSameStatesAndCycles) {
    const std::uint64_t count = cases();
    std::uint64_t compared = 0;
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        Generator random(seed);
        const Case made = make_case(random);
        const std::string text = run_case(made, 1 + seed % 3, compared);
        ASSERT_EQ(text, "") << "case " << seed;
    }
    EXPECT_GT(compared, count / 2);  // the others ran data as code, and came to operations that the reference lacks
    RecordProperty("compared", std::to_string(compared));
}

}  // namespace
}  // namespace t800_beside_reference
