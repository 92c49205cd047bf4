#include "locations.hpp"

#include <dwarf.h>

#include <cstring>

namespace rank_debugger {
namespace {

constexpr const char* not_kept = "optimized out: the compiler has not kept it here";

// Ends an evaluation without a result.
struct Unknown {};

class Machine {
public:
    Machine(const Dwarf_Op* operations, std::size_t count, const Activation& in) : ops_(operations), count_(count), in_(in) {}

    std::vector<Piece> run() {
        constexpr std::size_t most_steps = 10'000;
        std::size_t steps = 0;
        for (std::size_t at = 0; at < count_; ++steps) {
            if (steps == most_steps) throw Unknown();
            at = obey(at);
        }
        if (pieces_.empty() || open_) {
            if (!now_) now_ = Piece{Piece::In::Memory, pop(), {}, 0};
            pieces_.push_back(*now_);
        }
        return std::move(pieces_);
    }
    std::uint64_t pop() {
        if (stack_.empty()) throw Unknown();
        const std::uint64_t value = stack_.back();
        stack_.pop_back();
        return value;
    }

private:
    void push(std::uint64_t value) { stack_.push_back(value); }
    void push_signed(std::int64_t value) { stack_.push_back(static_cast<std::uint64_t>(value)); }

    std::uint64_t from_register(unsigned number) const {
        const auto value = in_.registers.get(number);
        if (!value) throw Unknown();
        return *value;
    }
    std::uint64_t from_memory(std::uintptr_t address, std::size_t bytes) const {
        std::uint64_t value = 0;
        if (bytes > sizeof value || !in_.read(address, &value, bytes)) throw Unknown();
        return value;
    }
    std::uint64_t frame_base() const {
        if (!in_.function) throw Unknown();
        Dwarf_Die function = *in_.function;
        Dwarf_Attribute attribute;
        Dwarf_Op* ops = nullptr;
        std::size_t count = 0;
        if (dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) == nullptr ||
            dwarf_getlocation_addr(&attribute, in_.code, &ops, &count, 1) != 1)
            throw Unknown();
        if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
            return from_register(ops[0].atom - DW_OP_reg0);
        Machine inner(ops, count, in_);
        const auto found = inner.run();
        if (found.size() != 1 || found[0].in != Piece::In::Memory) throw Unknown();
        return found[0].value;
    }

    // Returns the place of the next operation.
    std::size_t obey(std::size_t at) {
        const Dwarf_Op& op = ops_[at];
        const unsigned code = op.atom;
        if (code == DW_OP_skip || (code == DW_OP_bra && pop() != 0)) return jump(op);
        if (code == DW_OP_bra || code == DW_OP_nop) return at + 1;
        if (!obey_constant(op) && !obey_arithmetic(code) && !obey_stack(op) && !obey_place(op)) throw Unknown();
        return at + 1;
    }
    std::size_t jump(const Dwarf_Op& op) const {
        constexpr Dwarf_Word bytes_of_jump = 3;
        const Dwarf_Word wanted = op.offset + bytes_of_jump + op.number;
        for (std::size_t i = 0; i < count_; ++i) {
            if (ops_[i].offset == wanted) return i;
        }
        return count_;
    }

    bool obey_constant(const Dwarf_Op& op) {
        if (op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31) return push(op.atom - DW_OP_lit0), true;
        switch (op.atom) {
            case DW_OP_addr:
                return push(op.number + in_.load), true;
            case DW_OP_const1u:
            case DW_OP_const1s:
            case DW_OP_const2u:
            case DW_OP_const2s:
            case DW_OP_const4u:
            case DW_OP_const4s:
            case DW_OP_const8u:
            case DW_OP_const8s:
            case DW_OP_constu:
            case DW_OP_consts:  // libdw has extended the sign
                return push(op.number), true;
            default:
                return false;
        }
    }

    bool obey_arithmetic(unsigned code) {
        const auto with_sign = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
        constexpr std::uint64_t bits = 64;
        if (code == DW_OP_neg) return push(0 - pop()), true;
        if (code == DW_OP_not) return push(~pop()), true;
        if (code == DW_OP_abs) {
            const std::int64_t value = with_sign(pop());
            return push_signed(value < 0 ? -value : value), true;
        }
        constexpr unsigned two[] = {DW_OP_and,  DW_OP_div, DW_OP_minus, DW_OP_mod,  DW_OP_mul, DW_OP_or,
                                    DW_OP_plus, DW_OP_shl, DW_OP_shr,   DW_OP_shra, DW_OP_xor, DW_OP_eq,
                                    DW_OP_ge,   DW_OP_gt,  DW_OP_le,    DW_OP_lt,   DW_OP_ne};
        bool has_two = false;
        for (const unsigned one : two) has_two = has_two || one == code;
        if (!has_two) return false;
        const std::uint64_t b = pop(), a = pop();
        if ((code == DW_OP_div || code == DW_OP_mod) && b == 0) throw Unknown();
        switch (code) {
            case DW_OP_and:
                return push(a & b), true;
            case DW_OP_div:
                return push_signed(with_sign(b) == -1 ? static_cast<std::int64_t>(0 - a) : with_sign(a) / with_sign(b)), true;
            case DW_OP_minus:
                return push(a - b), true;
            case DW_OP_mod:
                return push(a % b), true;
            case DW_OP_mul:
                return push(a * b), true;
            case DW_OP_or:
                return push(a | b), true;
            case DW_OP_plus:
                return push(a + b), true;
            case DW_OP_shl:
                return push(b < bits ? a << b : 0), true;
            case DW_OP_shr:
                return push(b < bits ? a >> b : 0), true;
            case DW_OP_shra:
                return push_signed(with_sign(a) >> (b < bits ? b : bits - 1)), true;
            case DW_OP_xor:
                return push(a ^ b), true;
            case DW_OP_eq:
                return push(a == b ? 1 : 0), true;
            case DW_OP_ge:
                return push(with_sign(a) >= with_sign(b) ? 1 : 0), true;
            case DW_OP_gt:
                return push(with_sign(a) > with_sign(b) ? 1 : 0), true;
            case DW_OP_le:
                return push(with_sign(a) <= with_sign(b) ? 1 : 0), true;
            case DW_OP_lt:
                return push(with_sign(a) < with_sign(b) ? 1 : 0), true;
            default:
                return push(a != b ? 1 : 0), true;
        }
    }

    bool obey_stack(const Dwarf_Op& op) {
        const auto nth = [this](std::size_t from_top) {
            if (from_top >= stack_.size()) throw Unknown();
            return stack_[stack_.size() - 1 - from_top];
        };
        switch (op.atom) {
            case DW_OP_dup:
                return push(nth(0)), true;
            case DW_OP_drop:
                return pop(), true;
            case DW_OP_over:
                return push(nth(1)), true;
            case DW_OP_pick:
                return push(nth(op.number)), true;
            case DW_OP_swap: {
                const std::uint64_t first = pop(), second = pop();
                push(first);
                return push(second), true;
            }
            case DW_OP_rot: {
                const std::uint64_t first = pop(), second = pop(), third = pop();
                push(first);
                push(third);
                return push(second), true;
            }
            case DW_OP_deref:
                return push(from_memory(pop(), sizeof(std::uint64_t))), true;
            case DW_OP_deref_size:
                return push(from_memory(pop(), op.number)), true;
            case DW_OP_plus_uconst:
                return push(pop() + op.number), true;
            default:
                return false;
        }
    }

    bool obey_place(const Dwarf_Op& op) {
        const unsigned code = op.atom;
        if (code >= DW_OP_breg0 && code <= DW_OP_breg31) return push(from_register(code - DW_OP_breg0) + op.number), true;
        if (code >= DW_OP_reg0 && code <= DW_OP_reg31) return place(Piece::In::Register, code - DW_OP_reg0), true;
        switch (code) {
            case DW_OP_regx:
                return place(Piece::In::Register, op.number), true;
            case DW_OP_bregx:
                return push(from_register(static_cast<unsigned>(op.number)) + op.number2), true;
            case DW_OP_fbreg:
                return push(frame_base() + op.number), true;
            case DW_OP_call_frame_cfa:
                if (!in_.canonical) throw Unknown();
                return push(*in_.canonical), true;
            case DW_OP_form_tls_address:
            case DW_OP_GNU_push_tls_address:
                if (in_.thread == 0) throw Unknown();
                return push(pop() + in_.thread), true;
            case DW_OP_stack_value:
                return place(Piece::In::Value, pop()), true;
            case DW_OP_implicit_value: {
                now_ = Piece{Piece::In::Bytes, 0, {}, 0};
                const auto* const from =
                    reinterpret_cast<const std::byte*>(op.number2);  // NOLINT(performance-no-int-to-ptr): of libdw
                if (from == nullptr) throw Unknown();
                now_->bytes.assign(from, from + op.number);
                return true;
            }
            case DW_OP_piece:
                if (!now_ && stack_.empty()) now_ = Piece{};
                if (!now_) now_ = Piece{Piece::In::Memory, pop(), {}, 0};
                now_->size = op.number;
                pieces_.push_back(*now_);
                now_.reset();
                open_ = false;
                return true;
            default:
                return false;
        }
    }
    void place(Piece::In in, std::uint64_t value) {
        now_ = Piece{in, value, {}, 0};
        open_ = true;
    }

    const Dwarf_Op* ops_;
    std::size_t count_;
    const Activation& in_;
    std::vector<std::uint64_t> stack_;
    std::optional<Piece> now_;
    std::vector<Piece> pieces_;
    bool open_ = false;
};

}  // namespace

std::optional<std::vector<Piece>> evaluate(const Dwarf_Op* operations, std::size_t count, const Activation& in,
                                           std::string& why) {
    try {
        return Machine(operations, count, in).run();
    } catch (const Unknown&) {
        why = not_kept;
        return std::nullopt;
    }
}

std::optional<std::uint64_t> evaluate_number(const Dwarf_Op* operations, std::size_t count, const Activation& in) {
    std::string why;
    const auto found = evaluate(operations, count, in, why);
    if (!found || found->size() != 1) return std::nullopt;
    const Piece& piece = found->front();
    if (piece.in == Piece::In::Memory || piece.in == Piece::In::Value) return piece.value;
    return std::nullopt;
}

std::optional<std::vector<Piece>> location_of(Dwarf_Die variable, const Activation& in, std::string& why) {
    why = not_kept;
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_getlocation_addr(&attribute, in.code, &operations, &count, 1) != 1 || count == 0) return std::nullopt;
    return evaluate(operations, count, in, why);
}

}  // namespace rank_debugger
