#include "bit_fields.hpp"

namespace flowback_prepare {

using namespace llvm;

bool keeps_bit_field(const LoadInst& load) {
    return !load.use_empty() && all_of(load.users(), [&](const User* mask) {
        const auto* cleared = dyn_cast<BinaryOperator>(mask);
        if (cleared == nullptr || cleared->getOpcode() != Instruction::And || !isa<ConstantInt>(cleared->getOperand(1)))
            return false;
        return all_of(cleared->users(), [&](const User* joined) {
            const auto* both = dyn_cast<BinaryOperator>(joined);
            if (both == nullptr || both->getOpcode() != Instruction::Or) return false;
            return all_of(both->users(), [&](const User* user) {
                const auto* store = dyn_cast<StoreInst>(user);
                return store != nullptr && store->getPointerOperand() == load.getPointerOperand();
            });
        });
    });
}

namespace {

std::uint64_t constant_of(const Value* value) {
    const auto* number = dyn_cast<ConstantInt>(value);
    return number == nullptr || number->getBitWidth() > 64 ? 0 : number->getZExtValue();
}

// clang reads a field by a shift left and one right where it has a sign, else by a shift right and a mask.
std::uint64_t bits_read(const BinaryOperator& first, unsigned width, std::uint64_t all) {
    if (!isa<ConstantInt>(first.getOperand(1))) return all;
    const std::uint64_t number = constant_of(first.getOperand(1));
    if (first.getOpcode() == Instruction::And) return number;
    const auto* second = first.hasOneUse() ? dyn_cast<BinaryOperator>(*first.user_begin()) : nullptr;
    const std::uint64_t next = second == nullptr ? 0 : constant_of(second->getOperand(1));
    if (number >= width) return all;
    if (first.getOpcode() == Instruction::Shl && second != nullptr && second->getOpcode() == Instruction::AShr && next < width)
        return (all >> next << next & all) >> number;
    if (first.getOpcode() != Instruction::LShr && first.getOpcode() != Instruction::AShr) return all;
    const bool masked = second != nullptr && second->getOpcode() == Instruction::And && isa<ConstantInt>(second->getOperand(1));
    return masked ? next << number & all : all >> number << number;
}

}  // namespace

std::uint64_t bits_of(const LoadInst& load) {
    const unsigned width = load.getType()->isIntegerTy() ? load.getType()->getIntegerBitWidth() : 64;
    const std::uint64_t all = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    if (!load.getType()->isIntegerTy() || width > 64 || load.use_empty()) return all;
    std::uint64_t bits = 0;
    const bool keeps = keeps_bit_field(load);
    for (const User* user : load.users()) {
        const auto* first = dyn_cast<BinaryOperator>(user);
        if (first == nullptr || first->getOperand(0) != &load) return all;
        bits |= keeps ? ~constant_of(first->getOperand(1)) & all : bits_read(*first, width, all);
    }
    return bits;
}

}  // namespace flowback_prepare
