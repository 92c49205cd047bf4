#include "data_manager.hpp"

#include <algorithm>
#include <utility>

#include "recovery.hpp"

namespace trek_kernel {

void DataManager::run(Api& api) {
    desk_.tasks.reader = &api.port().self();
    while (true) {
        const bool moved = place_subtasks(api);
        if (!place_task(api) && !moved) api.port().wait();
    }
}

void DataManager::give(Child& child, ItemPtr item) {
    if (child.given_up) return desk_.recovery->come_back(std::move(item));
    ++child.handed_over;
    desk_.enqueue(child.queue, std::move(item));
    desk_.wake(child.writer);
}

ItemPtr DataManager::take_first(Api& api) {
    api.charge(desk_.costs.decision);
    ItemPtr item = std::move(desk_.tasks.items.front());
    desk_.tasks.items.pop_front();
    if (desk_.is_manager) desk_.wake(desk_.generator);
    return item;
}

// Moves the first task that waits.
bool DataManager::place_task(Api& api) {
    if (desk_.recovery != nullptr && desk_.recovery->place(api)) return true;
    if (desk_.tasks.items.empty()) return false;
    if (desk_.is_manager) return pass_on(api);
    if (!desk_.compute.taken) return compute_here(api);
    const bool splits = !desk_.children.empty() && desk_.splits_at(desk_.place.level) &&
                        (desk_.recovery == nullptr || desk_.recovery->has_living_child());
    return splits ? split_here(api) : pass_on(api);
}

bool DataManager::compute_here(Api& api) {
    desk_.compute.taken = true;
    ItemPtr item = take_first(api);
    api.port().settle();
    desk_.compute.task = std::move(item);
    desk_.ask_parent(api, desk_.divides ? 1 : 0);
    desk_.wake(desk_.compute.worker);
    return true;
}

bool DataManager::split_here(Api& api) {
    const bool none_pending =
        std::all_of(desk_.children.begin(), desk_.children.end(), [](const Child& child) { return child.pending.empty(); });
    if (desk_.split.taken || !none_pending) return false;
    desk_.split.taken = true;
    ItemPtr item = take_first(api);
    api.port().settle();
    desk_.split.task = std::move(item);
    desk_.ask_parent(api, 1);
    desk_.wake(desk_.split.worker);
    return true;
}

// A processor farm keeps the tasks that its own buffers hold; only the excess is passed on.
bool DataManager::pass_on(Api& api) {
    const bool keeps = !desk_.is_manager && (desk_.divides || desk_.tasks.items.size() <= desk_.config.buffers);
    const auto child = keeps ? std::nullopt : desk_.distribution->next();
    if (!child) return false;
    ItemPtr item;
    if (desk_.is_manager || desk_.distribution->moves_first()) {
        item = take_first(api);
    } else {  // the task that came last moves on; those that wait here longer stay first
        api.charge(desk_.costs.decision);
        item = std::move(desk_.tasks.items.back());
        desk_.tasks.items.pop_back();
    }
    if (desk_.is_manager) desk_.ledger.handed_out(*item);
    api.charge(desk_.costs.queue_operation);
    api.port().settle();
    give(desk_.children[*child], std::move(item));
    return true;
}

// Divide and conquer: sub-tasks wait for their own child's token.
bool DataManager::place_subtasks(Api& api) {
    bool moved = false;
    for (Child& child : desk_.children) {
        while (!child.pending.empty() && desk_.distribution->tokens(child.index) > 0) {
            desk_.distribution->take(child.index);
            api.charge(desk_.costs.queue_operation);
            api.port().settle();
            if (child.given_up) break;
            if (child.pending.empty()) {  // stolen meanwhile
                desk_.distribution->add(child.index, 1);
                break;
            }
            ItemPtr item = std::move(child.pending.front());
            child.pending.pop_front();
            give(child, std::move(item));
            moved = true;
        }
    }
    return moved;
}

}  // namespace trek_kernel
