#include <boot_runs/profile.hpp>

#include <algorithm>

namespace boot_runs {

using t800_core::Cycle;

void NodeProfile::charge(Cycle until) {
    const std::uint64_t passed = until > since_ ? until - since_ : 0;
    if (row_ != nullptr) row_->cycles += passed;
    if (between_) switching_ += passed;
    since_ = std::max(since_, until);
}

void NodeProfile::instruction(const t800_core::SeenInstruction& what) {
    charge(what.start);
    between_ = false;
    row_ = &rows_[what.address];
    if (row_->executions++ > 0) return;
    row_->address = what.address;
    row_->operand = what.operand;
    row_->function = what.function;
    row_->length = what.length;
    for (std::uint32_t i = 0; i < row_->bytes.size() && i < what.length; ++i) {
        const std::uint32_t at = what.address + i;
        row_->bytes[i] = static_cast<std::uint8_t>(core_.word(at & ~3U) >> (8 * (at & 3U)));
    }
}

// A process that was cut in a block move goes on with it. Behind idleness come the cycles that wake a process.
void NodeProfile::process_started(Cycle at, std::uint32_t descriptor, std::uint32_t) {
    between_ = between_ || row_ == nullptr;
    charge(at);
    between_ = false;
    since_ = at;
    const auto cut = cut_.find(descriptor);
    row_ = cut == cut_.end() ? nullptr : &rows_[cut->second];
    if (cut != cut_.end()) cut_.erase(cut);
}

void NodeProfile::process_left(Cycle at, std::uint32_t descriptor, bool ends) {
    charge(at);
    if (row_ != nullptr && !ends) cut_[descriptor] = row_->address;
    row_ = nullptr;
    between_ = true;
}

void NodeProfile::idle(Cycle at) {
    charge(at);
    row_ = nullptr;
    between_ = false;
}

ProfiledNode NodeProfile::result() const {
    ProfiledNode node;
    node.switching = switching_;
    node.cycles = switching_;
    for (const auto& [address, row] : rows_) {
        node.rows.push_back(row);
        node.cycles += row.cycles;
    }
    std::sort(node.rows.begin(), node.rows.end(),
              [](const ProfileRow& a, const ProfileRow& b) { return a.address < b.address; });
    return node;
}

}  // namespace boot_runs
