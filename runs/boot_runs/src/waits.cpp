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

enum class Ended : std::uint8_t { Other, In, Out, Alternatives, Timer };

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
    if (last == 0xFB && first == 0x22) return Ended::Timer;         // tin
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
    const char* const verb = alternatives                    ? "waits in an ALT at"
                             : process.ended == Ended::Timer ? "waits for"
                             : process.ended == Ended::Out   ? "waits to output at"
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
        using Rest = hw_model::CoreDriver::Rest;
        const hw_model::Node& node = machine_.node(node_);
        if (node.processor.stopped() || (driver_.rest() != Rest::Idle && driver_.rest() != Rest::None))
            return add(state_of(node));
        note_who_goes_on();
        for (std::uint8_t link = 0; link < topologies::links_per_node; ++link) {
            at_link(LinkNo(link), true);
            at_link(LinkNo(link), false);
        }
        at(core_.word(reserved::event), "the event pin", Ended::In);
        at_channels();
        at_timers();
        for (const Waiting& process : processes_) add(told(process));
        if (const auto& stopped = core_.stopped_on_error())
            add(named(stopped->descriptor, stopped->iptr) + " has stopped at stoperr: Error was set");
        if (told_ == 0) add(driver_.rest() == Rest::None ? "runs" : "is idle: no process is left");
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
    // `by`: what it does there, where its code does not tell.
    void at(std::uint32_t descriptor, const std::string& place, Ended by) {
        auto waiting = process_of(core_, descriptor);
        if (!waiting || std::find(go_on_.begin(), go_on_.end(), descriptor) != go_on_.end()) return;
        if (waiting->ended == Ended::Other) waiting->ended = by;
        const auto same = [&](const Waiting& other) { return other.descriptor == descriptor; };
        auto process = std::find_if(processes_.begin(), processes_.end(), same);
        if (process == processes_.end()) process = processes_.insert(processes_.end(), *waiting);
        process->places.push_back(place);
    }

    // Between alt and altwt the words of channels name a process that runs, or is ready.
    void note_who_goes_on() {
        const t800_core::Registers& r = core_.registers();
        if (r.running) go_on_.push_back(r.wptr | r.priority);
        if (r.low_cut) go_on_.push_back(core_.word(reserved::saved_wdesc));
        for (std::uint32_t priority = 0; priority < 2; ++priority) {
            std::uint32_t process = r.front[priority];
            for (std::size_t i = 0; i < core_.memory().size() / 8 && process != t800_core::not_process; ++i) {
                go_on_.push_back(process | priority);
                if (process == r.back[priority]) break;
                process = core_.word(process - 8);
            }
        }
    }

    void at_timers() {
        for (std::uint32_t priority = 0; priority < 2; ++priority) {
            std::uint32_t process = core_.word(reserved::timer_queue_0 + 4 * priority) & ~3U;
            for (std::size_t i = 0;
                 i < most_of_a_node && process != t800_core::not_process && core_.is_memory(process - 20, 20); ++i) {
                at(process | priority, fmt::format("clock {} to pass {}", priority, core_.word(process - 20)), Ended::Timer);
                process = core_.word(process - 16) & ~3U;
            }
        }
    }

    void at_link(LinkNo link, bool output) {
        const std::uint32_t channel = (output ? reserved::link_output : reserved::link_input) + 4U * link.value();
        at(core_.word(channel), fmt::format("link {} ({})", link.value(), far_end(link)), output ? Ended::Out : Ended::In);
    }

    // Only words at which something has waited: elsewhere a pointer to a workspace would look like a process.
    void at_channels() {
        const auto bytes = static_cast<std::uint32_t>(core_.memory().size());
        for (std::uint32_t offset = reserved::mem_start - t800_core::min_int; offset + 4 <= bytes; offset += 4) {
            const std::uint32_t channel = t800_core::min_int + offset, descriptor = core_.word(channel);
            if (!core_.was_channel(channel) || processes_.size() > most_of_a_node) continue;
            const auto waiting = process_of(core_, descriptor);
            if (waiting && waiting->ended != Ended::Other) at(descriptor, fmt::format("channel #{:08X}", channel), Ended::In);
        }
    }

    hw_model::Machine& machine_;
    NodeId node_;
    const hw_model::CoreDriver& driver_;
    const Core& core_;
    std::vector<Wait>& all_;
    std::vector<Waiting> processes_;
    std::vector<std::uint32_t> go_on_;  // descriptors of those that run or are ready
    std::size_t told_ = 0;
};

}  // namespace

std::string state_of(const hw_model::Node& node) {
    using Rest = hw_model::CoreDriver::Rest;
    const hw_model::CoreDriver& core = *node.core();
    const bool by_itself = core.rest() == Rest::Halted || core.rest() == Rest::RanAway || core.rest() == Rest::Analysed;
    if (node.processor.stopped() && !by_itself) return node.processor.halted() ? "has been halted" : "has crashed";
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
