#include <topologies/draw.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <topologies/end_names.hpp>
#include <topologies/link_speeds.hpp>
#include <topologies/machine_writer.hpp>

#include "draw_boards.hpp"
#include "quantity.hpp"

namespace topologies {
namespace {

// M. Okabe and K. Ito, "Color Universal Design", 2008.
constexpr const char *blue = "#0072B2", *sky = "#56B4E9", *green = "#009E73", *yellow = "#F0E442", *vermillion = "#D55E00",
                     *grey = "#999999";

constexpr std::size_t names_in_a_row = 16;  // free ways in a row of the list below the picture

enum class Use { Wire, Trunk, Host, Free };

struct Look {
    const char *colour, *style, *width, *line, *words;
};
const Look& look(Use use) {
    static constexpr std::array<Look, 4> looks{{
        {blue, "solid", "1.6", "────", "wire of a node, in use"},
        {vermillion, "bold", "2.6", "━━━━", "wire between switches, in use"},
        {green, "solid", "2.2", "━━━━", "wire of the host, in use"},
        {grey, "dashed", "0.8", "- - - -", "free"},
    }};
    return looks[static_cast<std::size_t>(use)];
}

class Drawing {
public:
    explicit Drawing(const MachineDescription& machine)
        : machine_(canonical_machine(machine)),
          connection_(machine_.switches.size()),
          wired_(machine_.switches.size()),
          free_(machine_.switches.size()),
          speeds_(wire_speeds(machine_)) {
        for (std::size_t s = 0; s < connection_.size(); ++s) note_connections(s);
        for (const Wire& wire : machine_.wires) note_wire(wire);
        list_free_ = free_wires_ > most_free_lines && any_connection_;
    }

    std::string run() {
        head();
        nodes();
        switches();
        text_ += boards_dot(machine_, [this](std::size_t which) { return boxes_of(which); });
        for (const Wire& wire : machine_.wires) draw(wire);
        return text_ + "}\n";
    }

private:
    void note_connections(std::size_t which) {
        connection_[which].fill(std::nullopt);
        const auto& list = machine_.switches[which].connections;
        for (std::size_t c = 0; c < list.size(); ++c) {
            connection_[which][list[c].first.value()] = c;
            connection_[which][list[c].second.value()] = c;
        }
        any_connection_ = any_connection_ || !list.empty();
    }
    void note_wire(const Wire& wire) {
        const Use use = use_of(wire);
        free_wires_ += use == Use::Free ? 1 : 0;
        for (const auto& [end, far] : {std::pair(&wire.a, &wire.b), std::pair(&wire.b, &wire.a)}) {
            if (const auto* way = std::get_if<SwitchWay>(end)) {
                ++wired_[way->which.value()];
                if (use == Use::Free) free_[way->which.value()].emplace(way->way, end_name(machine_, *far));
            } else if (const auto* link = std::get_if<NodeLink>(end)) {
                if (use != Use::Free) used_nodes_.insert(link->node);
            }
        }
    }

    const std::optional<std::size_t>& connection_at(const SwitchWay& way) const {
        return connection_[way.which.value()][way.way.value()];
    }
    Use use_of(const Wire& wire) const {
        const auto *a = std::get_if<SwitchWay>(&wire.a), *b = std::get_if<SwitchWay>(&wire.b);
        if ((a && !connection_at(*a)) || (b && !connection_at(*b))) return Use::Free;
        if (a && b) return Use::Trunk;
        return std::holds_alternative<HostEnd>(wire.a) ? Use::Host : Use::Wire;
    }

    void head() {
        text_ = fmt::format("graph \"{}\" {{\n", machine_.name);
        text_ += fmt::format(
            "  graph [layout={}, overlap=prism, overlap_scaling=-4, splines=line, pack=16, outputorder=edgesfirst, "
            "fontname=\"Helvetica\", fontsize=12, bgcolor=white, labelloc=b];\n",
            machine_.boards.empty() ? "neato" : "fdp");  // neato draws no clusters
        text_ +=
            "  node [fontname=\"Helvetica\", fontsize=11];\n"
            "  edge [fontname=\"Helvetica\", fontsize=8, fontcolor=\"#444444\"];\n";
        text_ += fmt::format("  label=<{}>;\n", legend());
    }

    std::string legend() const {
        std::string rows = fmt::format("<TR><TD COLSPAN=\"2\"><B>{}</B>: {} nodes, {} switches, links at {}</TD></TR>",
                                       machine_.name, machine_.nodes.size(), machine_.switches.size(), speeds_text());
        for (const Use use : {Use::Wire, Use::Trunk, Use::Host, Use::Free}) {
            const bool none = std::none_of(machine_.wires.begin(), machine_.wires.end(),
                                           [&](const Wire& wire) { return use_of(wire) == use; });
            if (none || (use == Use::Free && list_free_)) continue;
            rows += row(fmt::format("<FONT COLOR=\"{}\">{}</FONT>", look(use).colour, look(use).line), look(use).words);
        }
        if (any_connection_)
            rows += row(fmt::format("<TABLE BORDER=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"44\" HEIGHT=\"32\"><TR><TD "
                                    "BGCOLOR=\"{}\"><FONT POINT-SIZE=\"9\">x0<BR/>3-17</FONT>"
                                    "</TD></TR></TABLE>",
                                    yellow),
                        "switch x0 connects its ways 3 and 17");
        for (std::size_t s = 0; list_free_ && s < free_.size(); ++s) rows += row(summary(s), free_names(s));
        return "<TABLE BORDER=\"0\" CELLSPACING=\"1\" CELLPADDING=\"2\">" + rows + "</TABLE>";
    }
    std::string speeds_text() const {
        std::vector<std::string> texts;
        for (const std::int64_t speed : speeds_) texts.push_back(bit_rate_text(speed));
        return fmt::format("{}", fmt::join(texts, " and "));
    }
    static std::string row(const std::string& sign, const std::string& words) {
        return fmt::format("<TR><TD ALIGN=\"RIGHT\" VALIGN=\"TOP\">{}</TD><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\">{}</TD></TR>",
                           sign, words);
    }

    std::string summary(std::size_t which) const {
        return fmt::format("{}: {} of {} wired ways connected", machine_.switches[which].name,
                           2 * machine_.switches[which].connections.size(), wired_[which]);
    }
    std::string free_names(std::size_t which) const {
        if (free_[which].empty()) return "none free";
        std::string text = fmt::format("<FONT COLOR=\"{}\">free:", "#666666");
        std::size_t count = 0;
        for (const auto& [way, far] : free_[which]) {
            if (count > 0 && count % names_in_a_row == 0) text += "<BR/>";
            text += fmt::format(" {}", far);
            ++count;
        }
        return text + "</FONT>";
    }

    void nodes() {
        const bool host = std::any_of(machine_.wires.begin(), machine_.wires.end(),
                                      [](const Wire& wire) { return std::holds_alternative<HostEnd>(wire.a); });
        if (host)
            text_ += fmt::format("  \"host\" [shape=house, style=filled, fillcolor=\"{}\", fontcolor=white, label=\"host\"];\n",
                                 green);
        for (std::size_t n = 0; n < machine_.nodes.size(); ++n) {
            const std::string name = node_name(NodeId(static_cast<NodeId::value_type>(n)));
            const bool used = used_nodes_.count(NodeId(static_cast<NodeId::value_type>(n))) > 0;
            text_ += fmt::format(
                "  \"{0}\" [shape=circle, width=0.42, fixedsize=true, style=\"filled{1}\", fillcolor=\"{2}\", "
                "label=\"{0}\"];\n",
                name, used ? "" : ",dashed", used ? sky : "#EEEEEE");
        }
    }

    void switches() {
        for (std::size_t s = 0; s < machine_.switches.size(); ++s) {
            const SwitchDescription& one = machine_.switches[s];
            if (!list_free_ && !free_[s].empty())
                text_ += fmt::format("  \"{}\" [shape=box, style=\"filled,dashed\", fillcolor=\"#FFFBD0\", label=\"{}\"];\n",
                                     one.name, summary(s));
            for (const auto& [a, b] : one.connections)
                text_ += fmt::format(
                    "  \"{0} {1}-{2}\" [shape=box, style=filled, fillcolor=\"{3}\", fontsize=8, width=0.1, height=0.1, "
                    "margin=\"0.03,0.02\", label=\"{0}\\n{1}-{2}\"];\n",
                    one.name, a.value(), b.value(), yellow);
        }
    }

    // The boxes of one switch, as switches() draws them.
    std::vector<std::string> boxes_of(std::size_t which) const {
        std::vector<std::string> boxes;
        const std::string& name = machine_.switches[which].name;
        if (!list_free_ && !free_[which].empty()) boxes.push_back(name);
        for (const auto& [a, b] : machine_.switches[which].connections)
            boxes.push_back(fmt::format("{} {}-{}", name, a.value(), b.value()));
        return boxes;
    }

    // The end of the line, and the link number beside it.
    std::string place(const WireEnd& end) const {
        if (std::holds_alternative<HostEnd>(end)) return "host";
        if (const auto* link = std::get_if<NodeLink>(&end)) return node_name(link->node);
        const auto& way = std::get<SwitchWay>(end);
        const SwitchDescription& one = machine_.switches[way.which.value()];
        const auto& connection = connection_at(way);
        if (!connection) return one.name;
        const auto& [a, b] = one.connections[*connection];
        return fmt::format("{} {}-{}", one.name, a.value(), b.value());
    }
    static std::string number(const WireEnd& end) {
        if (const auto* link = std::get_if<NodeLink>(&end)) return fmt::format("{}", link->link.value());
        if (const auto* host = std::get_if<HostEnd>(&end)) return fmt::format("{}", host->link.value());
        return "";
    }

    void draw(const Wire& wire) {
        const Use use = use_of(wire);
        if (use == Use::Free && list_free_) return;
        const Look& how = look(use);
        text_ += fmt::format(
            "  \"{}\" -- \"{}\" [color=\"{}\", style={}, penwidth={}, len={}, taillabel=\"{}\", headlabel=\"{}\"{}];\n",
            place(wire.a), place(wire.b), how.colour, how.style, how.width,
            use == Use::Free    ? "2.5"
            : use == Use::Trunk ? "1.6"
                                : "1.1",
            number(wire.a), number(wire.b),
            speeds_.size() > 1 ? fmt::format(", label=\"{}\"", bit_rate_text(link_speed(machine_, wire.b))) : "");
    }

    const MachineDescription machine_;
    std::vector<std::array<std::optional<std::size_t>, ways_per_switch>> connection_;  // by switch and way
    std::vector<std::size_t> wired_;
    std::vector<std::map<WayNo, std::string>> free_;  // by switch: what is wired to each free way
    std::vector<std::int64_t> speeds_;                // of the wires
    std::set<NodeId> used_nodes_;
    std::size_t free_wires_ = 0;
    bool any_connection_ = false, list_free_ = false;
    std::string text_;
};

}  // namespace

std::string machine_dot(const MachineDescription& machine) {
    return Drawing(machine).run();
}

}  // namespace topologies
