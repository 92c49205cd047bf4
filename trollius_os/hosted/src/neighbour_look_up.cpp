#include <trollius_hosted/neighbour_look_up.hpp>

#include <deque>

namespace trollius_hosted {

using hw_model::Demand;
using vocabulary::LinkNo;
using vocabulary::NodeId;

namespace {

struct Identity {
    NodeId::value_type node = 0;
    LinkNo::value_type link = 0;
};

// One direction of one link: pays for the message, gives or takes it, and ends.
class LookUpProcess : public hw_model::Activity {
public:
    LookUpProcess(hw_model::LinkEnd& link, vocabulary::Cycles cost)
        : Activity(hw_model::Priority::High), link_(link), cost_(cost) {}

protected:
    virtual void begin() = 0;
    virtual bool done() const = 0;

    Demand resume() override {
        if (!paid_) {
            paid_ = true;
            return {.kind = Demand::Kind::Use, .cycles = cost_};
        }
        if (!begun_) {
            begun_ = true;
            begin();
        }
        return {.kind = done() ? Demand::Kind::End : Demand::Kind::Wait};
    }
    hw_model::LinkEnd& link_;

private:
    vocabulary::Cycles cost_;
    bool paid_ = false, begun_ = false;
};

class Teller final : public LookUpProcess {
public:
    Teller(hw_model::LinkEnd& link, vocabulary::Cycles cost, Identity own) : LookUpProcess(link, cost), own_(own) {
        message_.body = std::as_bytes(std::span(&own_, 1));
        message_.wire_bytes = sizeof own_;
        message_.sender = this;
    }
    void give_up() { link_.withdraw(message_); }

private:
    void begin() override { link_.send(message_); }
    bool done() const override { return message_.sent; }
    Identity own_;
    hw_model::LinkMessage message_;
};

class Listener final : public LookUpProcess {
public:
    Listener(hw_model::LinkEnd& link, vocabulary::Cycles cost, NodeId at, LinkNo over)
        : LookUpProcess(link, cost), node(at), number(over) {
        request_.body = std::as_writable_bytes(std::span(&theirs, 1));
        request_.receiver = this;
    }
    bool heard() const { return request_.received; }
    void give_up() { link_.withdraw(request_, hw_model::Channel::Datalink); }

    const NodeId node;
    const LinkNo number;
    Identity theirs;

private:
    void begin() override { link_.receive(request_, hw_model::Channel::Datalink); }
    bool done() const override { return request_.received; }
    hw_model::LinkReceive request_;
};

}  // namespace

bool operator==(const DiscoveredNetwork& discovered, const topologies::Network& network) {
    for (std::size_t i = 0; i < discovered.seen_.size(); ++i) {
        for (std::uint8_t link = 0; link < 4; ++link) {
            const auto& wanted = network.neighbour(NodeId(static_cast<NodeId::value_type>(i)), LinkNo(link));
            const auto& seen = discovered.seen_[i][link];
            if (seen.has_value() != wanted.has_value()) return false;
            if (seen && (seen->node != wanted->node || seen->link != wanted->link)) return false;
        }
    }
    return discovered.seen_.size() == network.node_count() + 1;
}

DiscoveredNetwork discover_network(hw_model::Machine& machine, vocabulary::SimTime time_out) {
    const std::size_t ends = machine.node_count() + 1;
    const vocabulary::Cycles cost = machine.link_timing().setup + machine.link_timing().completion;
    std::deque<Teller> tellers;
    std::deque<Listener> listeners;
    for (std::size_t i = 0; i < ends; ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        for (std::uint8_t number = 0; number < 4; ++number) {
            hw_model::LinkEnd* link = machine.node(node).link(LinkNo(number));
            if (link == nullptr) continue;
            hw_model::Processor& processor = machine.node(node).processor;
            processor.start(tellers.emplace_back(*link, cost, Identity{node.value(), number}));
            processor.start(listeners.emplace_back(*link, cost, node, LinkNo(number)));
        }
    }
    machine.run_until(machine.timeline().now() + time_out);
    DiscoveredNetwork network(ends);
    std::size_t index = 0;
    for (Listener& listener : listeners) {
        Teller& teller = tellers[index++];
        hw_model::Processor& processor = machine.node(listener.node).processor;
        if (listener.heard()) {
            network.neighbour(listener.node, listener.number) = {NodeId(listener.theirs.node), LinkNo(listener.theirs.link)};
        } else {
            listener.give_up();
            processor.stop(listener);
        }
        teller.give_up();
        if (!teller.ended()) processor.stop(teller);
    }
    return network;
}

}  // namespace trollius_hosted
