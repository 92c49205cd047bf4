#include "core_trace.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <t800_core/registers.hpp>

namespace boot_runs {
namespace {

using t800_core::Cycle;
using trace_record::Event;
using trace_record::EventKind;
using vocabulary::LinkNo;
using vocabulary::NodeId;
namespace reserved = t800_core::reserved;

constexpr std::size_t most_held = 1 << 16;

bool is_link(std::uint32_t channel) {
    return channel - reserved::link_output < reserved::event - reserved::link_output;
}
bool is_output(std::uint32_t channel) {
    return channel < reserved::link_input;
}

}  // namespace

NodeTrace::NodeTrace(hw_model::Machine& machine, NodeId node, trace_record::TraceFileWriter& writer, bool instructions)
    : machine_(machine),
      node_(node),
      writer_(writer),
      instructions_(instructions),
      cycle_ps_(machine.node(node).processor.cycle().in_ps()) {
    machine.node(node).core()->core().observe(this);
    machine.node(node).core()->set_witness(this);
}

void NodeTrace::flush() {
    if (records_.empty()) return;
    writer_.events(static_cast<std::uint16_t>(node_.value()), written_, records_);
    written_ += static_cast<std::uint32_t>(records_.size());
    records_.clear();
}

void NodeTrace::close() {
    flush();
    writer_.stream_end(static_cast<std::uint16_t>(node_.value()), written_);
}

Event& NodeTrace::add(Cycle at, EventKind kind) {
    if (records_.size() >= most_held) flush();
    Event& event = records_.emplace_back();
    event.time_us = at * static_cast<std::uint64_t>(cycle_ps_) / 1'000'000;
    event.seq = written_ + static_cast<std::uint32_t>(records_.size()) - 1;
    event.node = static_cast<std::uint16_t>(node_.value());
    event.kind = kind;
    return event;
}

// The number is the address; the value has the operand, the function, and the low bits of the cycle.
void NodeTrace::instruction(const t800_core::SeenInstruction& what) {
    Event& event = add(what.start, EventKind::User);
    event.task = what.address;
    event.subtask = what.operand;
    event.bytes = std::uint32_t{what.function} << 28 | static_cast<std::uint32_t>(what.start & 0x0FFFFFFF);
}

// A process has a workspace, but calls move it: it is known by the descriptor with which it waited.
void NodeTrace::process_started(Cycle at, std::uint32_t descriptor, std::uint32_t) {
    if (const auto known = waits_.find(descriptor); known != waits_.end()) {
        running_ = known->second;
        waits_.erase(known);
        return;
    }
    running_ = ++processes_;
    Event& event = add(at, EventKind::ProcessStart);
    const std::string name = fmt::format("{:08X} {}", descriptor & ~3U, (descriptor & 1U) != 0 ? "low" : "high");
    std::array<char, 12> bytes{};
    std::memcpy(bytes.data(), name.data(), std::min(name.size(), bytes.size()));
    std::memcpy(&event.task, bytes.data(), 4);
    std::memcpy(&event.subtask, bytes.data() + 4, 4);
    std::memcpy(&event.bytes, bytes.data() + 8, 4);
    event.peer = static_cast<std::uint16_t>(running_);
    for (std::uint32_t link = 0; link < came_.size(); ++link) {  // its boot message
        if (inputs_[link].process == 0) receive(at, reserved::link_input + 4 * link, running_, link);
    }
}

void NodeTrace::process_left(Cycle at, std::uint32_t descriptor, bool ends) {
    if (running_ == 0) return;
    if (!ends) {
        waits_[descriptor] = std::exchange(running_, 0U);
        return;
    }
    add(at, EventKind::ProcessEnd).peer = static_cast<std::uint16_t>(std::exchange(running_, 0U));
}

void NodeTrace::process_joined(Cycle at, std::uint32_t descriptor, std::uint32_t successor) {
    process_left(at, descriptor, true);
    process_started(at, successor, 0);
}

std::uint32_t NodeTrace::process_of(std::uint32_t descriptor) const {
    const auto waiting = waits_.find(descriptor);
    return waiting == waits_.end() ? running_ : waiting->second;
}

void NodeTrace::message(const t800_core::SeenMessage& what) {
    if (!is_link(what.channel) && what.channel != reserved::event) return between_processes(what);
    const std::uint32_t link = what.channel >> 2 & 3U;
    if (what.channel == reserved::event || !is_output(what.channel)) {
        Event& call = add(what.at, EventKind::ReceiveCall);
        call.task = what.channel;
        call.subtask = running_;
        if (what.channel != reserved::event) inputs_[link] = {running_, what.count, 0, 0};
        return;
    }
    outputs_[link] = {running_, what.count, ++messages_, far_node(LinkNo(static_cast<std::uint8_t>(link)))};
    Event& call = add(what.at, EventKind::SendCall);
    call.peer = outputs_[link].peer;
    call.task = what.channel;
    call.subtask = running_;
    call.bytes = messages_;
}

void NodeTrace::between_processes(const t800_core::SeenMessage& what) {
    const auto here = static_cast<std::uint16_t>(node_.value());
    const std::uint32_t sender = process_of(what.sender), receiver = process_of(what.receiver), number = ++messages_;
    const auto put = [&](EventKind kind, std::uint32_t task, std::uint32_t process, std::uint32_t bytes) {
        Event& event = add(what.at, kind);
        event.peer = here, event.task = task, event.subtask = process, event.bytes = bytes;
    };
    put(EventKind::SendCall, what.channel, sender, number);
    put(EventKind::MessageSend, what.channel, sender, what.count);
    put(EventKind::Partner, number, receiver, 0);
    put(EventKind::MessageReceive, what.channel, receiver, what.count);
}

void NodeTrace::transfer_done(Cycle at, std::uint32_t channel, std::uint32_t) {
    const std::uint32_t link = channel >> 2 & 3U;
    if (channel == reserved::event) {
        Event& event = add(at, EventKind::MessageReceive);
        event.peer = trace_record::unknown_peer;
        event.task = channel;
        return;
    }
    if (!is_output(channel)) return receive(at, channel, std::exchange(inputs_[link].process, 0U), link);
    Event& event = add(at, EventKind::MessageSend);
    event.peer = outputs_[link].peer;
    event.task = channel;
    event.subtask = outputs_[link].process;
    event.bytes = outputs_[link].count;
}

// One record for each output of which bytes came. The first that has bytes of an output names it.
void NodeTrace::receive(Cycle at, std::uint32_t channel, std::uint32_t process, std::uint32_t link) {
    for (const Came& part : std::exchange(came_[link], {})) {
        const auto sender = static_cast<std::uint16_t>(part.name >> 32);
        if (part.name != 0 && named_[link] != part.name) {
            Event& partner = add(at, EventKind::Partner);
            partner.peer = sender;
            partner.task = static_cast<std::uint32_t>(part.name);
            partner.subtask = process;
        }
        named_[link] = part.name;
        Event& event = add(at, EventKind::MessageReceive);
        event.peer = part.name == 0 ? trace_record::unknown_peer : sender;
        event.task = channel;
        event.subtask = process;
        event.bytes = part.bytes;
    }
}

std::uint64_t NodeTrace::name_of_output(LinkNo link) {
    return std::uint64_t{node_.value()} << 32 | outputs_[link.value()].number;
}

void NodeTrace::bytes_came(LinkNo link, std::uint64_t name, std::size_t count) {
    std::vector<Came>& parts = came_[link.value()];
    if (parts.empty() || parts.back().name != name) parts.push_back({name, 0});
    parts.back().bytes += static_cast<std::uint32_t>(count);
}

// As the crossbars stand now.
std::uint16_t NodeTrace::far_node(LinkNo link) const {
    const topologies::WireEnd here = topologies::NodeLink{node_, link};
    for (const topologies::Wire& wire : machine_.description().wires) {
        if (wire.a != here && wire.b != here) continue;
        std::optional<topologies::WireEnd> far = wire.a == here ? wire.b : wire.a;
        if (const auto* way = std::get_if<topologies::SwitchWay>(&*far)) {
            const auto partner = machine_.link_switch(way->which).partner(way->way);
            far = partner ? machine_.end_behind({way->which, *partner}) : std::nullopt;
        }
        const auto* at = far ? std::get_if<topologies::NodeLink>(&*far) : nullptr;
        if (at != nullptr) return static_cast<std::uint16_t>(at->node.value());
        return far ? static_cast<std::uint16_t>(machine_.host().value()) : trace_record::unknown_peer;
    }
    return trace_record::unknown_peer;
}

CoreTrace::CoreTrace(hw_model::Machine& machine, trace_record::TraceFileWriter& writer, bool instructions) : writer_(writer) {
    for (std::size_t i = 0; i < machine.node_count(); ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        nodes_.push_back(
            machine.node(node).core() == nullptr ? nullptr : std::make_unique<NodeTrace>(machine, node, writer, instructions));
    }
}

void CoreTrace::flush() {
    for (const auto& node : nodes_) {
        if (node) node->flush();
    }
}

void CoreTrace::close() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i])
            nodes_[i]->close();
        else
            writer_.stream_end(static_cast<std::uint16_t>(i), 0);
    }
}

}  // namespace boot_runs
