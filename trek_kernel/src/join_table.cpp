#include "join_table.hpp"

namespace trek_kernel {

void JoinTable::open(const TaskIdentity& task, std::size_t degree, bool again) {
    sets_[{task.task, task.subtask}] =
        std::make_unique<JoinSet>(JoinSet{task, std::vector<Bytes>(degree), std::vector<bool>(degree), degree, again});
}

std::optional<JoinTable::Place> JoinTable::place_of(const TaskIdentity& result) {
    Place place;
    place.branch_ = branch_of(result.subtask);
    place.set_ = sets_.find({result.task, result.subtask & ~(0xfU << shift_)});
    if (place.set_ == sets_.end()) return std::nullopt;
    const JoinSet& set = *place.set_->second;
    if (place.branch_ >= set.got.size() || set.got[place.branch_]) return std::nullopt;
    return place;
}

bool JoinTable::add(const Place& at, Item& result) {
    JoinSet& set = *at.set_->second;
    set.parts[at.branch_] = std::move(result.body);
    if (result.held_bytes > 0) ++set.held;
    set.held_bytes += std::exchange(result.held_bytes, 0);
    set.got[at.branch_] = true;
    return --set.missing == 0;
}

void JoinTable::complete(const Place& at) {
    ready_.push_back(std::move(at.set_->second));
    sets_.erase(at.set_);
}

std::unique_ptr<JoinSet> JoinTable::take_next() {
    std::unique_ptr<JoinSet> set = std::move(ready_.front());
    ready_.pop_front();
    return set;
}

}  // namespace trek_kernel
