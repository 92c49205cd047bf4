// Two nodes and one link between n0.1 and n1.0, through any number of C004, and messages on it that note when they arrived.
#pragma once

#include <deque>
#include <string>

#include "hw_bench.hpp"
#include "sent_message.hpp"

namespace hw_test {

class LinkPair {
public:
    LinkPair(std::int64_t bits_per_second, std::size_t switches, hw_model::LinkLevel level = hw_model::LinkLevel::Message)
        : machine("machine", description(bits_per_second, switches), costs(), 1, {.links = level}), script(machine.timeline()) {
        machine.connect_switches();
    }

    using Sent = SentMessage;

    Sent& prepare(std::size_t from, std::uint32_t bytes, hw_model::Channel channel = hw_model::Channel::Datalink) {
        return messages_.emplace_back(machine.timeline(), side(from), side(1 - from), bytes, channel);
    }
    Sent& send_at(SimTime when, std::size_t from, std::uint32_t bytes,
                  hw_model::Channel channel = hw_model::Channel::Datalink) {
        Sent& message = prepare(from, bytes, channel);
        script.at(when, [&message] {
            message.receive();
            message.send();
        });
        return message;
    }
    hw_model::Node& end(std::size_t which) { return machine.node(NodeId(static_cast<NodeId::value_type>(which))); }
    hw_model::LinkEnd& link(std::size_t which) { return *end(which).link(LinkNo(which == 0 ? 1 : 0)); }

    Side side(std::size_t which) { return {link(which), end(which).processor}; }

    hw_model::Machine machine;
    Script script;

private:
    static topologies::MachineDescription description(std::int64_t bits_per_second, std::size_t switches) {
        using topologies::NodeLink;
        using topologies::SwitchId;
        using topologies::SwitchWay;
        using topologies::WayNo;
        topologies::MachineDescription result = topologies::chain(2);
        result.link_bits_per_second = bits_per_second;
        topologies::WireEnd last = NodeLink{NodeId(0), LinkNo(1)};
        std::erase_if(result.wires, [&](const topologies::Wire& wire) { return wire.a == last || wire.b == last; });
        for (std::size_t i = 0; i < switches; ++i) {
            result.switches.push_back({"x" + std::to_string(i), {{WayNo(3), WayNo(29)}}});
            const SwitchId id(static_cast<SwitchId::value_type>(i));
            result.wires.push_back({last, SwitchWay{id, WayNo(3)}});
            last = SwitchWay{id, WayNo(29)};
        }
        result.wires.push_back({last, NodeLink{NodeId(1), LinkNo(0)}});
        return result;
    }
    std::deque<Sent> messages_;
};

}  // namespace hw_test
