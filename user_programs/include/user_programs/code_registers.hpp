// CodeRegisters: the registers of a program's code where it has stopped, by the numbers that DWARF gives them on x86-64. Of
// code that waits in a call only those are known that a call keeps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace user_programs {

class CodeRegisters {
public:
    static constexpr unsigned count = 17, stack = 7,
                              instruction = 16;  // 0 to 15: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 ...

    void set(unsigned number, std::uint64_t value) {
        values_[number] = value;
        known_ |= 1U << number;
    }
    std::optional<std::uint64_t> get(unsigned number) const {
        if (number >= count || (known_ >> number & 1U) == 0) return std::nullopt;
        return values_[number];
    }

    // xmm0 to xmm15, whose numbers begin at first_vector. No call keeps them.
    static constexpr unsigned first_vector = 17, vectors = 16;
    using Vector = std::array<std::uint64_t, 2>;
    void set_vectors(const std::array<Vector, vectors>& values) {
        vectors_ = values;
        has_vectors_ = true;
    }
    std::optional<Vector> vector(unsigned number) const {
        if (!has_vectors_ || number < first_vector || number >= first_vector + vectors) return std::nullopt;
        return vectors_[number - first_vector];
    }

private:
    std::array<std::uint64_t, count> values_{};
    std::uint32_t known_ = 0;
    std::array<Vector, vectors> vectors_{};
    bool has_vectors_ = false;
};

}  // namespace user_programs
