#include <trollius_hosted/unreceived.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <trollius_os/services.hpp>

namespace trollius_hosted {
namespace {

using trollius_os::Kernel;
using trollius_os::Message;
using vocabulary::EventNo;
using vocabulary::NodeId;

bool is_of_user(EventNo event) {
    return event.value() >= 0;
}

class Count {
public:
    void look_at(const Kernel& kernel) {
        for (const Message* packet : trollius_os::services::buffered_packets(kernel))
            add(kernel.node(), *packet, packet->node, {});
        for (const auto* clients : {&kernel.processes(), &kernel.threads()}) {
            for (const auto& process : *clients) {
                const Message* offered = process->offered();
                if (offered == nullptr) continue;
                const bool arrived = process->last_event() == offered->event;  // a local send names no node
                add(kernel.node(), *offered, arrived ? kernel.node() : offered->node, process->name());
            }
        }
    }
    std::vector<Unreceived> sorted() {
        std::sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.key() < b.key(); });
        return std::move(all_);
    }

private:
    void add(NodeId at, const Message& packet, NodeId to, const std::string& held_by) {
        if (is_of_user(packet.event)) add({at, to, packet.event, packet.type, held_by, first(packet.flags), packet.length});
        // From castd to castd, in a packet for castd.
        const auto cast = trollius_os::services::cast_in(packet);
        if (cast && is_of_user(cast->event))
            add({at, cast->cast, cast->event, cast->type, held_by, first(cast->flags), cast->length});
    }
    // The packets of one message count once.
    static std::uint64_t first(std::uint32_t flags) { return (flags & trollius_os::flags::second) == 0 ? 1 : 0; }
    void add(Unreceived messages) {
        const auto known = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.key() == messages.key(); });
        if (known == all_.end()) return all_.push_back(std::move(messages));
        known->messages += messages.messages;
        known->bytes += messages.bytes;
    }

    std::vector<Unreceived> all_;
};

std::string name(NodeId node, NodeId host) {
    if (trollius_os::is_cast(node)) return fmt::format("cast {}", node.value());
    return node == host ? "h" : fmt::format("n{}", node.value());
}

}  // namespace

std::vector<Unreceived> unreceived_messages(Multicomputer& machine) {
    Count count;
    for (std::size_t i = 0; i <= machine.host_id().value(); ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        if (node == machine.host_id() || machine.booted(node)) count.look_at(machine.kernel(node));
    }
    return count.sorted();
}

std::string unreceived_text(const Unreceived& messages, NodeId host) {
    const std::uint64_t number = messages.messages;
    const std::string holder = messages.held_by.empty() ? "the buffers" : messages.held_by;
    const std::string what = number == 0   ? "the rest of a message"  // its first packets are elsewhere, or taken
                             : number == 1 ? "1 message"
                                           : fmt::format("{} messages", number);
    return fmt::format("{} for event {}, type {:x}, of {} ({} bytes): held by {} of {}", what, messages.event.value(),
                       messages.type, name(messages.node, host), messages.bytes, holder, name(messages.at, host));
}

}  // namespace trollius_hosted
