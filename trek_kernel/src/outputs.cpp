#include "outputs.hpp"

#include <iterator>

namespace trek_kernel {

void Outputs::emit(const trollius_os::Api& api, ItemPtr item, const Output& how, const std::function<void(ItemPtr)>& send) {
    if (how.omitted) return;
    const bool planted = how.copies != 1 || how.held_back || how.task || how.also_as || how.announced_bytes;
    if (!planted && held_back_.empty()) return send(std::move(item));
    std::vector<ItemPtr> messages;
    const auto add = [&](std::uint32_t task) {
        messages.push_back(std::make_unique<Item>(*item));
        messages.back()->id.task = task;
    };
    item->announced_bytes = how.announced_bytes;
    if (how.task) item->id.task = *how.task;
    for (std::uint32_t copy = 1; copy < how.copies; ++copy) add(item->id.task);
    if (how.also_as) add(*how.also_as);
    messages.insert(messages.begin(), std::move(item));
    if (how.held_back) {
        auto& held = held_back_[api.pid()];
        held.insert(held.begin(), std::make_move_iterator(messages.begin()), std::make_move_iterator(messages.end()));
        return;
    }
    for (ItemPtr& message : messages) send(std::move(message));
    if (held_back_.empty()) return;
    if (const auto held = held_back_.extract(api.pid())) {
        for (ItemPtr& message : held.mapped()) send(std::move(message));
    }
}

}  // namespace trek_kernel
