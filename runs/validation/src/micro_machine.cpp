#include "micro_machine.hpp"

#include <algorithm>
#include <string>

#include <trollius_os/accounts.hpp>

namespace validation {

using hw_model::Fiber;
using vocabulary::Cycles;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;
using vocabulary::SwitchId;
using vocabulary::WayNo;

namespace {
constexpr std::uint64_t ram = std::uint64_t{1} << 20;
}  // namespace

topologies::MachineDescription lone_nodes(std::size_t count, std::int64_t clock_hz) {
    topologies::MachineDescription machine;
    machine.name = "measurement";
    machine.without_host = true;
    machine.nodes.assign(count, {ram, clock_hz});
    return machine;
}

topologies::MachineDescription pairs_of_nodes(std::int64_t bits_per_second, std::span<const std::size_t> switches,
                                              std::int64_t clock_hz) {
    topologies::MachineDescription machine = lone_nodes(2 * switches.size(), clock_hz);
    machine.link_bits_per_second = bits_per_second;
    for (std::size_t pair = 0; pair < switches.size(); ++pair) {
        const NodeId first(static_cast<NodeId::value_type>(2 * pair)), second(static_cast<NodeId::value_type>(2 * pair + 1));
        topologies::WireEnd last = topologies::NodeLink{first, LinkNo(1)};
        for (std::size_t i = 0; i < switches[pair]; ++i) {
            const SwitchId id(static_cast<SwitchId::value_type>(machine.switches.size()));
            machine.switches.push_back({"x" + std::to_string(machine.switches.size()), {{WayNo(0), WayNo(1)}}});
            machine.wires.push_back({last, topologies::SwitchWay{id, WayNo(0)}});
            last = topologies::SwitchWay{id, WayNo(1)};
        }
        machine.wires.push_back({last, topologies::NodeLink{second, LinkNo(0)}});
    }
    return machine;
}

MicroMachine::MicroMachine(const topologies::MachineDescription& description, const topologies::CostTable& costs,
                           topologies::LinkLevel links)
    : machine_("machine", description, costs, 1, hw_model::MachineOptions{links, {}, false}) {
    machine_.connect_switches();
}

hw_model::Node& MicroMachine::node(std::size_t index) {
    return machine_.node(NodeId(static_cast<NodeId::value_type>(index)));
}

Fiber& MicroMachine::start(std::size_t index, hw_model::Priority priority, std::function<void(Fiber&)> code) {
    const std::size_t own = fibers_.size();
    fibers_.push_back(
        std::make_unique<Fiber>(priority, node(index).arena, [this, own, code = std::move(code)] { code(*fibers_[own]); }));
    node(index).processor.start(*fibers_[own]);
    return *fibers_[own];
}

Cycles MicroMachine::setup() const {
    return std::max(Cycles(1), machine_.link_timing().setup - Cycles(start_next));
}

void MicroMachine::out(Fiber& me, hw_model::LinkEnd& link, std::span<const std::byte> bytes, hw_model::Memory memory) {
    me.use(setup());
    hw_model::LinkMessage message;
    message.channel = hw_model::Channel::Circuit;
    message.account = trollius_os::accounts::application;
    message.body = bytes;
    message.wire_bytes = static_cast<std::uint32_t>(bytes.size());
    message.sender = &me;
    message.memory = memory;
    link.send(message);
    while (!message.sent) me.wait();
    me.use(machine_.link_timing().completion);
}

void MicroMachine::in(Fiber& me, hw_model::LinkEnd& link, std::span<std::byte> room, hw_model::Memory memory) {
    me.use(setup());
    hw_model::LinkReceive request;
    request.body = room;
    request.receiver = &me;
    request.memory = memory;
    link.receive(request, hw_model::Channel::Circuit);
    while (!request.received) me.wait();
    last_arrived_ = request.arrived;
    me.use(machine_.link_timing().completion);
}

void MicroMachine::sleep_until(Fiber& me, std::size_t index, SimTime when) {
    node(index).processor.wake_at(when, me);
    me.wait();
    me.use(Cycles(1));
}

}  // namespace validation
