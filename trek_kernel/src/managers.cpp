// Data manager: where a task goes. Result manager: where a result goes.
#include <algorithm>
#include <cstring>
#include <utility>

#include "recovery.hpp"

namespace trek_kernel {

void TrekNode::data_manager(Api& api) {
    data_thread_ = &api.port().self();
    while (true) {
        const bool moved = place_subtasks(api);
        if (!place_task(api) && !moved) api.port().wait();
    }
}

void TrekNode::ask_parent(Api& api, std::uint32_t tasks) {
    if (is_manager() || tasks == 0) return;
    api.port().settle();
    tokens_up_ += tasks;
    ask_now_ = true;
    wake(up_thread_);
}

void TrekNode::task_arrived(Api& api, ItemPtr item) {
    api.charge(setup_.costs.queue_operation);
    api.port().settle();
    buffer_.push_back(std::move(item));
    wake(data_thread_);
}

void TrekNode::token_arrived(Api& api, Child& child, std::uint32_t count) {
    api.port().settle();
    take_tokens(child, count);
    ask_parent(api, divides() ? 0 : std::exchange(tokens_up_, 0));
}

// A processor farm passes its children's tokens on. Those that come with a result go on with that result.
void TrekNode::take_tokens(Child& child, std::uint32_t count) {
    if (child.given_up) return;
    child.tokens += count;
    for (std::uint32_t i = 0; i < count; ++i) token_order_.push_back(&child);
    if (!is_manager() && !divides()) tokens_up_ += count;
    const bool somebody_waits = !buffer_.empty() || !child.pending.empty();
    if (somebody_waits) wake(data_thread_);
}

TrekNode::Child* TrekNode::child_with_token() {
    if (token_order_.empty()) return nullptr;
    Child* child = token_order_.front();
    token_order_.pop_front();
    --child->tokens;
    return child;
}

// Moves the first task of the buffer to a place, if there is one for it.
bool TrekNode::place_task(Api& api) {
    if (recovery_ && recovery_->place(api)) return true;
    if (buffer_.empty()) return false;
    const auto take = [&] {
        api.charge(setup_.costs.decision);
        ItemPtr item = std::move(buffer_.front());
        buffer_.pop_front();
        if (is_manager()) wake(generator_thread_);
        return item;
    };
    if (!is_manager() && !computing_) {
        computing_ = true;
        ItemPtr item = take();
        api.port().settle();
        compute_slot_ = std::move(item);
        ask_parent(api, divides() ? 1 : 0);
        wake(compute_thread_);
        return true;
    }
    const bool splits = !is_manager() && divides() && !children_.empty() && (!recovery_ || recovery_->has_living_child()) &&
                        setup_.place.level < std::min<std::size_t>(setup_.config.depth, most_splits);
    if (splits) {
        const bool queues_empty =
            std::all_of(children_.begin(), children_.end(), [](const auto& c) { return c->pending.empty(); });
        if (splitting_ || !queues_empty) return false;
        splitting_ = true;
        ItemPtr item = take();
        api.port().settle();
        split_slot_ = std::move(item);
        ask_parent(api, 1);
        wake(split_thread_);
        return true;
    }
    // A processor farm keeps what its own buffers hold; only what exceeds them is passed on.
    const bool keeps = !is_manager() && (divides() || buffer_.size() <= setup_.config.buffers);
    Child* child = keeps ? nullptr : child_with_token();
    if (child == nullptr) return false;
    // The task that came last moves on; those that wait here longer stay first.
    ItemPtr item = is_manager() ? take() : nullptr;
    if (item) outstanding_.insert(outstanding_.end(), item->id.task);
    if (!item) {
        api.charge(setup_.costs.decision);
        item = std::move(buffer_.back());
        buffer_.pop_back();
    }
    api.charge(setup_.costs.queue_operation);
    api.port().settle();
    child->queue.push_back(std::move(item));
    wake(child->thread);
    return true;
}

// Divide and conquer: sub-tasks wait for their own child's token.
bool TrekNode::place_subtasks(Api& api) {
    bool moved = false;
    for (auto& child : children_) {
        while (!child->pending.empty() && child->tokens > 0) {
            --child->tokens;
            token_order_.erase(std::remove(token_order_.begin(), token_order_.end(), child.get()), token_order_.end());
            token_order_.insert(token_order_.end(), child->tokens, child.get());
            api.charge(setup_.costs.queue_operation);
            api.port().settle();
            child->queue.push_back(std::move(child->pending.front()));
            child->pending.pop_front();
            wake(child->thread);
            moved = true;
        }
    }
    return moved;
}

void TrekNode::result_manager(Api& api) {
    result_thread_ = &api.port().self();
    while (true) {
        if (results_.empty()) {
            api.port().wait();
            continue;
        }
        api.charge(setup_.costs.decision);
        ItemPtr item = std::move(results_.front());
        results_.pop_front();
        if (terminated_ || (is_manager() && !is_expected(*item))) continue;
        if (!divides() || is_manager() || !join_result(api, item)) pass_result(api, std::move(item));
    }
}

// Each task that was handed out comes back once and whole; what else comes was made by a damaged message and ends nothing.
bool TrekNode::is_expected(const Item& result) {
    if (result.id.subtask == 0 && outstanding_.erase(result.id.task) > 0) {
        ++account_.completed;
        return true;
    }
    ++account_.unexpected;
    kernel_.drop("trek.result", "a result of a task that is not under way", result.id.task, result.id.subtask);
    return false;
}

void TrekNode::pass_result(Api& api, ItemPtr item) {
    api.charge(setup_.costs.queue_operation);
    api.port().settle();
    if (is_manager()) {
        collected_.push_back(std::move(item));
        wake(receiver_thread_);
    } else {
        up_.push_back(std::move(item));
        wake(up_thread_);
    }
}

// A sub-result that belongs to a split of this node is kept until its brothers are there. False: not from a split here.
bool TrekNode::join_result(Api& api, ItemPtr& item) {
    if (setup_.place.level >= most_splits) return false;
    const std::uint32_t shift = 4 * static_cast<std::uint32_t>(setup_.place.level + 1),
                        branch = (item->id.subtask >> shift) & 0xf;
    const auto found = joins_.find({item->id.task, item->id.subtask & ~(0xfU << shift)});
    if (found == joins_.end() || branch >= found->second->got.size() || found->second->got[branch]) return false;
    JoinSet& set = *found->second;
    set.parts[branch] = std::move(item->body);
    set.got[branch] = true;
    if (--set.missing > 0) return true;
    api.charge(setup_.costs.queue_operation);
    api.port().settle();
    to_join_.push_back(std::move(found->second));
    joins_.erase(found);
    wake(join_thread_);
    return true;
}

// The end: a stop runs down the tree, the numbers of computed tasks run up.
void TrekNode::stop_arrived(Api& api) {
    if (std::exchange(stopping_, true)) return;
    for (auto& child : children_) {
        api.charge(setup_.costs.queue_operation);
        api.port().settle();
        child->queue.push_back(std::make_unique<Item>(Item{Kind::Stop, {}, {}}));
        wake(child->thread);
    }
    report_finished(api);
}

void TrekNode::counts_arrived(Api& api, Child& child, const Item& item) {
    child.counted = true;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        std::uint32_t count = 0;
        std::memcpy(&count, item.body.data() + i * sizeof count, sizeof count);
        counts_[i] += count;
    }
    --counts_missing_;
    wake(stopping_thread_);
    report_finished(api);
}

bool TrekNode::holds_nothing() const {
    return buffer_.empty() && (!recovery_ || !recovery_->waits()) && !computing_ && !splitting_ && results_.empty() && up_.empty() && joins_.empty() &&
           to_join_.empty() && std::all_of(children_.begin(), children_.end(), [](const auto& c) {
               return c->given_up || (c->queue.empty() && c->pending.empty());
           });
}

void TrekNode::report_finished(Api& api) {
    if (!stopping_ || counts_missing_ > 0) return;
    if (!counts_sent_ && !is_manager()) {
        counts_sent_ = true;
        counts_[kernel_.node().value()] = computed_;
        auto item = std::make_unique<Item>(Item{Kind::Counts, {}, Bytes(counts_.size() * sizeof(std::uint32_t))});
        std::memcpy(item->body.data(), counts_.data(), item->body.size());
        pass_result(api, std::move(item));
        return;
    }
    if (finished_told_ || !holds_nothing()) return;
    finished_told_ = true;
    for (TrekObserver* observer : setup_.observers) observer->on_finished(kernel_.node(), api);
}

}  // namespace trek_kernel
