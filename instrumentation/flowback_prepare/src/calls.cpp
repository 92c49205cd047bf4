#include "versions.hpp"

namespace flowback_prepare {

using namespace llvm;

CallInst* Calls::call(IRBuilder<>& at, const char* name, Type* result, ArrayRef<Value*> arguments) {
    std::vector<Type*> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    return at.CreateCall(module_.getOrInsertFunction(name, FunctionType::get(result, types, false)), arguments);
}

Value* Calls::as_word(IRBuilder<>& at, Value* value) const {
    Type* type = value->getType();
    if (type->isPointerTy()) return at.CreatePtrToInt(value, word());
    if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) return at.CreateSExt(value, word());
    if (type->isDoubleTy()) return at.CreateBitCast(value, word());
    if (type->isFloatTy()) return at.CreateZExt(at.CreateBitCast(value, number()), word());
    return constant(0);
}

std::uint64_t Calls::bytes_of(Type* type) const {
    return type->isVoidTy() ? 0 : module_.getDataLayout().getTypeStoreSize(type).getFixedSize();
}

AllocaInst* Calls::room(Function& function, Type* type, const char* name) const {
    IRBuilder<> at(&*function.getEntryBlock().begin());
    AllocaInst* made = at.CreateAlloca(type, nullptr, name);
    made->setAlignment(Align(16));
    return made;
}

AllocaInst* Calls::room_for(Function& function, std::uint64_t bytes, const char* name) const {
    return room(function, ArrayType::get(Type::getInt8Ty(module_.getContext()), std::max<std::uint64_t>(bytes, 1)), name);
}

std::vector<std::uint64_t> Calls::places(const std::vector<std::uint64_t>& bytes, std::uint64_t& all) {
    std::vector<std::uint64_t> result;
    all = 0;
    for (const std::uint64_t each : bytes) {
        result.push_back(all);
        all += (each + 15) / 16 * 16;
    }
    return result;
}

std::map<const AllocaInst*, bool> local_variables(const Function& function) {
    std::map<const AllocaInst*, bool> result;
    for (const Instruction& each : instructions(function)) {
        if (const auto* variable = dyn_cast<AllocaInst>(&each)) result[variable] = is_local(*variable);
    }
    return result;
}

Instruction* after_variables(Function& function) {
    for (Instruction& each : function.getEntryBlock()) {
        if (!isa<AllocaInst>(each)) return &each;
    }
    return function.getEntryBlock().getTerminator();
}

bool is_prepared(const NumberedModule& numbered, const Function& function) {
    return numbered.is_defined(function) && numbered.info(function).kind != FunctionKind::Outside;
}

}  // namespace flowback_prepare
