#include "initial_values.hpp"

namespace flowback_prepare {

using namespace llvm;

namespace {

class Flattening {
public:
    Flattening(const DataLayout& layout, InitialValue& into) : layout_(layout), into_(into) {}

    void put(const Constant& value, std::uint64_t at) {
        if (value.isNullValue() || isa<UndefValue>(value)) return;
        if (const auto* number = dyn_cast<ConstantInt>(&value)) {
            put(number->getValue(), at, size_of(value));
        } else if (const auto* real = dyn_cast<ConstantFP>(&value)) {
            put(real->getValueAPF().bitcastToAPInt(), at, size_of(value));
        } else if (const auto* list = dyn_cast<ConstantDataSequential>(&value)) {
            const std::uint64_t step = list->getElementByteSize();
            for (unsigned i = 0; i < list->getNumElements(); ++i) put(*list->getElementAsConstant(i), at + i * step);
        } else if (const auto* object = dyn_cast<ConstantStruct>(&value)) {
            const StructLayout* places = layout_.getStructLayout(object->getType());
            for (unsigned i = 0; i < object->getNumOperands(); ++i)
                put(*object->getOperand(i), at + places->getElementOffset(i));
        } else if (isa<ConstantArray>(value) || isa<ConstantVector>(value)) {
            for (unsigned i = 0; i < value.getNumOperands(); ++i) {
                const auto* element = cast<Constant>(value.getOperand(i));
                put(*element, at + i * layout_.getTypeAllocSize(element->getType()).getFixedSize());
            }
        } else {
            put_address(value, at);
        }
    }

private:
    std::uint64_t size_of(const Constant& value) const { return layout_.getTypeStoreSize(value.getType()).getFixedSize(); }

    void put(const APInt& bits, std::uint64_t at, std::uint64_t bytes) {
        for (std::uint64_t i = 0; i < bytes && at + i < into_.bytes.size(); ++i) {
            const unsigned first = static_cast<unsigned>(8 * i);
            if (first >= bits.getBitWidth()) return;
            const unsigned count = std::min(8U, bits.getBitWidth() - first);
            into_.bytes[at + i] = static_cast<char>(bits.extractBits(count, first).getZExtValue());
        }
    }

    void put_address(const Constant& value, std::uint64_t at) {
        APInt offset(64, 0);
        const Value* base = &value;
        if (value.getType()->isPointerTy()) base = value.stripAndAccumulateConstantOffsets(layout_, offset, true);
        if (const auto* global = dyn_cast<GlobalValue>(base)) {
            into_.relocations.push_back({at, global->getName().str(), offset.getSExtValue()});
        } else {
            into_.known = false;
        }
    }

    const DataLayout& layout_;
    InitialValue& into_;
};

}  // namespace

InitialValue initial_value(const GlobalVariable& variable) {
    InitialValue result;
    if (!variable.hasInitializer() || variable.isThreadLocal()) {
        result.known = false;
        return result;
    }
    const Constant& value = *variable.getInitializer();
    if (value.isNullValue()) return result;
    const DataLayout& layout = variable.getParent()->getDataLayout();
    result.bytes.assign(layout.getTypeAllocSize(value.getType()).getFixedSize(), '\0');
    Flattening(layout, result).put(value, 0);
    return result;
}

}  // namespace flowback_prepare
