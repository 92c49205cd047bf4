// The logging version: the program, with a call behind everything that the tracing version cannot make again by itself. Three
// things are logged. The first read of a place since its interval knew it last is the dynamic USED of PPD. Results of calls
// that are not prepared are the second. The places that the interval wrote are the dynamic DEFINED.
#include <algorithm>

#include "quiet_accesses.hpp"
#include "versions.hpp"

namespace flowback_prepare {

using namespace llvm;

namespace {

class Logging {
public:
    Logging(const NumberedModule& numbered, Module& module, unsigned source)
        : numbered_(numbered), module_(module), calls_(module) {
        make_addresses(source);
    }

    void change(Function& function) {
        const FunctionInfo& info = numbered_.info(function);
        std::vector<Instruction*> sites;
        for (Instruction& each : instructions(function)) {
            if (site_of(each) != 0) sites.push_back(&each);
        }
        depth_ = nullptr;
        if (info.kind == FunctionKind::EBlock) enter(function, info.id);
        for (Instruction* each : sites) change(*each);
        if (info.kind != FunctionKind::EBlock) return;
        for (BasicBlock& block : function) {
            if (auto* end = dyn_cast<ReturnInst>(block.getTerminator())) leave(*end);
        }
    }

private:
    // The addresses of all that the numbers of NumberedModule::globals() mean.
    void make_addresses(unsigned source) {
        Type* pointer = Type::getInt8PtrTy(module_.getContext());
        std::vector<Constant*> all;
        for (const std::string& name : numbered_.globals()) {
            GlobalValue* value = module_.getNamedValue(name);
            const auto* variable = dyn_cast_or_null<GlobalVariable>(value);
            const bool named = value != nullptr && (variable == nullptr || !variable->isThreadLocal());
            all.push_back(named ? ConstantExpr::getPointerCast(value, pointer)
                                : ConstantPointerNull::get(cast<PointerType>(pointer)));
        }
        Type* number = Type::getInt64Ty(module_.getContext());
        ArrayType* list = ArrayType::get(pointer, all.size());
        StructType* type = StructType::get(module_.getContext(), {number, number, list});
        Constant* value = ConstantStruct::get(
            type, {ConstantInt::get(number, source), ConstantInt::get(number, all.size()), ConstantArray::get(list, all)});
        addresses_ = new GlobalVariable(module_, type, true, GlobalValue::InternalLinkage, value, "flowback_addresses");
    }

    void enter(Function& function, std::uint32_t id) {
        std::vector<std::uint64_t> bytes;
        for (const Argument& argument : function.args()) bytes.push_back(calls_.bytes_of(argument.getType()));
        std::uint64_t all = 0;
        const std::vector<std::uint64_t> places = Calls::places(bytes, all);
        AllocaInst* words = calls_.room_for(function, all, "flowback_words");
        IRBuilder<> at(after_variables(function));
        at.SetCurrentDebugLocation(place_of(function));
        if (all > 0) at.CreateMemSet(words, at.getInt8(0), all, MaybeAlign(16));
        for (unsigned i = 0; i < bytes.size(); ++i) {
            Argument* argument = function.getArg(i);
            Value* to = at.CreateConstGEP1_64(at.getInt8Ty(), at.CreatePointerCast(words, at.getInt8PtrTy()), places[i]);
            at.CreateAlignedStore(argument, at.CreatePointerCast(to, argument->getType()->getPointerTo()), Align(16));
        }
        depth_ = calls_.call(at, "flowback_log_enter", calls_.number(),
                             {calls_.small(id), at.CreatePointerCast(addresses_, at.getInt8PtrTy()),
                              at.CreatePointerCast(words, at.getInt8PtrTy()), calls_.constant(all)});
    }

    void leave(ReturnInst& end) {
        IRBuilder<> at(&end);
        Value* value = end.getReturnValue();
        Value* room = nullptr;
        std::uint64_t bytes = 0;
        put(at, *end.getFunction(), value, room, bytes);
        calls_.call(at, "flowback_log_leave", calls_.nothing(), {depth_, room, calls_.constant(bytes)});
    }

    // A value into a room of its own, for a call that takes its address.
    void put(IRBuilder<>& at, Function& function, Value* value, Value*& room, std::uint64_t& bytes) {
        if (value == nullptr || value->getType()->isVoidTy()) {
            room = ConstantPointerNull::get(at.getInt8PtrTy());
            return;
        }
        AllocaInst* its = calls_.room(function, value->getType(), "flowback_value");
        at.CreateStore(value, its);
        room = at.CreatePointerCast(its, at.getInt8PtrTy());
        bytes = calls_.bytes_of(value->getType());
    }

    static DebugLoc place_of(Function& function) {
        DISubprogram* its = function.getSubprogram();
        return DILocation::get(function.getContext(), its->getLine(), 0, its);
    }

    void touched(Instruction& behind, const char* what, Value* pointer, Value* bytes) {
        IRBuilder<> at(behind.getNextNode());
        at.SetCurrentDebugLocation(behind.getDebugLoc());
        calls_.call(at, what, calls_.nothing(),
                    {at.CreatePtrToInt(pointer, calls_.word()), at.CreateZExt(bytes, calls_.word())});
    }

    void change(Instruction& each) {
        if (quiet_.count(site_of(each)) != 0) return;
        if (auto* load = dyn_cast<LoadInst>(&each)) {
            if (!leaves_local(load->getPointerOperand())) return;
            load->setVolatile(true);  // one that nobody needs must happen, too: the recorder reads the place behind it
            touched(each, "flowback_log_read", load->getPointerOperand(), calls_.constant(calls_.bytes_of(load->getType())));
        } else if (auto* store = dyn_cast<StoreInst>(&each)) {
            if (leaves_local(store->getPointerOperand()))
                touched(each, "flowback_log_wrote", store->getPointerOperand(),
                        calls_.constant(calls_.bytes_of(store->getValueOperand()->getType())));
        } else if (auto* memory = dyn_cast<MemIntrinsic>(&each)) {
            change_memory(*memory);
        } else if (auto* variable = dyn_cast<AllocaInst>(&each)) {
            if (!local_.at(variable)) begin_variable(*variable);
        } else if (is_real_call(each) && !is_inherited_call(each, numbered_)) {
            change_call(cast<CallBase>(each));
        }
    }

    void change_memory(MemIntrinsic& memory) {
        if (auto* copy = dyn_cast<MemTransferInst>(&memory)) {
            if (leaves_local(copy->getRawSource())) {
                IRBuilder<> at(&memory);
                calls_.call(
                    at, "flowback_log_read", calls_.nothing(),
                    {at.CreatePtrToInt(copy->getRawSource(), calls_.word()), at.CreateZExt(copy->getLength(), calls_.word())});
            }
        }
        if (leaves_local(memory.getRawDest())) touched(memory, "flowback_log_wrote", memory.getRawDest(), memory.getLength());
    }

    void begin_variable(AllocaInst& variable) {
        Instruction* place = variable.isStaticAlloca() ? frames_ : variable.getNextNode();
        IRBuilder<> at(place);
        if (variable.isStaticAlloca()) at.SetCurrentDebugLocation(place_of(*variable.getFunction()));
        Value* bytes = at.CreateMul(at.CreateZExt(variable.getArraySize(), calls_.word()),
                                    calls_.constant(calls_.bytes_of(variable.getAllocatedType())));
        calls_.call(at, "flowback_log_variable", calls_.nothing(), {at.CreatePtrToInt(&variable, calls_.word()), bytes});
    }

    void change_call(CallBase& call) {
        const Effect effect = effect_of_call(call, numbered_);
        if (effect == Effect::Sends && call.arg_size() >= 2) {
            IRBuilder<> before(&call);
            calls_.call(before, "flowback_log_read", calls_.nothing(),
                        {calls_.as_word(before, call.getArgOperand(0)), size_word(before, call.getArgOperand(1))});
        }
        if (call.getNextNode() == nullptr) return;
        IRBuilder<> at(call.getNextNode());
        at.SetCurrentDebugLocation(call.getDebugLoc());
        if (effect == Effect::Told) add_outputs(at, call);
        Value* room = nullptr;
        std::uint64_t bytes = 0;
        put(at, *call.getFunction(), call.getType()->isVoidTy() ? nullptr : &call, room, bytes);
        std::vector<Value*> arguments = {calls_.small(site_of(call)), depth_ == nullptr ? calls_.small(0) : depth_,
                                         calls_.small(static_cast<int>(effect)), room, calls_.constant(bytes)};
        for (unsigned i = 0; i < 2; ++i)
            arguments.push_back(i < call.arg_size() ? size_word(at, call.getArgOperand(i)) : calls_.constant(0));
        calls_.call(at, "flowback_log_call", calls_.nothing(), arguments);
    }

    // Memory that the call has written through its pointers.
    void add_outputs(IRBuilder<>& at, CallBase& call) {
        for (const flowback_log::Access& each : flowback_log::outputs_of(callee_of(call)->getName().str())) {
            const auto argument = [&](int number) {
                return number >= 0 && static_cast<unsigned>(number) < call.arg_size()
                           ? calls_.as_word(at, call.getArgOperand(static_cast<unsigned>(number)))
                           : calls_.constant(0);
            };
            Value* bytes = calls_.constant(static_cast<std::uint64_t>(each.bytes));
            if (each.times >= 0) bytes = at.CreateMul(bytes, argument(each.times));
            Value* address = argument(each.argument);
            if (each.condition >= 0) {
                Value* flag = at.CreateLoad(calls_.number(),
                                            at.CreateIntToPtr(argument(each.condition), calls_.number()->getPointerTo()));
                address = at.CreateSelect(at.CreateICmpNE(flag, calls_.small(0)), address, calls_.constant(0));
            }
            // A text has no length, and a list of none is nothing.
            if (each.times >= 0)
                address = at.CreateSelect(at.CreateICmpSGT(bytes, calls_.constant(0)), address, calls_.constant(0));
            calls_.call(at, "flowback_log_output", calls_.nothing(), {address, bytes});
        }
    }

    // Sizes are unsigned.
    Value* size_word(IRBuilder<>& at, Value* value) {
        if (value->getType()->isIntegerTy() && value->getType()->getIntegerBitWidth() < 64)
            return at.CreateZExt(value, calls_.word());
        return calls_.as_word(at, value);
    }

    // As it was before calls were inserted, which take addresses.
    bool leaves_local(const Value* pointer) const {
        const AllocaInst* variable = local_variable(pointer);
        return variable == nullptr || local_.find(variable) == local_.end() || !local_.at(variable);
    }

public:
    void look_at(Function& function) {
        quiet_ = quiet_accesses(*numbered_.module().getFunction(function.getName()), numbered_);
        local_ = local_variables(function);
        frames_ = after_variables(function);
    }

private:
    const NumberedModule& numbered_;
    Module& module_;
    Calls calls_;
    GlobalVariable* addresses_ = nullptr;
    Value* depth_ = nullptr;         // of the log interval of the function under way
    Instruction* frames_ = nullptr;  // where its variables begin
    std::map<const AllocaInst*, bool> local_;
    std::set<std::uint32_t> quiet_;  // sites that log nothing
};

}  // namespace

std::unique_ptr<Module> logging_version(const NumberedModule& numbered, unsigned source) {
    std::unique_ptr<Module> module = CloneModule(numbered.module());
    Logging logging(numbered, *module, source);
    for (Function& function : *module) {
        if (function.isDeclaration() || !is_prepared(numbered, function)) continue;
        logging.look_at(function);
        logging.change(function);
    }
    return module;
}

}  // namespace flowback_prepare
