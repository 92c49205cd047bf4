#include "numbered_module.hpp"

#include <set>

namespace flowback_prepare {

using namespace llvm;

namespace {

constexpr const char* site_mark = "flowback.site";
constexpr const char* statement_mark = "flowback.statement";

std::uint32_t marked(const Instruction& instruction, const char* mark) {
    const MDNode* node = instruction.getMetadata(mark);
    if (node == nullptr) return 0;
    return static_cast<std::uint32_t>(mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue());
}

void mark(Instruction& instruction, const char* mark, std::uint32_t number) {
    LLVMContext& context = instruction.getContext();
    instruction.setMetadata(mark,
                            MDNode::get(context, ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), number))));
}

// Intrinsics that both versions know.
bool known_intrinsic(const IntrinsicInst& call) {
    if (isa<DbgInfoIntrinsic>(call) || call.isLifetimeStartOrEnd()) return true;
    if (isa<MemCpyInst>(call) || isa<MemMoveInst>(call) || isa<MemSetInst>(call)) return !isa<AtomicMemIntrinsic>(call);
    if (call.getIntrinsicID() == Intrinsic::stacksave || call.getIntrinsicID() == Intrinsic::stackrestore) return true;
    return call.doesNotAccessMemory();
}

bool names_thread_variable(const Value& value) {
    if (const auto* variable = dyn_cast<GlobalVariable>(&value)) return variable->isThreadLocal();
    const auto* constant = dyn_cast<ConstantExpr>(&value);
    return constant != nullptr &&
           any_of(constant->operands(), [](const Use& use) { return names_thread_variable(*use.get()); });
}

// Why a function cannot be prepared; empty: it can.
std::string obstacle(const Function& function) {
    if (function.isVarArg()) return "it takes a variable number of arguments";
    if (function.getSubprogram() == nullptr) return "the compiler made it, and no source line stands for it";
    for (const Argument& argument : function.args()) {
        if (argument.hasInAllocaAttr()) return "its arguments are passed in an unusual way";
    }
    for (const Instruction& each : instructions(function)) {
        if (isa<InvokeInst>(each) || isa<LandingPadInst>(each)) return "it cleans up or catches when an exception passes";
        if (isa<IndirectBrInst>(each) || isa<CallBrInst>(each)) return "it jumps to a computed place";
        if (isa<VAArgInst>(each)) return "it takes a variable number of arguments";
        if (each.isAtomic()) return "it uses atomic operations";
        if (any_of(each.operands(), [](const Use& use) { return names_thread_variable(*use.get()); }))
            return "it uses a variable of its thread";
        const auto* call = dyn_cast<CallBase>(&each);
        if (call == nullptr) continue;
        if (call->isInlineAsm()) return "it holds assembler code";
        if (call->hasFnAttr(Attribute::ReturnsTwice)) return "it calls setjmp()";
        const auto* intrinsic = dyn_cast<IntrinsicInst>(call);
        if (intrinsic != nullptr && !known_intrinsic(*intrinsic))
            return "it uses " + intrinsic->getCalledFunction()->getName().str();
    }
    return {};
}

// Only those whose address nobody takes, and that nobody outside can call, are ever inherited.
bool may_be_inherited(const Function& function) {
    // An inline function has the same body everywhere, so each source may have a copy of its own.
    if ((!function.hasLocalLinkage() && !function.hasLinkOnceLinkage()) || function.hasAddressTaken()) return false;
    for (const Argument& argument : function.args()) {
        if (argument.hasByValAttr()) return false;
    }
    return true;
}

}  // namespace

std::uint32_t site_of(const Instruction& instruction) {
    return marked(instruction, site_mark);
}
std::uint32_t statement_of(const Instruction& instruction) {
    return marked(instruction, statement_mark);
}

SiteKind kind_of(const Instruction& instruction) {
    if (isa<LoadInst>(instruction)) return SiteKind::Load;
    if (isa<StoreInst>(instruction)) return SiteKind::Store;
    if (isa<MemSetInst>(instruction)) return SiteKind::Fill;
    if (isa<MemTransferInst>(instruction)) return SiteKind::Copy;
    if (isa<ReturnInst>(instruction)) return SiteKind::Return;
    if (isa<AllocaInst>(instruction)) return SiteKind::Variable;
    if (isa<CallBase>(instruction)) return SiteKind::Call;
    return SiteKind::Branch;
}

namespace {

// A format that is not in the text, or has %n.
bool may_write_count(const CallBase& call, unsigned format) {
    StringRef text;
    if (format >= call.arg_size() || !getConstantStringInfo(call.getArgOperand(format), text)) return true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') continue;
        const std::size_t end = text.find_first_not_of("-+ #0123456789.*'hlqjztL", i + 1);
        if (end == StringRef::npos) return false;
        if (text[end] == 'n') return true;
        i = end;
    }
    return false;
}

}  // namespace

Function* callee_of(const CallBase& call) {
    return dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
}

bool is_real_call(const Instruction& instruction) {
    return isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction);
}

bool is_inherited_call(const Instruction& instruction, const NumberedModule& of) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr || isa<IntrinsicInst>(call)) return false;
    const Function* callee = call->getCalledFunction();
    return callee != nullptr && of.is_defined(*callee) && of.info(*callee).kind == FunctionKind::Inherited;
}

Effect effect_of_call(const CallBase& call, const NumberedModule& of) {
    const Function* callee = callee_of(call);
    if (callee == nullptr) return Effect::Unknown;
    if (of.is_defined(*callee)) return of.info(*callee).kind == FunctionKind::EBlock ? Effect::Prepared : Effect::Unknown;
    if (of.is_prepared_elsewhere(*callee)) return Effect::Prepared;
    const std::string name = callee->getName().str();
    if (const int format = format_argument(name); format >= 0 && may_write_count(call, static_cast<unsigned>(format)))
        return Effect::Unknown;
    return effect_of(name);
}

std::vector<std::string> prepared_names(const Module& module) {
    std::vector<std::string> names;
    for (const Function& function : module) {
        const bool others_call = !function.hasLocalLinkage() && !function.hasLinkOnceLinkage();
        if (function.isDeclaration() || !others_call) continue;
        // No other source calls main(), and `magicwire prepare` asks for it.
        if (function.getName() == "main" || obstacle(function).empty()) names.push_back(function.getName().str());
    }
    return names;
}

const AllocaInst* local_variable(const Value* pointer) {
    while (true) {
        if (const auto* variable = dyn_cast<AllocaInst>(pointer)) return variable;
        if (const auto* step = dyn_cast<GEPOperator>(pointer)) {
            if (!step->hasAllConstantIndices()) return nullptr;
            pointer = step->getPointerOperand();
        } else if (const auto* cast = dyn_cast<BitCastOperator>(pointer)) {
            pointer = cast->getOperand(0);
        } else {
            return nullptr;
        }
    }
}

namespace {

// Constant steps must stay inside, or the place belongs to somebody else.
bool stays_inside(std::int64_t offset, std::uint64_t bytes, std::uint64_t room) {
    return offset >= 0 && static_cast<std::uint64_t>(offset) + bytes <= room;
}

bool uses_are_local(const Value& value, std::int64_t offset, std::uint64_t room, const DataLayout& layout) {
    for (const Use& use : value.uses()) {
        const auto* user = cast<Instruction>(use.getUser());
        if (const auto* load = dyn_cast<LoadInst>(user)) {
            if (!stays_inside(offset, layout.getTypeStoreSize(load->getType()), room)) return false;
        } else if (const auto* store = dyn_cast<StoreInst>(user)) {
            if (use.getOperandNo() != StoreInst::getPointerOperandIndex()) return false;
            if (!stays_inside(offset, layout.getTypeStoreSize(store->getValueOperand()->getType()), room)) return false;
        } else if (const auto* memory = dyn_cast<MemIntrinsic>(user)) {
            const auto* bytes = dyn_cast<ConstantInt>(memory->getLength());
            if (bytes == nullptr || !stays_inside(offset, bytes->getZExtValue(), room)) return false;
        } else if (const auto* intrinsic = dyn_cast<IntrinsicInst>(user)) {
            if (!isa<DbgInfoIntrinsic>(intrinsic) && !intrinsic->isLifetimeStartOrEnd()) return false;
        } else if (const auto* step = dyn_cast<GetElementPtrInst>(user)) {
            APInt more(64, 0);
            if (!step->accumulateConstantOffset(layout, more)) return false;
            if (!uses_are_local(*step, offset + more.getSExtValue(), room, layout)) return false;
        } else if (isa<BitCastInst>(user)) {
            if (!uses_are_local(*user, offset, room, layout)) return false;
        } else {
            return false;
        }
    }
    return true;
}

}  // namespace

bool is_local(const AllocaInst& variable) {
    if (!variable.isStaticAlloca()) return false;
    const DataLayout& layout = variable.getModule()->getDataLayout();
    const auto room = variable.getAllocationSizeInBits(layout);
    return room && uses_are_local(variable, 0, room->getFixedSize() / 8, layout);
}

NumberedModule::NumberedModule(std::unique_ptr<Module> module, Policy policy, FirstNumbers first,
                               std::set<std::string> elsewhere)
    : module_(std::move(module)), first_(first), elsewhere_(std::move(elsewhere)) {
    classify(policy);
    number();
}

// Values that several ways give become variables, so that one execution shows the way that was taken.
void NumberedModule::normalise(Function& function) {
    std::vector<PHINode*> joined;
    for (Instruction& each : instructions(function)) {
        if (auto* phi = dyn_cast<PHINode>(&each)) joined.push_back(phi);
    }
    for (PHINode* phi : joined) DemotePHIToStack(phi, &*function.getEntryBlock().begin());
    // Addresses inside constants become instructions, so that each is replaced alone.
    std::vector<Instruction*> all;
    for (Instruction& each : instructions(function)) all.push_back(&each);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (isa<PHINode>(all[i]) || isa<DbgInfoIntrinsic>(all[i])) continue;
        std::vector<ConstantExpr*> inside;
        for (const Use& use : all[i]->operands()) {
            if (auto* constant = dyn_cast<ConstantExpr>(use.get())) inside.push_back(constant);
        }
        for (ConstantExpr* constant : inside) {
            SmallPtrSet<Instruction*, 4> made;
            convertConstantExprsToInstructions(all[i], constant, &made);
            for (Instruction* each : made) {
                each->setDebugLoc(all[i]->getDebugLoc());
                all.push_back(each);
            }
        }
    }
}

// Both versions call the recorder or the debugger in each function. An attribute that says it touches no memory would let the
// compiler drop or move such calls, and otherwise in each version.
void NumberedModule::forget_purity(Function& function) {
    constexpr Attribute::AttrKind promises[] = {Attribute::ReadNone,
                                                Attribute::ReadOnly,
                                                Attribute::WriteOnly,
                                                Attribute::ArgMemOnly,
                                                Attribute::InaccessibleMemOnly,
                                                Attribute::InaccessibleMemOrArgMemOnly,
                                                Attribute::Speculatable,
                                                Attribute::NoSync,
                                                Attribute::WillReturn};
    for (const Attribute::AttrKind promise : promises) {
        function.removeFnAttr(promise);
        for (User* user : function.users()) {
            if (auto* call = dyn_cast<CallBase>(user)) call->removeFnAttr(promise);
        }
    }
}

void NumberedModule::classify(Policy policy) {
    std::uint32_t next = first_.function;
    std::vector<Function*> good;
    for (Function& function : *module_) {
        if (function.isDeclaration()) continue;
        FunctionInfo& its = functions_[function.getName().str()];
        its.id = next++;
        its.why_outside = obstacle(function);
        if (its.why_outside.empty()) good.push_back(&function);
    }
    for (Function* function : good) forget_purity(*function);
    for (Function* function : good) {
        normalise(*function);
        functions_[function->getName().str()].kind = FunctionKind::EBlock;
    }
    if (policy == Policy::All) return;
    for (bool changed = true; changed;) {
        changed = false;
        for (Function* function : good) {
            FunctionInfo& its = functions_[function->getName().str()];
            if (its.kind == FunctionKind::Inherited || !is_small(*function, policy)) continue;
            its.kind = FunctionKind::Inherited;
            function->setLinkage(GlobalValue::InternalLinkage);
            function->setComdat(nullptr);
            changed = true;
        }
    }
}

Policy policy_of(const std::string& name) {
    if (name == "all") return Policy::All;
    if (name == "leaves") return Policy::Leaves;
    return name == "roots" ? Policy::Roots : Policy::Auto;
}

// Its callers can log for it.
bool NumberedModule::is_small(const Function& function, Policy policy) const {
    if (!may_be_inherited(function)) return false;
    // Code that is not prepared would run it without a log of its own.
    for (const User* user : function.users()) {
        const auto* call = dyn_cast<Instruction>(user);
        if (call == nullptr || info(*call->getFunction()).kind == FunctionKind::Outside) return false;
    }
    if (policy == Policy::Roots) return true;
    bool calls_inherited = false, calls_itself = false;
    for (const Instruction& each : instructions(function)) {
        if (!is_real_call(each)) continue;
        const Function* callee = callee_of(cast<CallBase>(each));
        if (callee == nullptr) return false;
        if (callee == &function && policy == Policy::Auto) {
            calls_itself = true;
            continue;
        }
        const bool inherited = is_inherited_call(each, *this);
        calls_inherited = calls_inherited || inherited;
        if (!inherited && (is_defined(*callee) || effect_of(callee->getName().str()) != Effect::None)) return false;
    }
    // Recursion would log an interval for each of its steps.
    if (!calls_inherited || calls_itself) return true;
    SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 4> loops;
    FindFunctionBackedges(function, loops);
    return policy == Policy::Auto && loops.empty();
}

namespace {

// Lines with code that does more than go elsewhere.
std::set<unsigned> computing_lines(const Function& function) {
    std::set<unsigned> lines;
    for (const Instruction& each : instructions(function)) {
        const auto* jump = dyn_cast<BranchInst>(&each);
        const bool goes = jump != nullptr && jump->isUnconditional();
        if (!goes && !isa<DbgInfoIntrinsic>(each) && each.getDebugLoc()) lines.insert(each.getDebugLoc().getLine());
    }
    return lines;
}

}  // namespace

void NumberedModule::number() {
    std::uint32_t next = first_.site;
    for (Function& function : *module_) {
        if (function.isDeclaration() || info(function).kind == FunctionKind::Outside) continue;
        const std::set<unsigned> computing = computing_lines(function);
        for (BasicBlock& block : function) {
            unsigned line = 0;
            for (Instruction& each : block) {
                if (isa<DbgInfoIntrinsic>(each)) continue;
                const DebugLoc& place = each.getDebugLoc();
                const auto* jump = dyn_cast<BranchInst>(&each);
                // The end of what came before, unless the line has nothing else: break, goto.
                if (jump != nullptr && jump->isUnconditional() && (!place || computing.count(place.getLine()) != 0)) continue;
                if (place && place.getLine() != 0 && place.getLine() != line) {
                    line = place.getLine();
                    mark(each, statement_mark, next++);
                }
                const auto* intrinsic = dyn_cast<IntrinsicInst>(&each);
                const auto* branch = dyn_cast<BranchInst>(&each);
                const bool counts = isa<LoadInst>(each) || isa<StoreInst>(each) || isa<AllocaInst>(each) ||
                                    isa<ReturnInst>(each) || isa<SwitchInst>(each) ||
                                    (branch != nullptr && branch->isConditional()) || is_real_call(each) ||
                                    (intrinsic != nullptr && isa<MemIntrinsic>(intrinsic));
                if (counts) mark(each, site_mark, next++);
            }
        }
    }
    for (const GlobalVariable& variable : module_->globals()) {
        if (!variable.getName().startswith("llvm.")) globals_.push_back(variable.getName().str());
    }
    for (const Function& function : *module_) {
        if (!function.isIntrinsic()) globals_.push_back(function.getName().str());
    }
}

}  // namespace flowback_prepare
