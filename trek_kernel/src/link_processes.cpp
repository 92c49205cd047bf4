// The processes around the links: the only ones that talk to other nodes, and where the probes sit (thesis, section 5.2).
#include <utility>

#include "trek_node_parts.hpp"

namespace trek_kernel {

using trollius_os::LinkChannel;
using trollius_os::Traffic;

void TrekNode::input(Api& api, const Branch& from, Child* child) {
    while (true) {
        SizeMessage size;
        api.port().link_receive(from.link, LinkChannel::Circuit, std::as_writable_bytes(std::span(&size, 1)), {});
        api.charge(setup_.costs.link_message);
        if (size.kind == Kind::Token) {
            token_arrived(api, *child, size.tokens);
        } else if (size.kind == Kind::Stop) {
            stop_arrived(api);
        } else {
            ItemPtr item = receive_body(api, from, size);
            if (size.kind == Kind::Counts) {
                counts_arrived(api, *item);
            } else if (size.kind == Kind::Task) {
                observe(api, *item, from.node, false);
                task_arrived(api, std::move(item));
            } else {
                observe(api, *item, from.node, false);
                api.charge(setup_.costs.queue_operation);
                api.port().settle();
                if (size.tokens > 0) take_tokens(*child, size.tokens);
                results_.push_back(std::move(item));
                wake(result_thread_);
            }
        }
    }
}

TrekNode::ItemPtr TrekNode::receive_body(Api& api, const Branch& from, const SizeMessage& size) {
    auto item = std::make_unique<Item>(Item{size.kind, {size.task, size.subtask}, Bytes(size.size)});
    api.port().link_receive(from.link, LinkChannel::Circuit, {}, item->body);
    api.charge(setup_.costs.link_message);
    return item;
}

void TrekNode::send_item(Api& api, const Branch& to, const Item& item) {
    // A result takes the tokens along that have come together meanwhile.
    const std::uint32_t tokens = item.kind == Kind::Result ? std::exchange(tokens_up_, 0) : 0;
    const SizeMessage size{item.kind, item.id.task, item.id.subtask, static_cast<std::uint32_t>(item.body.size()), tokens};
    api.charge(setup_.costs.link_message);
    api.port().link_send(to.link, LinkChannel::Circuit, Traffic::Application, std::as_bytes(std::span(&size, 1)), {}, setup_.costs.size_message);
    if (item.kind == Kind::Stop) return;
    api.charge(setup_.costs.link_message);
    api.port().link_send(to.link, LinkChannel::Circuit, Traffic::Application, {}, item.body, static_cast<std::uint32_t>(item.body.size()));
    if (item.kind != Kind::Counts) observe(api, item, to.node, true);
}

void TrekNode::send_tokens(Api& api, std::uint32_t count) {
    const SizeMessage size{Kind::Token, 0, 0, 0, count};
    api.charge(setup_.costs.link_message);
    api.port().link_send(setup_.place.parent->link, LinkChannel::Circuit, Traffic::Application, std::as_bytes(std::span(&size, 1)), {}, setup_.costs.size_message);
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
        } else if (ask_now_ && tokens_up_ > 0) {
            ask_now_ = false;
            send_tokens(api, std::exchange(tokens_up_, 0));
        } else {
            api.port().wait();
        }
    }
}

void TrekNode::output_to_child(Api& api, Child& child) {
    child.thread = &api.port().self();
    while (true) {
        if (child.queue.empty()) {
            api.port().wait();
            continue;
        }
        api.charge(setup_.costs.queue_operation);
        ItemPtr item = std::move(child.queue.front());
        child.queue.pop_front();
        send_item(api, child.at, *item);
    }
}

}  // namespace trek_kernel
