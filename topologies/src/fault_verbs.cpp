// The table of verbs, and the text of a fault.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <topologies/end_names.hpp>
#include <topologies/fault_plan.hpp>
#include <topologies/strict_yaml.hpp>

#include "quantity.hpp"

namespace topologies {
namespace {

using enum FaultTarget;
using enum FaultRate;

constexpr std::string_view directions = "both (left out), forward or backward; forward is from the end written first";

constexpr std::array<FaultVerbInfo, 10> verbs{{
    {FaultVerb::Die, "die", Node, PerSecond, false, "", "",
     "The node stops at once, with its links; the content of its memory and buffers is lost.", "die: n5, at: 12ms"},
    {FaultVerb::Halt, "halt", Node, PerSecond, false, "", "",
     "The processor stops. Clock, memory and links go on, so a transfer under way ends normally.",
     "halt: n5, when: {task: 49, node: n5, step: start}"},
    {FaultVerb::Slow, "slow", Node, PerSecond, true, "factor", "1 to 1000000",
     "Everything the processor does takes that many times as long.", "slow: n5, factor: 3, at: 20ms, for: 10ms"},
    {FaultVerb::Cut, "cut", Link, PerSecond, true, "direction", directions,
     "No data and no acknowledge pass. A transfer under way never ends, even when the link comes back. Without acknowledges "
     "from one direction the other carries nothing either.",
     "cut: n1.1 - n2.0, direction: both, at: 12ms"},
    {FaultVerb::Stick, "stick", Link, PerSecond, false, "direction", directions,
     "The output of the end holds its level: nothing passes, and a transfer under way never ends.",
     "stick: n1.1 - n2.0, direction: forward, when: {task: 7, step: send}"},
    {FaultVerb::Flip, "flip", Link, PerByte, true, "direction", directions,
     "One bit of a packet arrives inverted. In a data packet 8 of the 11 bits change the byte. An inverted start, kind or stop "
     "bit, or either bit of an acknowledge, loses the packet, and the transfer never ends. Without a rate: one data packet.",
     "flip: n1.1 - n2.0, rate: 1e-6"},
    {FaultVerb::LoseAcknowledge, "lose_acknowledge", Link, PerByte, true, "direction", directions,
     "The acknowledge of a byte does not arrive, and the sender waits for it for ever. After the last byte the receiver has "
     "the message. The direction is that of the acknowledge. Without a rate: one acknowledge.",
     "lose_acknowledge: n1.1 - n2.0, direction: backward, at: 15ms"},
    {FaultVerb::SwitchStuck, "switch_stuck", Way, PerSecond, false, "", "",
     "The output of the C004's way holds its level, whatever the switch is told.", "switch_stuck: x0.5, at: 10ms"},
    {FaultVerb::Miswire, "miswire", Way, PerSecond, false, "to", "0 to 31",
     "The output of the C004's way takes the input of another way, whatever the switch is told.",
     "miswire: x0.5, to: 9, at: 10ms"},
    {FaultVerb::Memory, "memory", Node, None, false, "size", "64KiB up to the size in the machine file",
     "The node has less memory than described, from power-up on.", "memory: n5, size: 512KiB"},
}};

constexpr std::array<std::string_view, 4> step_words{"starts", "finishes", "is sent", "is received"};

std::string event_text(const FaultEvent& event) {
    std::string text = fmt::format("when task {}", event.task);
    if (event.subtask) text += fmt::format(", sub-task {:04x},", *event.subtask);
    text += fmt::format(" {}", step_words[static_cast<std::size_t>(event.step)]);
    if (!event.node) return text;
    const bool moves = event.step == FaultStep::Send || event.step == FaultStep::Receive;
    return text + fmt::format(" {} {}", moves ? "by" : "on", node_name(*event.node));
}

}  // namespace

std::span<const FaultVerbInfo> fault_verbs() {
    return verbs;
}
const FaultVerbInfo& info_of(FaultVerb verb) {
    return verbs[static_cast<std::size_t>(verb)];
}

std::string target_text(FaultTarget target) {
    switch (target) {
        case Node:
            return "a node, as n5";
        case Link:
            return "the two ends of a link or of a cable, as n0.1 - n1.0";
        case Way:
            break;
    }
    return "a way of a switch, as x0.5";
}

std::vector<std::string> keys_of(const FaultVerbInfo& verb) {
    std::vector<std::string> keys{std::string(verb.name)};
    if (!verb.own_key.empty()) keys.emplace_back(verb.own_key);
    if (verb.rate != None) keys.insert(keys.end(), {"at", "when", "on", "rate"});
    if (verb.ends) keys.insert(keys.end(), {"until", "for"});
    return keys;
}

std::vector<std::size_t> FaultPlan::wires() const {
    std::vector<std::size_t> result;
    for (const Fault& fault : faults) {
        if (info_of(fault.verb).target == Link || fault.verb == FaultVerb::SwitchStuck) result.push_back(fault.wire);
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

std::string fault_text(const Fault& fault) {
    std::string text = fmt::format("{} {}", info_of(fault.verb).name, fault.target);
    if (info_of(fault.verb).target == Link && fault.direction != FaultDirection::Both)
        text += fault.direction == FaultDirection::Forward ? " forward" : " backward";
    if (fault.verb == FaultVerb::Slow) text += fmt::format(" by {}", fault.factor);
    if (fault.verb == FaultVerb::Miswire) text += fmt::format(" to {}", fault.to.value());
    if (fault.verb == FaultVerb::Memory) text += fmt::format(" of {}", byte_size_text(fault.ram_bytes));
    return text;
}

std::string moment_text(const Fault& fault) {
    if (fault.verb == FaultVerb::Memory) return "from power-up";
    std::string text;
    if (fault.rate) text = fmt::format("at {} per {}", *fault.rate, info_of(fault.verb).rate == PerByte ? "byte" : "second");
    if (fault.at) text += fmt::format("{}{}", text.empty() ? "at " : " from ", time_text(*fault.at));
    if (fault.on) text += (text.empty() ? "" : " from ") + event_text(*fault.on);
    if (fault.until) text += " until " + time_text(*fault.until);
    if (fault.duration) text += " for " + time_text(*fault.duration);
    return text;
}

}  // namespace topologies
