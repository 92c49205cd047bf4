// Data manager: decides where a task goes. Result manager: decides where a result goes.
#include <algorithm>
#include <utility>

#include "bundle.hpp"
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
    enqueue(buffer_, std::move(item));
    wake(data_thread_);
}

void TrekNode::token_arrived(Api& api, Child& child, std::uint32_t count) {
    api.port().settle();
    take_tokens(child, count);
    ask_parent(api, divides() ? 0 : std::exchange(tokens_up_, 0));
}

// A processor farm passes its children's tokens on. Tokens that come with a result go on with that result.
void TrekNode::take_tokens(const Child& child, std::uint32_t count) {
    if (child.given_up) return;
    distribution_->add(child.index, count);
    if (!is_manager() && !divides()) tokens_up_ += count;
    const bool somebody_waits = !buffer_.empty() || !child.pending.empty();
    if (somebody_waits) wake(data_thread_);
}

// In the order in which tasks go on.
void TrekNode::enqueue(Fifo<ItemPtr>& queue, ItemPtr item) const {
    const auto rank = [](const Item& of) { return Rank{of.priority, of.id.task, of.id.subtask}; };
    auto at = queue.end();
    while (at != queue.begin() && (*std::prev(at))->kind == Kind::Task &&
           distribution_->overtakes(rank(*item), rank(**std::prev(at)))) {
        --at;
    }
    if (at == queue.end()) {  // by far the most frequent, and faster
        queue.push_back(std::move(item));
    } else {
        queue.insert(at, std::move(item));
    }
}

void TrekNode::give(Child& child, ItemPtr item) {
    if (child.given_up) return recovery_->come_back(std::move(item));
    ++child.handed_over;
    enqueue(child.queue, std::move(item));
    wake(child.thread);
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
    if (!is_manager() && !children_.empty() && splits_at(setup_.place.level) && (!recovery_ || recovery_->has_living_child())) {
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
    // A processor farm keeps the tasks that its own buffers hold; only the excess is passed on.
    const bool keeps = !is_manager() && (divides() || buffer_.size() <= setup_.config.buffers);
    const auto child = keeps ? std::nullopt : distribution_->next();
    if (!child) return false;
    ItemPtr item = is_manager() || distribution_->moves_first() ? take() : nullptr;
    if (is_manager()) {
        for_each_part(item->id, item->body, setup_.config.granularity,
                      [&](const TaskIdentity& id, const auto&) { outstanding_.insert(outstanding_.end(), id.task); });
    }
    if (!item) {  // the task that came last moves on; those that wait here longer stay first
        api.charge(setup_.costs.decision);
        item = std::move(buffer_.back());
        buffer_.pop_back();
    }
    api.charge(setup_.costs.queue_operation);
    api.port().settle();
    give(*children_[*child], std::move(item));
    return true;
}

// Divide and conquer: sub-tasks wait for their own child's token.
bool TrekNode::place_subtasks(Api& api) {
    bool moved = false;
    for (auto& child : children_) {
        while (!child->pending.empty() && distribution_->tokens(child->index) > 0) {
            distribution_->take(child->index);
            api.charge(setup_.costs.queue_operation);
            api.port().settle();
            if (child->given_up) break;
            if (child->pending.empty()) {  // stolen meanwhile
                distribution_->add(child->index, 1);
                break;
            }
            ItemPtr item = std::move(child->pending.front());
            child->pending.pop_front();
            give(*child, std::move(item));
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
        if (terminated_) {
            let_go(*item);
            continue;
        }
        if (is_manager()) {
            accept_results(api, std::move(item));
        } else if (!divides()) {
            pass_result(api, std::move(item));
        } else {
            Bundler others(setup_.config.granularity);
            for (ItemPtr& result : take_apart(std::move(item))) {
                if (join_result(api, result)) continue;
                if (setup_.config.granularity > 1) let_go(*result);
                others.add(std::move(result));
            }
            others.close([&](ItemPtr out) {
                if (setup_.config.granularity > 1) hold(*out, out->body.size());
                pass_result(api, std::move(out));
            });
        }
    }
}

void TrekNode::accept_results(Api& api, ItemPtr message) {
    for (ItemPtr& result : take_apart(std::move(message))) {
        if (is_expected(*result)) {
            pass_result(api, std::move(result));
        } else {
            let_go(*result);
        }
    }
}

// Each task that was handed out comes back once and whole. Any other result was made by a damaged message and ends nothing.
bool TrekNode::is_expected(const Item& result) {
    if (result.id.subtask == 0 && outstanding_.erase(result.id.task) > 0) {
        ++account_.completed;
        if (setup_.config.granularity > 1) account_.back.push_back(result.id.task);
        for (TrekObserver* observer : setup_.observers) observer->on_home(result.id.task, kernel_.port().now());
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
    if (setup_.place.level >= most_depth) return false;
    const std::uint32_t shift = 4 * static_cast<std::uint32_t>(setup_.place.level + 1),
                        branch = (item->id.subtask >> shift) & 0xf;
    const auto found = joins_.find({item->id.task, item->id.subtask & ~(0xfU << shift)});
    if (found == joins_.end() || branch >= found->second->got.size() || found->second->got[branch]) return false;
    JoinSet& set = *found->second;
    set.parts[branch] = std::move(item->body);
    if (item->held_bytes > 0) ++set.held;
    set.held_bytes += std::exchange(item->held_bytes, 0);
    set.got[branch] = true;
    if (--set.missing > 0) return true;
    api.charge(setup_.costs.queue_operation);
    api.port().settle();
    to_join_.push_back(std::move(found->second));
    joins_.erase(found);
    wake(join_thread_);
    return true;
}

}  // namespace trek_kernel
