// Two nodes and one link between n0.1 and n1.0, through any number of C004, and messages on it that note when they arrived.
#pragma once

#include <deque>
#include <string>

#include "hw_bench.hpp"

namespace hw_test {

class LinkPair {
public:
    LinkPair(std::int64_t bits_per_second, std::size_t switches)
        : machine("machine", description(bits_per_second, switches), costs(), 1), script(machine.timeline()) {
        machine.connect_switches();
    }

    // A message with content, and somebody who waits for it at the other end.
    class Sent {
    public:
        Sent(LinkPair& pair, std::size_t from, std::uint32_t bytes, hw_model::Channel channel)
            : witness_(pair.machine.timeline()), pair_(pair), from_(from), channel_(channel), content_(bytes), room_(bytes) {
            for (std::size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<std::byte>(i * 31 + i / 251);
            const std::size_t head = content_.size() < 8 ? content_.size() : 8;
            message_.channel = channel;
            message_.header = std::span(content_).first(head);
            message_.body = std::span(content_).subspan(head);
            message_.wire_bytes = bytes;
            request_.header = std::span(room_).first(head);
            request_.body = std::span(room_).subspan(head);
            request_.receiver = &witness_;
            pair.end(1 - from).processor.start(witness_);
        }
        void send() { pair_.link(from_).send(message_); }
        void receive() { pair_.link(1 - from_).receive(request_, channel_); }
        bool sent() const { return message_.sent; }
        bool received() const { return request_.received; }
        bool unconnected() const { return message_.unconnected; }
        bool content_arrived() const { return room_ == content_; }
        SimTime arrived() const { return witness_.woken.back(); }

    private:
        Witness witness_;
        LinkPair& pair_;
        std::size_t from_;
        hw_model::Channel channel_;
        std::vector<std::byte> content_, room_;
        hw_model::LinkMessage message_;
        hw_model::LinkReceive request_;
    };

    Sent& prepare(std::size_t from, std::uint32_t bytes, hw_model::Channel channel = hw_model::Channel::Datalink) {
        return messages_.emplace_back(*this, from, bytes, channel);
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
