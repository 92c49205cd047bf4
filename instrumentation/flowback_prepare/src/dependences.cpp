#include "dependences.hpp"

#include <set>

namespace flowback_prepare {

using namespace llvm;

namespace {

// Follows a value through the computation up to what memory, calls and parameters gave.
void follow(const Value* value, int role, std::set<const Value*>& seen, std::vector<Operand>& found) {
    if (!seen.insert(value).second) return;
    if (const auto* argument = dyn_cast<Argument>(value)) {
        found.push_back({role, 0, static_cast<int>(argument->getArgNo())});
        return;
    }
    const auto* instruction = dyn_cast<Instruction>(value);
    if (instruction == nullptr || isa<AllocaInst>(instruction)) return;
    if (isa<LoadInst>(instruction) || is_real_call(*instruction)) {
        found.push_back({role, site_of(*instruction), -1});
        return;
    }
    for (const Use& use : instruction->operands()) follow(use.get(), role, seen, found);
}

void add(const Value* value, int role, std::vector<Operand>& found) {
    std::set<const Value*> seen;
    if (value != nullptr) follow(value, role, seen, found);
}

}  // namespace

std::vector<Operand> operands_of(const Instruction& site) {
    constexpr int value = 0, address = 1, argument = 2;
    std::vector<Operand> found;
    if (const auto* load = dyn_cast<LoadInst>(&site)) {
        add(load->getPointerOperand(), address, found);
    } else if (const auto* store = dyn_cast<StoreInst>(&site)) {
        add(store->getValueOperand(), value, found);
        add(store->getPointerOperand(), address, found);
    } else if (const auto* copy = dyn_cast<MemTransferInst>(&site)) {
        for (const Value* each : {copy->getRawDest(), copy->getRawSource(), copy->getLength()}) add(each, address, found);
    } else if (const auto* fill = dyn_cast<MemSetInst>(&site)) {
        add(fill->getValue(), value, found);
        for (const Value* each : {fill->getRawDest(), fill->getLength()}) add(each, address, found);
    } else if (const auto* end = dyn_cast<ReturnInst>(&site)) {
        add(end->getReturnValue(), value, found);
    } else if (const auto* branch = dyn_cast<BranchInst>(&site)) {
        if (branch->isConditional()) add(branch->getCondition(), value, found);
    } else if (const auto* choice = dyn_cast<SwitchInst>(&site)) {
        add(choice->getCondition(), value, found);
    } else if (const auto* call = dyn_cast<CallBase>(&site)) {
        for (unsigned i = 0; i < call->arg_size(); ++i) add(call->getArgOperand(i), argument + static_cast<int>(i), found);
        if (callee_of(*call) == nullptr) add(call->getCalledOperand(), address, found);
    }
    return found;
}

std::map<const BasicBlock*, std::vector<Decider>> deciders(Function& function) {
    const PostDominatorTree tree(function);
    std::map<const BasicBlock*, std::vector<Decider>> result;
    for (const BasicBlock& block : function) {
        const Instruction* end = block.getTerminator();
        if (end->getNumSuccessors() < 2 || site_of(*end) == 0) continue;
        const auto* own = tree.getNode(&block);
        const auto* stop = own == nullptr ? nullptr : own->getIDom();
        for (unsigned way = 0; way < end->getNumSuccessors(); ++way) {
            for (const auto* at = tree.getNode(end->getSuccessor(way));
                 at != nullptr && at != stop && at->getBlock() != nullptr; at = at->getIDom()) {
                std::vector<Decider>& its = result[at->getBlock()];
                const auto same =
                    std::find_if(its.begin(), its.end(), [&](const Decider& each) { return each.branch == site_of(*end); });
                if (same == its.end())
                    its.push_back({site_of(*end), static_cast<int>(way)});
                else if (same->way != static_cast<int>(way))
                    same->way = -1;
            }
        }
    }
    return result;
}

}  // namespace flowback_prepare
