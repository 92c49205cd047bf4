// A chain of three nodes. Its first link, n0.1 - n1.0, has a tap; its second, n1.1 - n2.0, has none. Messages over either note
// when they arrived, at message and at byte level.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include <hw_model/fault_injector.hpp>
#include <topologies/generators.hpp>

#include "hw_bench.hpp"

namespace hw_test {

class TappedChain {
public:
    explicit TappedChain(hw_model::LinkLevel level)
        : description(topologies::chain(3)),
          machine("machine", description, costs(), 1, {.links = level, .tapped_wires = {wire()}}),
          script(machine.timeline()) {}

    class Sent {
    public:
        Sent(hw_model::Machine& on, hw_model::LinkEnd& from, hw_model::LinkEnd& to, hw_model::Node& receiver,
             std::uint32_t bytes)
            : witness_(on.timeline()), from_(from), to_(to), content_(bytes), room_(bytes) {
            for (std::size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<std::byte>(i * 31 + i / 251);
            message_.body = content_;
            message_.wire_bytes = bytes;
            request_.body = room_;
            request_.receiver = &witness_;
            receiver.processor.start(witness_);
        }
        void send() { from_.send(message_); }
        void receive() { to_.receive(request_, hw_model::Channel::Datalink); }
        bool sent() const { return message_.sent; }
        bool received() const { return request_.received; }
        SimTime arrived() const { return witness_.woken.back(); }
        std::vector<std::uint32_t> changed() const {
            std::vector<std::uint32_t> result;
            for (std::uint32_t i = 0; i < room_.size(); ++i) {
                if (room_[i] != content_[i]) result.push_back(i);
            }
            return result;
        }

    private:
        Witness witness_;
        hw_model::LinkEnd &from_, &to_;
        std::vector<std::byte> content_, room_;
        hw_model::LinkMessage message_;
        hw_model::LinkReceive request_;
    };

    // From node `from` to its neighbour `to`.
    Sent& prepare(std::uint16_t from, std::uint16_t to, std::uint32_t bytes) {
        const std::uint8_t out = from < to ? 1 : 0;
        return messages_.emplace_back(machine, *machine.node(NodeId(from)).link(LinkNo(out)),
                                      *machine.node(NodeId(to)).link(LinkNo(1 - out)), machine.node(NodeId(to)), bytes);
    }
    Sent& send_at(SimTime when, std::uint16_t from, std::uint16_t to, std::uint32_t bytes) {
        Sent& message = prepare(from, to, bytes);
        script.at(when, [&message] {
            message.receive();
            message.send();
        });
        return message;
    }
    hw_model::LinkTap& tap() { return *machine.tap(wire()); }
    std::size_t wire() const {
        const topologies::WireEnd end = topologies::NodeLink{NodeId(0), LinkNo(1)};
        for (std::size_t i = 0;; ++i) {
            if (description.wires.at(i).a == end) return i;
        }
    }

    topologies::MachineDescription description;
    hw_model::Machine machine;
    Script script;

private:
    std::deque<Sent> messages_;
};

// Notes what a tap did.
class Hits final : public hw_model::LinkTap::Witness {
public:
    void hit(const hw_model::LinkTap&, const hw_model::LinkTap::Hit& hit) override { all.push_back(hit); }
    std::size_t count(hw_model::FaultEffect effect) const {
        std::size_t result = 0;
        for (const auto& one : all) result += one.effect == effect ? 1 : 0;
        return result;
    }
    std::vector<hw_model::LinkTap::Hit> all;
};

}  // namespace hw_test
