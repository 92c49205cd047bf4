#include "node_desk.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trek_kernel {
namespace {

Rank rank_of(const Item& task) {
    return {task.priority, task.id.task, task.id.subtask};
}

}  // namespace

NodeDesk::NodeDesk(trollius_os::Kernel& kernel_of_node, const FarmSetup& farm_setup, Spares& unused)
    : kernel(kernel_of_node),
      farm(farm_setup),
      config(farm.config),
      costs(farm.costs),
      place(farm.places[kernel.node().value()]),
      spares(unused),
      is_manager(!place.parent),
      divides(config.divides()),
      children(place.children.size()),
      distribution(make_distribution(config.policy, children.size())),
      // Where tasks are divided only the manager waits. A result elsewhere may be the half that waits for the one that has just
      // come.
      room(kernel, costs.size_message, is_manager || !divides),
      probes(kernel.node(), farm.witnesses, farm.probes, config.granularity),
      joins(place.level),
      ledger(config.granularity) {
    std::uint32_t workers = is_manager ? 0 : 1;
    for (Child& child : children) {
        child.index = static_cast<std::size_t>(&child - children.data());
        child.at = place.children[child.index];
        workers += child.at.workers;
    }
    places_ = workers * (1 + config.buffers);
}

bool NodeDesk::splits_at(std::size_t level) const {
    return divides && level < std::min<std::size_t>(config.depth, most_depth);
}

bool NodeDesk::too_many_tokens(const Child& child, std::uint32_t more) const {
    const std::uint64_t all_places = (std::uint64_t{1} + config.buffers) * config.nodes;
    return std::uint64_t{distribution->tokens(child.index)} + more > all_places;
}

bool NodeDesk::is_crowded() const {
    // size() of such a queue costs more than empty(), and mostly both are.
    if (results.items.empty() && up.items.empty()) return false;
    return results.items.size() + up.items.size() > places_;
}

void NodeDesk::enqueue(Fifo<ItemPtr>& queue, ItemPtr task) const {
    auto at = queue.end();
    while (at != queue.begin() && (*std::prev(at))->kind == MessageKind::Task &&
           distribution->overtakes(rank_of(*task), rank_of(**std::prev(at)))) {
        --at;
    }
    if (at == queue.end()) {  // by far the most frequent, and faster
        queue.push_back(std::move(task));
    } else {
        queue.insert(at, std::move(task));
    }
}

Task<> NodeDesk::task_arrived(Calls& calls, ItemPtr task) {
    calls.charge(costs.queue_operation);
    co_await calls.settle();
    co_await wake(take_in(std::move(task)));
}

Thread* NodeDesk::take_in(ItemPtr task) {
    enqueue(tasks.items, std::move(task));
    return tasks.reader;
}

Thread* NodeDesk::put_out(ItemPtr result) {
    Tray& to = is_manager ? collected : up;
    to.items.push_back(std::move(result));
    return to.reader;
}

Task<> NodeDesk::pass_result(Calls& calls, ItemPtr item) {
    calls.charge(costs.queue_operation);
    co_await calls.settle();
    co_await wake(put_out(std::move(item)));
}

Task<> NodeDesk::send_up(Calls& calls, std::uint32_t tokens) {
    co_await calls.settle();
    tokens_up.add(tokens);
    tokens_up.hurry();
    co_await wake(up.reader);
}

Thread* NodeDesk::take_tokens(const Child& child, std::uint32_t count) {
    if (child.given_up) return nullptr;
    distribution->add(child.index, count);
    if (!is_manager && !divides) tokens_up.add(count);
    const bool somebody_waits = !tasks.items.empty() || !child.pending.empty();
    return somebody_waits ? tasks.reader : nullptr;
}

}  // namespace trek_kernel
