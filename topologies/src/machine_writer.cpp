#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <topologies/end_names.hpp>
#include <topologies/link_speeds.hpp>
#include <topologies/machine_writer.hpp>

#include "quantity.hpp"
#include "report_words.hpp"

namespace topologies {
namespace {

constexpr std::size_t most_columns = 100;

enum class EndKind { Host, Link, Way };

EndKind kind(const WireEnd& end) {
    if (std::holds_alternative<HostEnd>(end)) return EndKind::Host;
    return std::holds_alternative<NodeLink>(end) ? EndKind::Link : EndKind::Way;
}

// The way that owns the wire comes last; with two ways, that of the lower switch.
bool comes_first(const WireEnd& end, const WireEnd& other) {
    if (kind(end) != kind(other)) return kind(end) < kind(other);
    return kind(end) == EndKind::Way ? other < end : end < other;
}

// Connections of the host first, then direct wires, then by way of the owning switch. Expects the end that comes first in `a`.
auto rank(const Wire& wire) {
    const auto* owner = std::get_if<SwitchWay>(&wire.b);
    const int group = kind(wire.a) == EndKind::Host ? 0 : owner ? 2 : 1;
    return std::tuple(group, group == 2 ? *owner : SwitchWay{}, wire.a, wire.b);
}

template <class Member>
auto most_common(const std::vector<NodeDescription>& nodes, Member member) {
    std::map<std::remove_cvref_t<decltype(nodes.front().*member)>, std::size_t> count;
    for (const NodeDescription& node : nodes) ++count[node.*member];
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    return std::max_element(count.begin(), count.end(), less)->first;
}

class MachineText {
public:
    explicit MachineText(const MachineDescription& machine) : machine_(machine) {}

    std::string run() {
        text_ = fmt::format("version: 1\nname: {}\n", machine_.name);
        nodes();
        text_ += fmt::format("link_speed: {}\n", bit_rate_text(machine_.link_bits_per_second));
        host_and_links();
        if (!machine_.switches.empty()) text_ += "switches:\n";
        for (std::size_t s = 0; s < machine_.switches.size(); ++s) one_switch(s);
        weights();
        if (!machine_.waste.empty()) flow_list("waste", names(machine_.waste), 0);
        if (!machine_.boot_order.empty()) flow_list("boot_order", names(machine_.boot_order), 0);
        control_and_interrupts();
        if (machine_.unreachable_allowed) text_ += "unreachable: allowed\n";
        boards();
        return text_;
    }

private:
    void nodes() {
        if (machine_.nodes.empty()) return;
        const auto ram = most_common(machine_.nodes, &NodeDescription::ram_bytes);
        const auto clock = most_common(machine_.nodes, &NodeDescription::clock_hz);
        const auto speeds = most_common(machine_.nodes, &NodeDescription::link_bits_per_second);
        const auto core = most_common(machine_.nodes, &NodeDescription::core);
        const std::string overrides = node_overrides({ram, clock, speeds, core});
        const bool one_line = overrides.empty();
        const char* const next = one_line ? ", " : "\n  ";
        std::string more = speeds == NodeDescription{}.link_bits_per_second
                               ? ""
                               : fmt::format("{}link_speed: {}", next, link_speeds_value(speeds));
        if (core == NodeCore::T800) more += fmt::format("{}core: t800", next);
        const auto format = one_line ? "nodes: {{count: {}, ram: {}, clock: {}{}}}\n"
                                     : "nodes:\n  count: {}\n  ram: {}\n  clock: {}{}\n  override:\n";
        text_ += fmt::format(fmt::runtime(format), machine_.nodes.size(), byte_size_text(ram), frequency_text(clock), more) +
                 overrides;
    }

    // One for all four links, or a list.
    std::string link_speeds_value(const std::array<std::int64_t, links_per_node>& speeds) const {
        std::vector<std::string> texts;
        for (const std::int64_t speed : speeds)
            texts.push_back(bit_rate_text(speed != 0 ? speed : machine_.link_bits_per_second));
        const bool equal = std::count(texts.begin(), texts.end(), texts.front()) == std::ssize(texts);
        return equal ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "));
    }

    std::string node_overrides(const NodeDescription& common) const {
        std::string result;
        for (std::size_t n = 0; n < machine_.nodes.size(); ++n) {
            const NodeDescription& node = machine_.nodes[n];
            std::vector<std::string> settings;
            if (node.ram_bytes != common.ram_bytes) settings.push_back("ram: " + byte_size_text(node.ram_bytes));
            if (node.clock_hz != common.clock_hz) settings.push_back("clock: " + frequency_text(node.clock_hz));
            if (node.link_bits_per_second != common.link_bits_per_second)
                settings.push_back("link_speed: " + link_speeds_value(node.link_bits_per_second));
            if (node.core != common.core) settings.push_back(node.core == NodeCore::T800 ? "core: t800" : "core: kernel");
            if (!settings.empty()) result += fmt::format("    n{}: {{{}}}\n", n, fmt::join(settings, ", "));
        }
        return result;
    }

    void host_and_links() {
        std::string links;
        std::vector<std::string> host;
        for (const Wire& wire : machine_.wires) {
            if (const auto* connection = std::get_if<HostEnd>(&wire.a)) {
                host.resize(connection->link.value(), "none");
                host.push_back(end_name(machine_, wire.b));
            } else if (kind(wire.b) == EndKind::Link) {
                links += fmt::format("  - {} - {}\n", end_name(machine_, wire.a), end_name(machine_, wire.b));
            }
        }
        if (host.empty()) {
            text_ += "host: none\n";
        } else {
            text_ += host.size() == 1 ? "host: " + host[0] + "\n" : fmt::format("host: [{}]\n", fmt::join(host, ", "));
        }
        if (!links.empty()) text_ += "links:\n" + links;
    }

    void weights() {
        if (machine_.weight == 1 && machine_.weights.empty()) return;
        text_ += "weights:\n";
        if (machine_.weight != 1) text_ += fmt::format("  default: {}\n", machine_.weight);
        for (const LinkWeight& one : machine_.weights)
            text_ += fmt::format("  {} - {}: {}\n", end_name(machine_, one.a), end_name(machine_, one.b), one.weight);
    }

    static std::vector<std::string> names(const std::vector<NodeId>& nodes) {
        std::vector<std::string> result;
        for (const NodeId node : nodes) result.push_back(node_name(node));
        return result;
    }

    void control_and_interrupts() {
        std::vector<std::string> lists;
        for (const auto& connection : machine_.control) {
            std::vector<std::string> names;
            for (const SwitchId which : connection) names.push_back(machine_.switches[which.value()].name);
            lists.push_back(fmt::format("[{}]", fmt::join(names, ", ")));
        }
        if (!lists.empty()) flow_list("control", lists, 0);
        if (machine_.interrupt_master)
            text_ += fmt::format("interrupts: {{master: {}}}\n", node_name(*machine_.interrupt_master));
    }

    void boards() {
        if (!machine_.boards.empty()) text_ += "boards:\n";
        for (const BoardDescription& board : machine_.boards) {
            text_ += fmt::format("  {}:\n", board.name);
            std::vector<std::string> slots;
            for (const auto& slot : board.slots) slots.push_back(slot ? node_name(*slot) : "none");
            if (!slots.empty()) flow_list("slots", slots, 4);
            if (!board.switches.empty()) flow_list("switches", switch_names(machine_, board.switches), 4);
        }
    }

    void one_switch(std::size_t which) {
        std::vector<std::string> wires;
        for (const Wire& wire : machine_.wires) {
            const auto* way = std::get_if<SwitchWay>(&wire.b);
            if (!way || way->which.value() != which || kind(wire.a) == EndKind::Host) continue;
            wires.push_back(fmt::format("{} - {}", end_name(machine_, wire.a), way->way.value()));
        }
        std::vector<std::string> connections;
        for (const auto& [a, b] : machine_.switches[which].connections) {
            connections.push_back(fmt::format("{} - {}", a.value(), b.value()));
        }
        const SwitchDescription& one = machine_.switches[which];
        const bool of_b = one.revision == SwitchRevision::B;
        const bool bare = wires.empty() && connections.empty() && one.link_bits_per_second == 0 && of_b;
        text_ += fmt::format("  {}:{}\n", one.name, bare ? " {}" : "");
        if (one.link_bits_per_second != 0)
            text_ += fmt::format("    link_speed: {}\n", bit_rate_text(one.link_bits_per_second));
        if (!of_b) text_ += "    revision: A\n";
        if (!wires.empty()) flow_list("wires", wires, 4);
        if (!connections.empty()) flow_list("connect", connections, 4);
    }

    // "key: [a, b, ...]", broken before the margin with the entries under one another.
    void flow_list(const std::string& key, const std::vector<std::string>& entries, std::size_t margin) {
        std::string line = fmt::format("{:{}}{}: [", "", margin, key);
        const std::string indent(line.size(), ' ');
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const std::string piece = entries[i] + (i + 1 < entries.size() ? "," : "]");
            if (i > 0 && line.size() + 1 + piece.size() > most_columns) {
                text_ += line + "\n";
                line = indent + piece;
            } else {
                line += (i > 0 ? " " : "") + piece;
            }
        }
        text_ += line + "\n";
    }

    const MachineDescription& machine_;
    std::string text_;
};

}  // namespace

MachineDescription canonical_machine(MachineDescription machine) {
    leave_out_equal_speeds(machine);
    for (Wire& wire : machine.wires) {
        if (comes_first(wire.b, wire.a)) std::swap(wire.a, wire.b);
    }
    std::sort(machine.wires.begin(), machine.wires.end(), [](const Wire& a, const Wire& b) { return rank(a) < rank(b); });
    for (LinkWeight& one : machine.weights) {
        if (comes_first(one.b, one.a)) std::swap(one.a, one.b);
    }
    std::sort(machine.weights.begin(), machine.weights.end(), [](const LinkWeight& a, const LinkWeight& b) {
        return rank({a.a, a.b}) < rank({b.a, b.b});
    });
    std::sort(machine.waste.begin(), machine.waste.end());
    for (SwitchDescription& one : machine.switches) {
        for (auto& [a, b] : one.connections) {
            if (b < a) std::swap(a, b);
        }
        std::sort(one.connections.begin(), one.connections.end());
    }
    return machine;
}

std::string write_machine(const MachineDescription& machine, const Asked& asked) {
    const MachineDescription ordered = canonical_machine(machine);
    std::string text = MachineText(ordered).run();
    if (asked.all()) return text;
    std::vector<std::string> words;
    if (asked.ram) words.emplace_back("ram");
    if (asked.clock) words.emplace_back("clock");
    if (asked.link_speed) words.emplace_back("link_speed");
    return text + (words.empty() ? std::string("asks: none\n") : fmt::format("asks: [{}]\n", fmt::join(words, ", ")));
}

}  // namespace topologies
