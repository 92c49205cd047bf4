#include "waits.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hw_model/core_driver.hpp>
#include <t800_core/core.hpp>
#include <topologies/end_names.hpp>

namespace boot_runs {
namespace {

using t800_core::Core;
using vocabulary::LinkNo;
namespace reserved = t800_core::reserved;

// Waits that are told for one node at most: a report, no dump.
constexpr std::size_t most_of_a_node = 16;

enum class Ended : std::uint8_t { Other, In, Out, Alternatives };

struct Waiting {
    std::uint32_t descriptor = 0, iptr = 0;
    Ended ended = Ended::Other;
    std::vector<std::string> places;
};

std::uint8_t code_byte(const Core& core, std::uint32_t address) {
    return static_cast<std::uint8_t>(core.word(address & ~3U) >> (8 * (address & 3U)));
}

// The operation that ends right before an address, if it is one that waits: its code byte, and the prefix before it.
Ended before(const Core& core, std::uint32_t iptr) {
    if (!core.is_memory(iptr - 2, 2)) return Ended::Other;
    const std::uint8_t last = code_byte(core, iptr - 1), first = code_byte(core, iptr - 2);
    if (last == 0xF4 && first == 0x24) return Ended::Alternatives;  // altwt
    if (last == 0xF1 && first == 0x25) return Ended::Alternatives;  // taltwt
    if (last == 0xF7) return Ended::In;
    return last == 0xFB || last == 0xFE || last == 0xFF ? Ended::Out : Ended::Other;
}

std::optional<Waiting> process_of(const Core& core, std::uint32_t descriptor) {
    const std::uint32_t workspace = descriptor & ~3U;
    if (descriptor == t800_core::not_process || (descriptor & 2U) != 0) return std::nullopt;
    if (workspace - t800_core::min_int < 16 || !core.is_memory(workspace - 12, 12)) return std::nullopt;
    const std::uint32_t iptr = core.word(workspace - 4);
    return Waiting{descriptor, iptr, before(core, iptr), {}};
}

std::string named(std::uint32_t descriptor, std::uint32_t iptr) {
    return fmt::format("process #{:08X} ({} priority, next instruction at #{:08X})", descriptor & ~3U,
                       (descriptor & 1U) != 0 ? "low" : "high", iptr);
}

// "link 1 (n2.0), link 2 (n3.0) and channel #800007B8".
std::string joined(const std::vector<std::string>& places, const char* last) {
    if (places.size() < 2) return places.empty() ? "" : places.front();
    return fmt::format("{} {} {}", fmt::join(places.begin(), places.end() - 1, ", "), last, places.back());
}

std::string told(const Waiting& process) {
    const bool alternatives = process.ended == Ended::Alternatives;
    const char* const verb = alternatives                  ? "waits in an ALT at"
                             : process.ended == Ended::Out ? "waits to output at"
                                                           : "waits for input at";
    return fmt::format("{} {} {}", named(process.descriptor, process.iptr), verb,
                       joined(process.places, alternatives ? "and" : "or"));
}

class NodeWaits {
public:
    NodeWaits(hw_model::Machine& machine, NodeId node, std::vector<Wait>& all)
        : machine_(machine), node_(node), driver_(*machine.node(node).core()), core_(driver_.core()), all_(all) {}

    void run() {
        if (driver_.rest() == hw_model::CoreDriver::Rest::Boot) return add("waits for its boot message");
        if (driver_.rest() != hw_model::CoreDriver::Rest::Idle) return add(state_of(driver_));
        for (std::uint8_t link = 0; link < topologies::links_per_node; ++link) {
            at_link(LinkNo(link), true);
            at_link(LinkNo(link), false);
        }
        at(core_.word(reserved::event), "the event pin");
        at_channels();
        for (const Waiting& process : processes_) add(told(process));
        if (const auto& stopped = core_.stopped_on_error())
            add(named(stopped->descriptor, stopped->iptr) + " has stopped at stoperr: Error was set");
        if (told_ == 0) add("is idle: no process is left");
    }

private:
    void add(const std::string& text) {
        if (told_++ < most_of_a_node) all_.push_back({node_, text});
    }

    std::string far_end(LinkNo link) const {
        const auto& there = machine_.network().neighbour(node_, link);
        if (!there) return "which leads nowhere";
        if (there->node == machine_.host()) return "the host";
        return fmt::format("n{}.{}", there->node.value(), there->link.value());
    }

    // A process waits at one place, in an ALT at any number of them.
    bool at(std::uint32_t descriptor, const std::string& place) {
        const auto waiting = process_of(core_, descriptor);
        if (!waiting) return false;
        const auto same = [&](const Waiting& other) { return other.descriptor == descriptor; };
        auto process = std::find_if(processes_.begin(), processes_.end(), same);
        if (process == processes_.end()) process = processes_.insert(processes_.end(), *waiting);
        process->places.push_back(place);
        return true;
    }

    void at_link(LinkNo link, bool output) {
        const std::uint32_t channel = (output ? reserved::link_output : reserved::link_input) + 4U * link.value();
        at(core_.word(channel), fmt::format("link {} ({})", link.value(), far_end(link)));
    }

    // Only words at which something has waited: elsewhere a pointer to a workspace would look like a process.
    void at_channels() {
        const auto bytes = static_cast<std::uint32_t>(core_.memory().size());
        for (std::uint32_t offset = reserved::mem_start - t800_core::min_int; offset + 4 <= bytes; offset += 4) {
            const std::uint32_t channel = t800_core::min_int + offset, descriptor = core_.word(channel);
            if (!core_.was_channel(channel) || processes_.size() > most_of_a_node) continue;
            const auto waiting = process_of(core_, descriptor);
            if (waiting && waiting->ended != Ended::Other) at(descriptor, fmt::format("channel #{:08X}", channel));
        }
    }

    hw_model::Machine& machine_;
    NodeId node_;
    const hw_model::CoreDriver& driver_;
    const Core& core_;
    std::vector<Wait>& all_;
    std::vector<Waiting> processes_;
    std::size_t told_ = 0;
};

}  // namespace

std::string state_of(const hw_model::CoreDriver& core) {
    using Rest = hw_model::CoreDriver::Rest;
    switch (core.rest()) {
        case Rest::Boot:
            return "waits for its boot message";
        case Rest::Idle:
            return core.core().stopped_on_error() ? "has stopped a process at stoperr: Error was set" : "is idle";
        case Rest::Halted:
            return "has halted: Error was set, and HaltOnError too";
        case Rest::Analysed:
            return "was halted by analyse";
        case Rest::RanAway:
            return "has run into an address without memory";
        case Rest::None:
            break;
    }
    return "runs";
}

std::vector<Wait> waits_of(hw_model::Machine& machine) {
    std::vector<Wait> all;
    for (std::size_t i = 0; i < machine.node_count(); ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        if (machine.node(node).core() != nullptr) NodeWaits(machine, node, all).run();
    }
    return all;
}

}  // namespace boot_runs
