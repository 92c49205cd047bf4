#include "quiet_accesses.hpp"

#include <optional>

namespace flowback_prepare {

using namespace llvm;

namespace {

// Bytes of a variable.
struct Place {
    const Value* base = nullptr;
    std::int64_t offset = 0;
    std::uint64_t bytes = 0;
    bool covers(const Place& other) const {
        return base == other.base && offset <= other.offset &&
               other.offset + static_cast<std::int64_t>(other.bytes) <= offset + static_cast<std::int64_t>(bytes);
    }
};

// A call after which the recorder still knows what it knew: nothing in it is an interval, or has effects that are not known.
bool is_calm(const Instruction& call, const NumberedModule& numbered, std::set<const Function*>& under_way) {
    const auto& its = cast<CallBase>(call);
    if (!is_inherited_call(call, numbered)) {
        const Effect effect = effect_of_call(its, numbered);
        return effect != Effect::Unknown && effect != Effect::Prepared && effect != Effect::Told;
    }
    const Function* callee = callee_of(its);
    if (callee == nullptr || callee->isDeclaration() || !under_way.insert(callee).second) return false;
    bool calm = true;
    for (const Instruction& each : instructions(*callee))
        calm = calm && (!is_real_call(each) || is_calm(each, numbered, under_way));
    under_way.erase(callee);
    return calm;
}

class Analysis {
public:
    Analysis(const Function& function, const NumberedModule& numbered)
        : function_(function), numbered_(numbered), layout_(function.getParent()->getDataLayout()) {
        for (const Instruction& each : instructions(function)) {
            for (const auto& place : {read_by(each), written_by(each)}) {
                if (place) places_.push_back(*place);
            }
        }
    }

    std::set<std::uint32_t> quiet() {
        solve();
        std::set<std::uint32_t> result;
        for (const BasicBlock& block : function_) {
            Facts facts = before_.at(&block);
            for (const Instruction& each : block) {
                if (is_quiet(each, facts)) result.insert(site_of(each));
                pass(each, facts);
            }
        }
        return result;
    }

private:
    // By number of the place: the recorder knows its bytes; the interval's postlog will have them.
    struct Facts {
        BitVector known, written;
        bool operator==(const Facts& other) const { return known == other.known && written == other.written; }
    };

    std::optional<Place> named(const Value* pointer, std::uint64_t bytes) const {
        APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
        const Value* base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
        const auto* local = dyn_cast<AllocaInst>(base);
        const auto* global = dyn_cast<GlobalVariable>(base);
        const bool good =
            local != nullptr ? local->isStaticAlloca() && !is_local(*local) : global != nullptr && !global->isThreadLocal();
        if (!good) return std::nullopt;
        return Place{base, offset.getSExtValue(), bytes};
    }
    std::optional<Place> named(const Value* pointer, const Value* bytes) const {
        const auto* constant = dyn_cast<ConstantInt>(bytes);
        return constant == nullptr ? std::nullopt : named(pointer, constant->getZExtValue());
    }
    std::uint64_t bytes_of(Type* type) const { return layout_.getTypeStoreSize(type).getFixedSize(); }
    std::optional<Place> read_by(const Instruction& each) const {
        if (const auto* load = dyn_cast<LoadInst>(&each)) return named(load->getPointerOperand(), bytes_of(load->getType()));
        if (const auto* copy = dyn_cast<MemTransferInst>(&each)) return named(copy->getRawSource(), copy->getLength());
        return std::nullopt;
    }
    std::optional<Place> written_by(const Instruction& each) const {
        if (const auto* store = dyn_cast<StoreInst>(&each))
            return named(store->getPointerOperand(), bytes_of(store->getValueOperand()->getType()));
        if (const auto* memory = dyn_cast<MemIntrinsic>(&each)) return named(memory->getRawDest(), memory->getLength());
        return std::nullopt;
    }

    void set(BitVector& facts, const Place& place) const {
        for (unsigned i = 0; i < places_.size(); ++i) {
            if (place.covers(places_[i])) facts.set(i);
        }
    }
    bool holds(const BitVector& facts, const Place& place) const {
        for (const unsigned i : facts.set_bits()) {
            if (places_[i].covers(place)) return true;
        }
        return false;
    }
    bool is_quiet(const Instruction& each, const Facts& facts) const {
        if (site_of(each) == 0) return false;
        if (isa<LoadInst>(each)) {
            const auto place = read_by(each);
            return place && holds(facts.known, *place);
        }
        if (!isa<StoreInst>(each)) return false;
        const auto place = written_by(each);
        if (!place || !holds(facts.known, *place)) return false;
        return isa<AllocaInst>(place->base) || holds(facts.written, *place);  // postlogs leave variables of functions out
    }
    void pass(const Instruction& each, Facts& facts) const {
        if (const auto place = read_by(each)) set(facts.known, *place);
        if (const auto place = written_by(each)) {
            set(facts.known, *place);
            set(facts.written, *place);
        }
        std::set<const Function*> under_way;
        if (is_real_call(each) && !is_calm(each, numbered_, under_way)) facts.known.reset();
    }

    // A block that is not yet passed gives no facts less than all.
    void solve() {
        const auto count = static_cast<unsigned>(places_.size());
        for (const BasicBlock& block : function_) {
            const bool first = &block == &function_.getEntryBlock();
            before_[&block] = {BitVector(count, !first), BitVector(count, !first)};
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (const BasicBlock& block : function_) {
                Facts facts = before_.at(&block);
                for (const Instruction& each : block) pass(each, facts);
                for (const BasicBlock* next : successors(&block)) {
                    Facts& its = before_.at(next);
                    Facts both = its;
                    both.known &= facts.known;
                    both.written &= facts.written;
                    changed = changed || !(both == its);
                    its = both;
                }
            }
        }
    }

    const Function& function_;
    const NumberedModule& numbered_;
    const DataLayout& layout_;
    std::vector<Place> places_;
    std::map<const BasicBlock*, Facts> before_;
};

}  // namespace

std::set<std::uint32_t> quiet_accesses(const Function& function, const NumberedModule& numbered) {
    return Analysis(function, numbered).quiet();
}

}  // namespace flowback_prepare
