// One row of the instruction table: what it costs, and what it leaves, from a given state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bench_node.hpp"

namespace t800_test {

struct RowCase {
    std::string row;           // as the table names it
    std::string state;         // which of its figures
    std::string code;          // the instruction; what comes before it is in `before`
    std::uint64_t cycles = 0;  // without prefixes
    std::array<std::uint32_t, 3> in{};
    std::optional<std::uint32_t> a{}, b{}, c{};
    std::function<void(BenchNode&)> before{};
    std::function<void(BenchNode&)> after{};
    std::uint64_t prefixes = 0;  // of the instruction
};

inline std::string name_of(const RowCase& row) {
    std::string name = row.row + (row.state.empty() ? "" : "_" + row.state);
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return name;
}
inline std::ostream& operator<<(std::ostream& out, const RowCase& row) {
    return out << name_of(row);
}

inline constexpr std::uint32_t code_at = 0x80000200U, work_at = 0x80000800U;

// Executes the one instruction. Its cycles, prefixes taken off.
inline void run_row(const RowCase& row, BenchNode& node) {
    const t800_assembly::Program program =
        t800_assembly::assemble(".space " + std::to_string(code_at - 0x80000070U) + "\n" + row.code + "\n.space 64", "row.s");
    std::memcpy(node.memory.data() + 0x70, program.code.data(), program.code.size());
    node.clear_reserved();
    node.core.start(code_at, work_at);
    Registers r = node.core.registers();
    r.a = row.in[0], r.b = row.in[1], r.c = row.in[2];
    node.core.set_registers(r);
    if (row.before) row.before(node);
}

}  // namespace t800_test
