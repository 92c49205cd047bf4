// The tracing version: code that computes as the program does, on memory that the debugger keeps. Every access, call and branch
// goes to a function of the debugger (flowback_trace_*), which answers from the log.
#include <algorithm>

#include "versions.hpp"

namespace flowback_prepare {

using namespace llvm;

namespace {

class Tracing {
public:
    Tracing(const NumberedModule& numbered, Module& module) : numbered_(numbered), module_(module), calls_(module) {}

    void change(Function& function) {
        std::vector<Instruction*> all;
        for (Instruction& each : instructions(function)) all.push_back(&each);
        for (Instruction* each : all) replace_addresses(*each);
        for (Instruction* each : all) change(*each);
        IRBuilder<> at(&*function.getEntryBlock().begin());
        at.SetInsertPoint(after_variables(function));
        at.SetCurrentDebugLocation(DebugLoc());
        calls_.call(at, "flowback_trace_begin", calls_.nothing(), {calls_.small(numbered_.info(function).id)});
        function.setSubprogram(nullptr);
        // The debugger leaves it by an exception where the log ends.
        function.removeFnAttr(Attribute::NoUnwind);
        function.addFnAttr(Attribute::UWTable);
        for (Argument& argument : function.args()) {
            for (const auto kind : {Attribute::ByVal, Attribute::StructRet, Attribute::NonNull, Attribute::Dereferenceable})
                argument.removeAttr(kind);
        }
    }

    // flowback_run_N(words): runs the function with the arguments of its log interval.
    void add_entry(Function& function) {
        LLVMContext& context = module_.getContext();
        FunctionType* type = FunctionType::get(calls_.nothing(), {Type::getInt8PtrTy(context)}, false);
        Function* entry = Function::Create(type, GlobalValue::ExternalLinkage,
                                           "flowback_run_" + std::to_string(numbered_.info(function).id), module_);
        entry->addFnAttr(Attribute::UWTable);
        IRBuilder<> at(BasicBlock::Create(context, "entry", entry));
        std::vector<std::uint64_t> bytes;
        for (const Argument& argument : function.args()) bytes.push_back(calls_.bytes_of(argument.getType()));
        std::uint64_t size = 0;
        const std::vector<std::uint64_t> places = Calls::places(bytes, size);
        std::vector<Value*> arguments;
        for (unsigned i = 0; i < bytes.size(); ++i) {
            Value* from = at.CreateConstGEP1_64(at.getInt8Ty(), entry->getArg(0), places[i]);
            Type* its = function.getArg(i)->getType();
            arguments.push_back(at.CreateAlignedLoad(its, at.CreatePointerCast(from, its->getPointerTo()), Align(16)));
        }
        at.CreateCall(&function, arguments);
        at.CreateRetVoid();
    }

private:
    // Addresses of variables and functions are those of the run.
    void replace_addresses(Instruction& each) {
        if (isa<DbgInfoIntrinsic>(each)) return;
        auto* call = dyn_cast<CallBase>(&each);
        for (Use& use : each.operands()) {
            if (call != nullptr && call->isCallee(&use)) continue;
            auto* value = dyn_cast<GlobalValue>(use.get());
            if (value == nullptr || (isa<Function>(value) && cast<Function>(value)->isIntrinsic())) continue;
            IRBuilder<> at(&each);
            use.set(at.CreateIntToPtr(address_of(at, *value), value->getType()));
        }
    }

    Value* address_of(IRBuilder<>& at, const GlobalValue& value) {
        const auto& names = numbered_.globals();
        const auto found = std::find(names.begin(), names.end(), value.getName().str());
        const auto number =
            found == names.end() ? 0 : static_cast<std::uint64_t>(found - names.begin()) + numbered_.first().global;
        return calls_.call(at, "flowback_trace_address", calls_.word(), {calls_.small(number)});
    }

    void change(Instruction& each) {
        if (const std::uint32_t statement = statement_of(each); statement != 0) {
            IRBuilder<> at(&each);
            calls_.call(at, "flowback_trace_statement", calls_.nothing(), {calls_.small(statement)});
        }
        if (isa<DbgInfoIntrinsic>(each)) {
            each.eraseFromParent();
        } else if (auto* intrinsic = dyn_cast<IntrinsicInst>(&each)) {
            change_intrinsic(*intrinsic);
        } else if (auto* load = dyn_cast<LoadInst>(&each)) {
            change_load(*load);
        } else if (auto* store = dyn_cast<StoreInst>(&each)) {
            change_store(*store);
        } else if (auto* variable = dyn_cast<AllocaInst>(&each)) {
            change_variable(*variable);
        } else if (auto* call = dyn_cast<CallBase>(&each)) {
            change_call(*call);
        } else if (site_of(each) != 0) {
            change_end(each);
        }
    }

    void change_intrinsic(IntrinsicInst& call) {
        IRBuilder<> at(&call);
        if (auto* copy = dyn_cast<MemTransferInst>(&call)) {
            calls_.call(at, "flowback_trace_copy", calls_.nothing(),
                        {calls_.small(site_of(call)), calls_.as_word(at, copy->getRawDest()),
                         calls_.as_word(at, copy->getRawSource()), at.CreateZExt(copy->getLength(), calls_.word())});
        } else if (auto* fill = dyn_cast<MemSetInst>(&call)) {
            calls_.call(at, "flowback_trace_fill", calls_.nothing(),
                        {calls_.small(site_of(call)), calls_.as_word(at, fill->getRawDest()),
                         at.CreateZExt(fill->getValue(), calls_.number()), at.CreateZExt(fill->getLength(), calls_.word())});
        } else if (call.doesNotAccessMemory() && !call.isLifetimeStartOrEnd()) {
            return;
        }
        if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(UndefValue::get(call.getType()));
        call.eraseFromParent();
    }

    Value* room_for(Instruction& each, Type* type) { return calls_.room(*each.getFunction(), type, "flowback_value"); }

    void change_load(LoadInst& load) {
        IRBuilder<> at(&load);
        Value* room = room_for(load, load.getType());
        calls_.call(at, "flowback_trace_load", calls_.nothing(),
                    {calls_.small(site_of(load)), calls_.as_word(at, load.getPointerOperand()),
                     calls_.constant(calls_.bytes_of(load.getType())), at.CreatePointerCast(room, at.getInt8PtrTy())});
        load.replaceAllUsesWith(at.CreateLoad(load.getType(), room));
        load.eraseFromParent();
    }

    void change_store(StoreInst& store) {
        IRBuilder<> at(&store);
        Value* room = room_for(store, store.getValueOperand()->getType());
        at.CreateStore(store.getValueOperand(), room);
        calls_.call(at, "flowback_trace_store", calls_.nothing(),
                    {calls_.small(site_of(store)), calls_.as_word(at, store.getPointerOperand()),
                     calls_.constant(calls_.bytes_of(store.getValueOperand()->getType())),
                     at.CreatePointerCast(room, at.getInt8PtrTy())});
        store.eraseFromParent();
    }

    void change_variable(AllocaInst& variable) {
        const bool local = local_.at(&variable);
        IRBuilder<> at(variable.isStaticAlloca() ? frames_ : variable.getNextNode());
        Value* bytes = at.CreateMul(at.CreateZExt(variable.getArraySize(), calls_.word()),
                                    calls_.constant(calls_.bytes_of(variable.getAllocatedType())));
        Value* address = calls_.call(at, "flowback_trace_variable", calls_.word(),
                                     {calls_.small(site_of(variable)), bytes, calls_.small(local ? 1 : 0)});
        variable.replaceAllUsesWith(at.CreateIntToPtr(address, variable.getType()));
        variable.eraseFromParent();
    }

    // A leaf is run; of all other calls the log has the result.
    void change_call(CallBase& call) {
        IRBuilder<> at(&call);
        if (is_inherited_call(call, numbered_)) {
            calls_.call(at, "flowback_trace_inherited", calls_.nothing(), {calls_.small(site_of(call))});
            return;
        }
        AllocaInst* words = nullptr;
        std::uint64_t size = 0;
        put_arguments(at, call, words, size);
        const std::uint64_t bytes = calls_.bytes_of(call.getType());
        Value* room = bytes == 0 ? calls_.room_for(*call.getFunction(), 1, "flowback_value") : room_for(call, call.getType());
        Value* code = callee_of(call) == nullptr ? calls_.as_word(at, call.getCalledOperand()) : calls_.constant(0);
        calls_.call(at, "flowback_trace_call", calls_.nothing(),
                    {calls_.small(site_of(call)), code, at.CreatePointerCast(words, at.getInt8PtrTy()), calls_.constant(size),
                     at.CreatePointerCast(room, at.getInt8PtrTy()), calls_.constant(bytes)});
        if (bytes != 0) call.replaceAllUsesWith(at.CreateLoad(call.getType(), room));
        call.eraseFromParent();
    }

    void put_arguments(IRBuilder<>& at, CallBase& call, AllocaInst*& words, std::uint64_t& size) {
        std::vector<std::uint64_t> bytes;
        for (const Use& argument : call.args()) bytes.push_back(calls_.bytes_of(argument->getType()));
        const std::vector<std::uint64_t> places = Calls::places(bytes, size);
        words = calls_.room_for(*call.getFunction(), size, "flowback_words");
        if (size > 0) at.CreateMemSet(words, at.getInt8(0), size, MaybeAlign(16));
        for (unsigned i = 0; i < bytes.size(); ++i) {
            Value* argument = call.getArgOperand(i);
            Value* to = at.CreateConstGEP1_64(at.getInt8Ty(), at.CreatePointerCast(words, at.getInt8PtrTy()), places[i]);
            at.CreateAlignedStore(argument, at.CreatePointerCast(to, argument->getType()->getPointerTo()), Align(16));
        }
    }

    void change_end(Instruction& each) {
        IRBuilder<> at(&each);
        if (auto* end = dyn_cast<ReturnInst>(&each)) {
            Value* value = end->getReturnValue();
            Value* room = ConstantPointerNull::get(at.getInt8PtrTy());
            std::uint64_t bytes = 0;
            if (value != nullptr) {
                Value* its = room_for(each, value->getType());
                at.CreateStore(value, its);
                room = at.CreatePointerCast(its, at.getInt8PtrTy());
                bytes = calls_.bytes_of(value->getType());
            }
            calls_.call(at, "flowback_trace_return", calls_.nothing(),
                        {calls_.small(site_of(each)), room, calls_.constant(bytes)});
            return;
        }
        Value* decided = isa<BranchInst>(each) ? at.CreateZExt(cast<BranchInst>(each).getCondition(), calls_.word())
                                               : calls_.as_word(at, cast<SwitchInst>(each).getCondition());
        calls_.call(at, "flowback_trace_branch", calls_.nothing(), {calls_.small(site_of(each)), decided});
    }

public:
    void look_at(Function& function) {
        local_ = local_variables(function);
        frames_ = after_variables(function);
        while (isa<DbgInfoIntrinsic>(frames_)) frames_ = frames_->getNextNode();
    }

private:
    const NumberedModule& numbered_;
    Module& module_;
    Calls calls_;
    std::map<const AllocaInst*, bool> local_;
    Instruction* frames_ = nullptr;
};

// The tracing version runs prepared functions alone: no constructors, no variables of its own.
void drop_the_rest(Module& module, const std::vector<Function*>& others) {
    for (Function* function : others) {
        function->deleteBody();
        function->setComdat(nullptr);
    }
    std::vector<GlobalValue*> dropped;
    for (GlobalAlias& alias : module.aliases()) {
        alias.replaceAllUsesWith(UndefValue::get(alias.getType()));
        dropped.push_back(&alias);
    }
    for (GlobalVariable& variable : module.globals()) {
        variable.setComdat(nullptr);
        if (variable.getName().startswith("llvm.")) {
            dropped.push_back(&variable);
        } else if (!variable.isDeclaration()) {
            variable.setLinkage(GlobalValue::InternalLinkage);
        }
    }
    for (GlobalValue* each : dropped) each->eraseFromParent();
    for (Function& function : module) function.setComdat(nullptr);
}

}  // namespace

std::unique_ptr<Module> tracing_version(const NumberedModule& numbered) {
    std::unique_ptr<Module> module = CloneModule(numbered.module());
    Tracing tracing(numbered, *module);
    std::vector<Function*> prepared, others;
    for (Function& function : *module) {
        if (!function.isDeclaration()) (is_prepared(numbered, function) ? prepared : others).push_back(&function);
    }
    for (Function* function : prepared) {
        tracing.look_at(*function);
        tracing.change(*function);
    }
    for (Function* function : prepared) {
        if (numbered.info(*function).kind == FunctionKind::EBlock) tracing.add_entry(*function);
        function->setLinkage(GlobalValue::InternalLinkage);
        function->setName("traced_" + function->getName());
    }
    drop_the_rest(*module, others);
    StripDebugInfo(*module);
    return module;
}

}  // namespace flowback_prepare
