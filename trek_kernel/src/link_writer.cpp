#include "link_writer.hpp"

#include <bit>
#include <utility>

#include "ending.hpp"
#include "network_branch.hpp"
#include "recovery.hpp"
#include "stealing.hpp"

namespace trek_kernel {

using trollius_os::LinkChannel;

std::uint32_t LinkWriter::word_for(const Item& item) {
    switch (item.kind) {
        case MessageKind::Result:
        case MessageKind::Returned:
            if (!desk_.is_crowded()) return desk_.tokens_up.take_all();
            desk_.tokens_up.hurry();  // the rest go by themselves when no result is left to take them along
            return desk_.tokens_up.take(1);
        case MessageKind::Task:
            if (desk_.config.policy == Policy::Priorities) return std::bit_cast<std::uint32_t>(item.priority);
            return item.answers ? 1 : 0;
        default:
            return 0;
    }
}

SizeBytes LinkWriter::size_of(const Item& item) {
    const bool steals = desk_.stealing != nullptr && desk_.stealing->asks_with(item);
    return encode({.kind = item.kind,
                   .again = static_cast<std::uint8_t>(item.again),
                   .steals = static_cast<std::uint8_t>(steals),
                   .task = item.id.task,
                   .subtask = item.id.subtask,
                   .size = item.announced_bytes.value_or(static_cast<std::uint32_t>(item.body.size())),
                   .word = word_for(item)});
}

// Size and data: two messages. While the first is on its way both ends set up the second, so there is a pause between them.
trollius_os::LinkPacket LinkWriter::packet_of(const SizeBytes& size, const Item& item) const {
    return {.channel = LinkChannel::Circuit,
            .account = trollius_os::accounts::application,
            .header = size,
            .body = item.body,
            .wire_bytes = desk_.costs.size_message + static_cast<std::uint32_t>(item.body.size()),
            .messages = 2,
            .pause = desk_.kernel.port().lasts(desk_.costs.link_message)};
}

// The item has left, or is lost.
void LinkWriter::has_left(const Branch& to, const Item& item, bool arrived) {
    if (desk_.recovery != nullptr) desk_.recovery->has_sent(to);
    if (!arrived) desk_.kernel.drop("trek.out", "the link's path changed during the message", item.id.task, item.id.subtask);
}

Task<> LinkWriter::send_signal(Calls& calls, const Branch& to, MessageKind kind, std::uint32_t word) {
    const SizeBytes size = encode({.kind = kind, .word = word});
    calls.charge(desk_.costs.link_message);
    if (to.over_network) [[unlikely]]
        co_return co_await send_over_network(calls, to.node, size, 1, {});
    const bool arrived = co_await calls.circuit_send(
        to.link, to.node,
        {.channel = LinkChannel::Circuit,
         .account = kind == MessageKind::Alive ? trollius_os::accounts::system : trollius_os::accounts::application,
         .header = size,
         .body = {},
         .wire_bytes = desk_.costs.size_message});
    if (desk_.recovery != nullptr) desk_.recovery->has_sent(to);
    if (!arrived) desk_.kernel.drop("trek.out", "the link's path changed during the message");
}

// The send of an item is written out here, and in run_to_child() with the same steps. A call would cost a frame for each item.
Task<> LinkWriter::run_to_parent(Calls& calls) {
    const Branch& parent = *desk_.place.parent;
    desk_.up.reader = &calls.port().self();
    Bytes tagged;
    while (true) {
        if (desk_.recovery != nullptr) desk_.recovery->pay_for_lost_places();
        if (desk_.up.items.empty()) {
            if (desk_.started && desk_.tokens_up.hurries()) {
                co_await send_signal(calls, parent, MessageKind::Token, desk_.tokens_up.take_hurried());
            } else if (desk_.stealing != nullptr && desk_.stealing->is_to_ask()) {
                if (desk_.stealing->asks_now()) co_await send_signal(calls, parent, MessageKind::Steal, 0);
            } else if (desk_.recovery == nullptr) {
                co_await calls.wait();
            } else if (desk_.recovery->has_to_speak()) {
                co_await send_signal(calls, parent, MessageKind::Alive, 0);
            } else {
                co_await desk_.recovery->wait(calls);
            }
            continue;
        }
        calls.charge(desk_.costs.queue_operation);
        ItemPtr item = std::move(desk_.up.items.front());
        desk_.up.items.pop_front();
        if (item->kind == MessageKind::Nothing) {
            co_await send_signal(calls, parent, MessageKind::Nothing, 0);
            continue;
        }
        const SizeBytes size = size_of(*item);
        calls.charge(desk_.costs.link_message * 2);
        trollius_os::LinkPacket packet = packet_of(size, *item);  // its pause is as long as it is now
        bool arrived = true;
        if (parent.over_network) [[unlikely]] {
            co_await send_over_network(calls, parent.node, size, 2, item->body);
        } else {
            co_await calls.circuit_sends(parent.link, parent.node, packet, tagged);
            co_await calls.start_send(2);
            arrived = co_await calls.port().link_send(parent.link, packet);
            co_await calls.circuit_sent(parent.link, parent.node, item->body.size());
        }
        has_left(parent, *item, arrived);
        if (item->kind != MessageKind::Counts) co_await desk_.probes.moved(calls, *item, parent.node, true);
        co_await desk_.room.let_go(*item);
        desk_.spares.put(std::move(item));
        co_await desk_.ending->report_finished(calls);
    }
}

Task<> LinkWriter::run_to_child(Calls& calls, Child& child) {
    child.writer = &calls.port().self();
    Bytes tagged;
    while (!desk_.is_manager && !desk_.started) co_await calls.wait();
    if (desk_.recovery != nullptr) desk_.recovery->watch(child);
    co_await send_signal(calls, child.at, MessageKind::Start, 0);
    while (true) {
        if (child.queue.empty()) {
            co_await calls.wait();
            continue;
        }
        calls.charge(desk_.costs.queue_operation);
        ItemPtr item = std::move(child.queue.front());
        child.queue.pop_front();
        if (desk_.recovery != nullptr) desk_.recovery->keep(calls, child, *item);
        if (item->kind != MessageKind::Task) {
            co_await send_signal(calls, child.at, item->kind, 0);
            continue;
        }
        const SizeBytes size = size_of(*item);
        calls.charge(desk_.costs.link_message * 2);
        trollius_os::LinkPacket packet = packet_of(size, *item);
        bool arrived = true;
        if (child.at.over_network) [[unlikely]] {
            co_await send_over_network(calls, child.at.node, size, 2, item->body);
        } else {
            co_await calls.circuit_sends(child.at.link, child.at.node, packet, tagged);
            co_await calls.start_send(2);
            arrived = co_await calls.port().link_send(child.at.link, packet);
            co_await calls.circuit_sent(child.at.link, child.at.node, item->body.size());
        }
        has_left(child.at, *item, arrived);
        co_await desk_.probes.moved(calls, *item, child.at.node, true);
        desk_.spares.put(std::move(item));
    }
}

}  // namespace trek_kernel
