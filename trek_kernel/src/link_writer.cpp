#include "link_writer.hpp"

#include <bit>
#include <utility>

#include "ending.hpp"
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

// Size and data: two messages. While the first is on its way both ends set up the second, so there is a pause between them.
void LinkWriter::send_item(Api& api, const Branch& to, const Item& item) {
    const bool steals = desk_.stealing != nullptr && desk_.stealing->asks_with(item);
    const SizeBytes size = encode({.kind = item.kind,
                                   .again = static_cast<std::uint8_t>(item.again),
                                   .steals = static_cast<std::uint8_t>(steals),
                                   .task = item.id.task,
                                   .subtask = item.id.subtask,
                                   .size = item.announced_bytes.value_or(static_cast<std::uint32_t>(item.body.size())),
                                   .word = word_for(item)});
    api.charge(desk_.costs.link_message * 2);
    const bool arrived =
        api.circuit_send(to.link, to.node,
                         {.channel = LinkChannel::Circuit,
                          .account = trollius_os::accounts::application,
                          .header = size,
                          .body = item.body,
                          .wire_bytes = desk_.costs.size_message + static_cast<std::uint32_t>(item.body.size()),
                          .messages = 2,
                          .pause = api.port().lasts(desk_.costs.link_message)});
    if (desk_.recovery != nullptr) desk_.recovery->has_sent(to);
    if (!arrived) desk_.kernel.drop("trek.out", "the link's path changed during the message", item.id.task, item.id.subtask);
    if (item.kind != MessageKind::Counts) desk_.probes.moved(api, item, to.node, true);
}

void LinkWriter::send_signal(Api& api, const Branch& to, MessageKind kind, std::uint32_t word) {
    const SizeBytes size = encode({.kind = kind, .word = word});
    api.charge(desk_.costs.link_message);
    const bool arrived = api.circuit_send(
        to.link, to.node,
        {.channel = LinkChannel::Circuit,
         .account = kind == MessageKind::Alive ? trollius_os::accounts::system : trollius_os::accounts::application,
         .header = size,
         .body = {},
         .wire_bytes = desk_.costs.size_message});
    if (desk_.recovery != nullptr) desk_.recovery->has_sent(to);
    if (!arrived) desk_.kernel.drop("trek.out", "the link's path changed during the message");
}

void LinkWriter::run_to_parent(Api& api) {
    const Branch& parent = *desk_.place.parent;
    desk_.up.reader = &api.port().self();
    while (true) {
        if (desk_.recovery != nullptr) desk_.recovery->pay_for_lost_places();
        if (!desk_.up.items.empty()) {
            send_next_up(api);
        } else if (desk_.started && desk_.tokens_up.hurries()) {
            send_signal(api, parent, MessageKind::Token, desk_.tokens_up.take_hurried());
        } else if (desk_.stealing != nullptr && desk_.stealing->is_to_ask()) {
            if (desk_.stealing->asks_now()) send_signal(api, parent, MessageKind::Steal, 0);
        } else if (desk_.recovery == nullptr) {
            api.port().wait();
        } else if (desk_.recovery->has_to_speak()) {
            send_signal(api, parent, MessageKind::Alive, 0);
        } else {
            desk_.recovery->wait(api);
        }
    }
}

void LinkWriter::send_next_up(Api& api) {
    api.charge(desk_.costs.queue_operation);
    ItemPtr item = std::move(desk_.up.items.front());
    desk_.up.items.pop_front();
    if (item->kind == MessageKind::Nothing) return send_signal(api, *desk_.place.parent, MessageKind::Nothing, 0);
    send_item(api, *desk_.place.parent, *item);
    desk_.room.let_go(*item);
    desk_.spares.put(std::move(item));
    desk_.ending->report_finished(api);
}

void LinkWriter::run_to_child(Api& api, Child& child) {
    child.writer = &api.port().self();
    while (!desk_.is_manager && !desk_.started) api.port().wait();
    if (desk_.recovery != nullptr) desk_.recovery->watch(child);
    send_signal(api, child.at, MessageKind::Start, 0);
    while (true) {
        if (child.queue.empty()) {
            api.port().wait();
            continue;
        }
        api.charge(desk_.costs.queue_operation);
        ItemPtr item = std::move(child.queue.front());
        child.queue.pop_front();
        if (desk_.recovery != nullptr) desk_.recovery->keep(api, child, *item);
        if (item->kind != MessageKind::Task) {
            send_signal(api, child.at, item->kind, 0);
        } else {
            send_item(api, child.at, *item);
            desk_.spares.put(std::move(item));
        }
    }
}

}  // namespace trek_kernel
