#include <topologies/draw_network.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <topologies/end_names.hpp>
#include <topologies/layout.hpp>
#include <topologies/network.hpp>

namespace topologies {
namespace {

// From light to dark, so that order shows without colour, too: steps of viridis, turned round.
struct Step {
    double from;  // share
    const char *colour, *text, *words;
    double width;
};
constexpr std::array<Step, 6> steps{{{0, "#c4c4c4", "#000000", "below 1 %", 1.0},
                                     {0.01, "#d8e219", "#000000", "1 to 10 %", 1.8},
                                     {0.10, "#5ec962", "#000000", "10 to 30 %", 3.0},
                                     {0.30, "#21918c", "#ffffff", "30 to 60 %", 4.5},
                                     {0.60, "#3b528b", "#ffffff", "60 to 90 %", 6.0},
                                     {0.90, "#440154", "#ffffff", "90 % and more", 7.5}}};
constexpr const char *node_colour = "#56B4E9", *link_colour = "#0072B2", *host_colour = "#009E73", *idle_colour = "#999999";

const Step& step_of(double share) {
    const Step* found = &steps.front();
    for (const Step& step : steps)
        if (share >= step.from) found = &step;
    return *found;
}
std::string per_cent(double share) {
    return share < 0.0995 ? fmt::format("{:.1f}%", 100 * share) : fmt::format("{:.0f}%", 100 * share);
}

std::string name_of(NodeId node) {
    return fmt::format("n{}", node.value());
}

class NetworkDrawing {
public:
    NetworkDrawing(const MachineDescription& machine, const std::optional<NetworkLoad>& load)
        : machine_(machine), load_(load), network_(machine), layout_(layout_of(network_)) {
        for (const Path& path : network_.paths())
            for (const WireEnd* end : {&path.a, &path.b})
                if (const auto* link = std::get_if<NodeLink>(end)) wired_.insert(link->node);
        apart_ = load_ ? 1.25 : 0.9;
    }

    std::string run() {
        text_ = fmt::format("graph \"{}\" {{\n", machine_.name);
        text_ +=
            "  graph [layout=neato, overlap=prism, overlap_scaling=-4, splines=line, outputorder=edgesfirst, "
            "fontname=\"Helvetica\", fontsize=12, bgcolor=white, labelloc=b];\n"
            "  node [fontname=\"Helvetica\", fontsize=11];\n  edge [fontname=\"Helvetica\", fontsize=10];\n";
        if (layout_) text_ += "  graph [overlap=true];\n";
        text_ += "  label=<" + legend() + ">;\n";
        for (std::size_t node = 0; node < machine_.nodes.size(); ++node) put_node(node);
        for (const Path& path : network_.paths()) put_path(path);
        return text_ + "}\n";
    }

private:
    static std::string row(const std::string& sign, const std::string& words) {
        return fmt::format("<TR><TD ALIGN=\"RIGHT\">{}</TD><TD ALIGN=\"LEFT\">{}</TD></TR>", sign, words);
    }
    std::string legend() const {
        std::string rows = fmt::format("<TR><TD COLSPAN=\"2\"><B>{}</B>: {} nodes{}</TD></TR>", machine_.name, wired_.size(),
                                       layout_ ? ", " + layout_->shape : std::string());
        if (load_) {
            rows += fmt::format("<TR><TD COLSPAN=\"2\">{}</TD></TR>", load_->words);
            for (const Step& step : steps)
                rows += row(fmt::format("<FONT COLOR=\"{}\" POINT-SIZE=\"{:.0f}\">&#9608;&#9608;&#9608;&#9608;</FONT>",
                                        step.colour, 3 + 1.6 * step.width),
                            step.words);
            rows += row("&rarr;", "the busier direction, whose share is beside the link");
        }
        if (layout_ && !layout_->wraps.empty()) rows += row("- - -", "leads round the edge to the node that is named");
        return "<TABLE BORDER=\"0\" CELLSPACING=\"1\" CELLPADDING=\"2\">" + rows + "</TABLE>";
    }

    Place scaled(const Place& place) const { return {place.x * apart_, place.y * apart_}; }
    static std::string pos(const Place& place) { return fmt::format(", pos=\"{:.3f},{:.3f}!\"", place.x, place.y); }

    // Above the wire of a projected cube there are other nodes.
    bool gateway_is_below() const { return layout_->shape.starts_with("hypercube"); }
    // The gateway stands beside the middle of the wire that it was put into.
    std::optional<Place> place_of(NodeId node) const {
        if (!layout_) return std::nullopt;
        if (node.value() < layout_->places.size()) return scaled(layout_->places[node.value()]);
        if (node != layout_->gateway) return std::nullopt;
        const Place first = layout_->places[0];
        Place second = first;
        for (std::uint8_t link = 0; link < links_per_node; ++link)
            if (const auto& other = network_.neighbour(node, LinkNo(link)))
                if (other->node.value() != 0 && other->node.value() < layout_->places.size())
                    second = layout_->places[other->node.value()];
        const double beside = gateway_is_below() ? -0.6 : 0.45;
        return scaled({(first.x + second.x) / 2, (first.y + second.y) / 2 + beside});
    }

    void put_node(std::size_t index) {
        const NodeId node(static_cast<NodeId::value_type>(index));
        if (wired_.count(node) == 0) return;
        const auto place = place_of(node);
        const std::optional<double> share =
            load_ && index < load_->of_node.size() ? load_->of_node[index] : std::optional<double>();
        const Step* step = share ? &step_of(*share) : nullptr;
        text_ += fmt::format(
            "  \"{0}\" [shape=circle, width={1}, fixedsize=true, style=filled, fillcolor=\"{2}\", fontcolor=\"{3}\", "
            "label=\"{0}{4}\"{5}];\n",
            name_of(node), load_ ? "0.56" : "0.42",
            step    ? step->colour
            : load_ ? "#ffffff"
                    : node_colour,
            step ? step->text : "#000000", share ? "\\n" + per_cent(*share) : "", place ? pos(*place) : "");
    }

    double share(const WireEnd& from, const WireEnd& to) const {
        if (!load_) return 0;
        const auto found = load_->of_link.find({end_name(machine_, from), end_name(machine_, to)});
        return found == load_->of_link.end() ? 0 : found->second;
    }

    // The look of a link, and its number. Arrows only where one direction is clearly busier.
    std::string look(const Path& path, bool label, bool is_wrap, bool from_a = true) const {
        if (!load_)
            return fmt::format("color=\"{}\", penwidth=1.6{}",
                               std::holds_alternative<HostEnd>(path.b) ? host_colour : link_colour,
                               is_wrap ? ", style=dashed" : "");
        const double forth = share(path.a, path.b), back = share(path.b, path.a), most = std::max(forth, back);
        const Step& step = step_of(most);
        std::string text = fmt::format("color=\"{}\", penwidth={}{}", most > 0 ? step.colour : idle_colour, step.width,
                                       is_wrap || most == 0 ? ", style=dashed" : "");
        if (most >= 0.01 && std::abs(forth - back) > 0.1 * most)
            text += fmt::format(", dir={}, arrowsize=0.6", (forth > back) == from_a ? "forward" : "back");
        if (label && most >= 0.0005)  // on white, since it may lie on the line
            text += fmt::format(
                ", label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"1\"><TR><TD "
                "BGCOLOR=\"white\">{}</TD></TR></TABLE>>",
                per_cent(most));
        return text;
    }

    void put_path(const Path& path) {
        const auto *a = std::get_if<NodeLink>(&path.a), *b = std::get_if<NodeLink>(&path.b);
        if (a == nullptr || b == nullptr) return put_host(path);
        const auto ends = std::minmax(a->node, b->node);
        const bool wraps = layout_ && std::find(layout_->wraps.begin(), layout_->wraps.end(),
                                                std::pair<NodeId, NodeId>(ends)) != layout_->wraps.end();
        if (wraps) {
            put_stub(path, a->node, b->node, true);
            put_stub(path, b->node, a->node, false);
            return;
        }
        text_ += fmt::format("  \"{}\" -- \"{}\" [{}];\n", name_of(a->node), name_of(b->node), look(path, true, false));
    }

    // One of the two ends of a link round the edge. It leads out of the grid, to the name of the other node.
    void put_stub(const Path& path, NodeId node, NodeId other, bool from_a) {
        const Place here = layout_->places[node.value()], there = layout_->places[other.value()];
        constexpr double out = 0.62;
        Place end = here;
        if (here.x != there.x) end.x += here.x > there.x ? out : -out;
        if (here.y != there.y) end.y += here.y > there.y ? out : -out;
        const std::string name = fmt::format("{} round to {} {}", name_of(node), name_of(other), from_a ? "a" : "b");
        text_ += fmt::format(
            "  \"{}\" [shape=plaintext, width=0.3, height=0.2, fixedsize=true, fontsize=10, fontcolor=\"#555555\", "
            "label=\"{}\"{}];\n",
            name, name_of(other), pos(scaled(end)));
        text_ += fmt::format("  \"{}\" -- \"{}\" [{}];\n", name_of(node), name, look(path, from_a, true, from_a));
    }

    void put_host(const Path& path) {
        const auto* link = std::get_if<NodeLink>(&path.a);
        const auto* host = std::get_if<HostEnd>(&path.b);
        if (link == nullptr || host == nullptr) return;
        std::string place;
        if (const auto node = place_of(link->node)) {
            Place at = *node;
            if (layout_->shape.starts_with("chain") ||
                (layout_->shape.starts_with("mesh") || layout_->shape.starts_with("torus")))
                at.x -= 0.95 * apart_;
            else
                at.y += 0.85 * apart_;
            if (layout_->gateway) at = {node->x, node->y + (gateway_is_below() ? -0.8 : 0.8) * apart_};
            place = pos(at);
        }
        const std::string name = host->link.value() == 0 ? "host" : fmt::format("host.{}", host->link.value());
        text_ += fmt::format("  \"{0}\" [shape=house, style=filled, fillcolor=\"{1}\", fontcolor=white, label=\"{0}\"{2}];\n",
                             name, host_colour, place);
        text_ += fmt::format("  \"{}\" -- \"{}\" [{}];\n", name_of(link->node), name, look(path, true, false));
    }

    const MachineDescription& machine_;
    const std::optional<NetworkLoad>& load_;
    const Network network_;
    const std::optional<Layout> layout_;
    std::set<NodeId> wired_;
    double apart_ = 1;
    std::string text_;
};

}  // namespace

std::string network_dot(const MachineDescription& machine, const std::optional<NetworkLoad>& load) {
    return NetworkDrawing(machine, load).run();
}

}  // namespace topologies
