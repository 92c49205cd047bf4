// The processes around the links: the only ones that talk to other nodes, and where the probes sit (thesis, section 5.2).
#include <cstring>
#include <utility>

#include "trek_node_parts.hpp"

namespace trek_kernel {

using trollius_os::LinkChannel;
using trollius_os::Traffic;

std::optional<TaskOnWire> TrekNode::task_on_wire(std::span<const std::byte> header) {
    SizeMessage size;
    if (header.size() != sizeof size) return std::nullopt;
    std::memcpy(&size, header.data(), sizeof size);
    if (size.kind != Kind::Task && size.kind != Kind::Result) return std::nullopt;
    return TaskOnWire{size.kind == Kind::Result, size.task, size.subtask};
}

void TrekNode::input(Api& api, const Branch& from, Child* child) {
    auto item = std::make_unique<Item>();
    while (true) {
        SizeMessage size;
        const auto got = api.port().link_receive(
            from.link, LinkChannel::Circuit,
            {.header = std::as_writable_bytes(std::span(&size, 1)), .body = {}, .any_body = &item->body});
        api.charge(setup_.costs.link_message * got.messages);
        switch (size.kind) {
            case Kind::Start:
                started_ = true;
                for (const auto& below : children_) wake(below->thread);
                // A node's first tokens: a place for every task it can hold: in its buffers, and in the computation (processor
                // farm) or the hands of its input process (divide and conquer).
                ask_parent(api, 1 + setup_.config.buffers);
                continue;
            case Kind::Token:
                token_arrived(api, *child, size.tokens);
                continue;
            case Kind::Stop:
                stop_arrived(api);
                continue;
            case Kind::Counts:
                counts_arrived(api, *item);
                continue;
            case Kind::Task:
            case Kind::Result:
                break;
        }
        item->kind = size.kind;
        item->id = {size.task, size.subtask};
        observe(api, *item, from.node, false);
        if (size.kind == Kind::Task) {
            task_arrived(api, std::exchange(item, std::make_unique<Item>()));
        } else {
            result_arrived(api, child, size.tokens, std::exchange(item, std::make_unique<Item>()));
        }
    }
}

void TrekNode::result_arrived(Api& api, Child* child, std::uint32_t tokens, ItemPtr item) {
    api.charge(setup_.costs.queue_operation);
    api.port().settle();
    if (tokens > 0) take_tokens(*child, tokens);
    results_.push_back(std::move(item));
    wake(result_thread_);
}

// Size and data: two messages. While the first is on its way both ends set up the second, so there is a pause between them.
void TrekNode::send_item(Api& api, const Branch& to, const Item& item) {
    // A result takes the tokens along that have come together meanwhile.
    const std::uint32_t tokens = item.kind == Kind::Result ? std::exchange(tokens_up_, 0) : 0;
    const SizeMessage size{item.kind, item.id.task, item.id.subtask, static_cast<std::uint32_t>(item.body.size()), tokens};
    api.charge(setup_.costs.link_message * 2);
    api.port().link_send(to.link, {.channel = LinkChannel::Circuit,
                                   .traffic = Traffic::Application,
                                   .header = std::as_bytes(std::span(&size, 1)),
                                   .body = item.body,
                                   .wire_bytes = setup_.costs.size_message + static_cast<std::uint32_t>(item.body.size()),
                                   .messages = 2,
                                   .pause = setup_.costs.link_message});
    if (item.kind != Kind::Counts) observe(api, item, to.node, true);
}

void TrekNode::send_signal(Api& api, const Branch& to, Kind kind, std::uint32_t tokens) {
    const SizeMessage size{kind, 0, 0, 0, tokens};
    api.charge(setup_.costs.link_message);
    api.port().link_send(to.link, {.channel = LinkChannel::Circuit,
                                   .traffic = Traffic::Application,
                                   .header = std::as_bytes(std::span(&size, 1)),
                                   .body = {},
                                   .wire_bytes = setup_.costs.size_message});
}

void TrekNode::output_to_parent(Api& api) {
    up_thread_ = &api.port().self();
    while (true) {
        if (!up_.empty()) {
            api.charge(setup_.costs.queue_operation);
            ItemPtr item = std::move(up_.front());
            up_.pop_front();
            send_item(api, *setup_.place.parent, *item);
            report_finished(api);
        } else if (ask_now_ && started_ && tokens_up_ > 0) {
            ask_now_ = false;
            send_signal(api, *setup_.place.parent, Kind::Token, std::exchange(tokens_up_, 0));
        } else {
            api.port().wait();
        }
    }
}

void TrekNode::output_to_child(Api& api, Child& child) {
    child.thread = &api.port().self();
    while (!is_manager() && !started_) api.port().wait();
    send_signal(api, child.at, Kind::Start, 0);
    while (true) {
        if (child.queue.empty()) {
            api.port().wait();
            continue;
        }
        api.charge(setup_.costs.queue_operation);
        ItemPtr item = std::move(child.queue.front());
        child.queue.pop_front();
        if (item->kind == Kind::Stop) {
            send_signal(api, child.at, Kind::Stop, 0);
        } else {
            send_item(api, child.at, *item);
        }
    }
}

}  // namespace trek_kernel
