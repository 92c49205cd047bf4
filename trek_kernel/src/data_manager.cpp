#include "data_manager.hpp"

#include <algorithm>
#include <utility>

#include "recovery.hpp"

namespace trek_kernel {

// Every place is written out here, since a call would cost a frame for each task at each node.
Task<> DataManager::run(Calls& calls) {
    desk_.tasks.reader = &calls.port().self();
    while (true) {
        bool moved = false;
        if (subtasks_wait()) moved = co_await place_subtasks(calls);
        if (desk_.recovery != nullptr) {
            const bool placed = co_await desk_.recovery->place(calls);
            if (placed) continue;
        }
        const Place place = next_place();
        if (place.kind == Place::Kind::None) {
            if (!moved) co_await calls.wait();
            continue;
        }
        calls.charge(desk_.costs.decision);
        ItemPtr item = take_for(place);
        if (desk_.is_manager) {
            co_await desk_.wake(desk_.generator);
            desk_.ledger.handed_out(*item);
        }
        if (place.kind == Place::Kind::Child) calls.charge(desk_.costs.queue_operation);
        co_await calls.settle();
        if (place.kind == Place::Kind::Child) {
            Child& child = desk_.children[place.child];
            if (child.given_up) {
                co_await desk_.recovery->come_back(std::move(item));
            } else {
                co_await desk_.wake(hand_over(child, std::move(item)));
            }
        } else {
            const bool splits = place.kind == Place::Kind::Split;
            WorkPlace& work = splits ? desk_.split : desk_.compute;
            work.task = std::move(item);
            co_await desk_.ask_parent(calls, splits || desk_.divides ? 1 : 0);
            co_await desk_.wake(work.worker);
        }
    }
}

// Occupies the place for the first task that waits.
DataManager::Place DataManager::next_place() {
    if (desk_.tasks.items.empty()) return {};
    if (!desk_.is_manager) {
        if (!std::exchange(desk_.compute.taken, true)) return {Place::Kind::Compute};
        const bool splits = !desk_.children.empty() && desk_.splits_at(desk_.place.level) &&
                            (desk_.recovery == nullptr || desk_.recovery->has_living_child());
        if (splits) {
            const bool none_pending = std::all_of(desk_.children.begin(), desk_.children.end(),
                                                  [](const Child& child) { return child.pending.empty(); });
            if (desk_.split.taken || !none_pending) return {};
            desk_.split.taken = true;
            return {Place::Kind::Split};
        }
        // A processor farm keeps the tasks that its own buffers hold; only the excess is passed on.
        if (desk_.divides || desk_.tasks.items.size() <= desk_.config.buffers) return {};
    }
    const auto child = desk_.distribution->next();
    return child ? Place{Place::Kind::Child, *child} : Place{};
}

ItemPtr DataManager::take_for(const Place& place) {
    Fifo<ItemPtr>& tasks = desk_.tasks.items;
    ItemPtr item;
    if (place.kind != Place::Kind::Child || desk_.is_manager || desk_.distribution->moves_first()) {
        item = std::move(tasks.front());
        tasks.pop_front();
    } else {  // the task that came last moves on; those that wait here longer stay first
        item = std::move(tasks.back());
        tasks.pop_back();
    }
    return item;
}

Thread* DataManager::hand_over(Child& child, ItemPtr item) {
    ++child.handed_over;
    desk_.enqueue(child.queue, std::move(item));
    return child.writer;
}

bool DataManager::subtasks_wait() const {
    return std::any_of(desk_.children.begin(), desk_.children.end(), [](const Child& child) { return !child.pending.empty(); });
}

// Divide and conquer: sub-tasks wait for their own child's token.
Task<bool> DataManager::place_subtasks(Calls& calls) {
    bool moved = false;
    for (Child& child : desk_.children) {
        while (!child.pending.empty() && desk_.distribution->tokens(child.index) > 0) {
            desk_.distribution->take(child.index);
            calls.charge(desk_.costs.queue_operation);
            co_await calls.settle();
            if (child.given_up) break;
            if (child.pending.empty()) {  // stolen meanwhile
                desk_.distribution->add(child.index, 1);
                break;
            }
            ItemPtr item = std::move(child.pending.front());
            child.pending.pop_front();
            co_await desk_.wake(hand_over(child, std::move(item)));
            moved = true;
        }
    }
    co_return moved;
}

}  // namespace trek_kernel
