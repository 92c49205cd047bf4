#include "solver_demands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include <topologies/end_names.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/network.hpp>
#include <vocabulary/source_position.hpp>

#include "quantity.hpp"
#include "report_words.hpp"

namespace topologies {
namespace {

using vocabulary::InputError;

// A node's demand, or a socket's offer.
struct Kind {
    std::uint64_t ram_bytes = 0;
    std::int64_t clock_hz = 0;
    std::size_t links = 0;
    friend auto operator<=>(const Kind&, const Kind&) = default;
};
bool fits(const Kind& asked, const Kind& offered) {
    return asked.ram_bytes <= offered.ram_bytes && asked.clock_hz <= offered.clock_hz && asked.links <= offered.links;
}

std::size_t socket_of(const WireEnd& end, std::size_t nodes) {
    const auto* link = std::get_if<NodeLink>(&end);
    return link ? link->node.value() : nodes;
}
std::size_t link_of(const WireEnd& end) {
    const auto* link = std::get_if<NodeLink>(&end);
    return link ? link->link.value() : std::get<HostEnd>(end).link.value();
}

// Wired links of each node, those of the host last.
std::vector<std::size_t> wired_links(const MachineDescription& machine) {
    std::vector<std::size_t> links(machine.nodes.size() + 1);
    for (const Wire& wire : machine.wires) {
        for (const WireEnd& end : {wire.a, wire.b}) {
            if (!std::holds_alternative<SwitchWay>(end)) ++links[socket_of(end, machine.nodes.size())];
        }
    }
    return links;
}

void check_degrees(const MachineDescription& wanted) {
    const auto links = wired_links(wanted);
    std::vector<bool> has_host(wanted.nodes.size() + 1);
    for (const Wire& wire : wanted.wires) {
        if (std::holds_alternative<HostEnd>(wire.a)) has_host[socket_of(wire.b, wanted.nodes.size())] = true;
        if (std::holds_alternative<HostEnd>(wire.b)) has_host[socket_of(wire.a, wanted.nodes.size())] = true;
    }
    for (std::size_t n = 0; n < wanted.nodes.size(); ++n) {
        if (links[n] <= links_per_node) continue;
        throw InputError({wanted.name, 0, 0}, fmt::format("{} wants {} links{}, but a T800 has {}; give it fewer neighbours",
                                                          node_name(NodeId(static_cast<NodeId::value_type>(n))), links[n],
                                                          has_host[n] ? " (one of them to the host)" : "", links_per_node));
    }
}

// Union of everything that wires and switches, however they are set, can join.
class Pieces {
public:
    explicit Pieces(std::size_t parts) : above_(parts) { std::iota(above_.begin(), above_.end(), std::size_t{0}); }
    void join(std::size_t a, std::size_t b) { above_[top(a)] = top(b); }
    // Most of the first `nodes` parts that belong together.
    std::size_t largest(std::size_t nodes) {
        std::vector<std::size_t> size(above_.size());
        for (std::size_t n = 0; n < nodes; ++n) ++size[top(n)];
        return *std::max_element(size.begin(), size.end());
    }

private:
    std::size_t top(std::size_t part) {
        while (above_[part] != part) part = above_[part] = above_[above_[part]];
        return part;
    }
    std::vector<std::size_t> above_;
};

class Demands {
public:
    Demands(const MachineDescription& wanted, const WantedGraph& graph, const MachineDescription& target, bool keep_places)
        : wanted_(wanted), graph_(graph), target_(target), keep_places_(keep_places), degree_(graph.nodes + 1) {
        for (const auto& [a, b] : graph.edges) {
            ++degree_[a];
            ++degree_[b];
        }
    }

    FirstPlacement run() {
        check_counts();
        check_pieces();
        sort_into_kinds();
        if (keep_places_) {
            keep_places();
        } else {
            match();
        }
        return std::move(result_);
    }

private:
    [[noreturn]] void refuse(const std::string& message) const { throw InputError({wanted_.name, 0, 0}, message); }

    void check_counts() const {
        const auto offered = wired_links(target_);
        if (graph_.nodes > target_.nodes.size())
            refuse(fmt::format("wants {}, but {} has {}; ask for fewer nodes", counted(graph_.nodes, "node"), target_.name,
                               target_.nodes.size()));
        if (degree_.back() > offered.back())
            refuse(fmt::format("wants {}, but {} has {}; take away host wires", counted(degree_.back(), "host connection"),
                               target_.name, offered.back()));
        const std::size_t ends = std::accumulate(degree_.begin(), degree_.end() - 1, std::size_t{0});
        const std::size_t links = std::accumulate(offered.begin(), offered.end() - 1, std::size_t{0});
        if (ends > links)
            refuse(fmt::format("its {} take {} of the nodes, but on {} only {} are wired; ask for fewer edges",
                               counted(graph_.edges.size(), "edge"), counted(ends, "link"), target_.name, links));
    }

    void check_pieces() const {
        Pieces wanted(graph_.nodes + 1), target(target_.nodes.size() + 1 + target_.switches.size());
        for (const auto& [a, b] : graph_.edges) {
            if (b < graph_.nodes) wanted.join(a, b);
        }
        const auto part = [this](const WireEnd& end) {
            const auto* way = std::get_if<SwitchWay>(&end);
            return way ? target_.nodes.size() + 1 + way->which.value() : socket_of(end, target_.nodes.size());
        };
        for (const Wire& wire : target_.wires) {
            if (std::holds_alternative<HostEnd>(wire.a) || std::holds_alternative<HostEnd>(wire.b)) continue;
            target.join(part(wire.a), part(wire.b));
        }
        const std::size_t most = target.largest(target_.nodes.size()), asked = wanted.largest(graph_.nodes);
        if (asked > most)
            refuse(fmt::format("wants {} that are connected, but the wires of {} join at most {}; ask for smaller pieces",
                               counted(asked, "node"), target_.name, most));
    }

    void sort_into_kinds() {
        const auto offered = wired_links(target_);
        std::map<Kind, std::size_t> asks, offers;
        const auto number = [](std::map<Kind, std::size_t>& kinds, std::vector<Kind>& list, const Kind& kind) {
            const auto [at, is_new] = kinds.emplace(kind, kinds.size());
            if (is_new) list.push_back(kind);
            return at->second;
        };
        for (std::size_t n = 0; n < graph_.nodes; ++n) {
            const NodeDescription& node = wanted_.nodes[n];
            result_.kind_of_wanted.push_back(number(asks, asked_, {node.ram_bytes, node.clock_hz, degree_[n]}));
        }
        for (std::size_t n = 0; n < target_.nodes.size(); ++n) {
            const NodeDescription& node = target_.nodes[n];
            result_.kind_of_socket.push_back(number(offers, offered_, {node.ram_bytes, node.clock_hz, offered[n]}));
        }
        for (const Kind& asked : asked_) {
            result_.kinds_fit.emplace_back();
            for (const Kind& kind : offered_) result_.kinds_fit.back().push_back(fits(asked, kind));
        }
    }

    bool may_sit(std::size_t k, std::size_t socket) const {
        return result_.kinds_fit[result_.kind_of_wanted[k]][result_.kind_of_socket[socket]];
    }

    void keep_places() {
        for (std::size_t k = 0; k < graph_.nodes; ++k) {
            if (!may_sit(k, k)) {
                const Kind &asked = asked_[result_.kind_of_wanted[k]], &kind = offered_[result_.kind_of_socket[k]];
                refuse(fmt::format("{} wants {}, but {} of {} has {}; let it move, or ask for less", node_name(node_id(k)),
                                   wish_text(asked), node_name(node_id(k)), target_.name, kind_text(kind)));
            }
            result_.place.push_back(k);
        }
    }

    // Nodes with the largest demands choose first. Each takes the smallest socket that fits, and yields along an augmenting
    // path (Kuhn).
    void match() {
        std::vector<std::size_t> order(graph_.nodes), sockets(target_.nodes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::iota(sockets.begin(), sockets.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
            return asked_[result_.kind_of_wanted[b]] < asked_[result_.kind_of_wanted[a]];
        });
        std::stable_sort(sockets.begin(), sockets.end(), [this](std::size_t a, std::size_t b) {
            return offered_[result_.kind_of_socket[a]] < offered_[result_.kind_of_socket[b]];
        });
        occupant_.assign(sockets.size(), std::nullopt);
        for (const std::size_t k : order) seat(k, sockets);
        result_.place.resize(graph_.nodes);
        for (std::size_t s = 0; s < occupant_.size(); ++s) {
            if (occupant_[s]) result_.place[*occupant_[s]] = s;
        }
    }

    void seat(std::size_t k, const std::vector<std::size_t>& sockets) {
        std::vector<std::optional<std::size_t>> taken_for(sockets.size());  // socket -> node that would move onto it
        std::vector<std::size_t> queue{k};
        for (std::size_t next = 0; next < queue.size(); ++next) {
            for (const std::size_t s : sockets) {
                if (taken_for[s] || !may_sit(queue[next], s)) continue;
                taken_for[s] = queue[next];
                if (occupant_[s]) {
                    queue.push_back(*occupant_[s]);
                    continue;
                }
                move_along(s, k, taken_for);
                return;
            }
        }
        refuse_short(queue);
    }

    // Every node on the path moves on by one, from the free socket back to k.
    void move_along(std::size_t socket, std::size_t k, const std::vector<std::optional<std::size_t>>& taken_for) {
        for (;;) {
            const std::size_t mover = *taken_for[socket];
            const auto was = std::find(occupant_.begin(), occupant_.end(), std::optional(mover));
            occupant_[socket] = mover;
            if (mover == k) return;
            socket = static_cast<std::size_t>(was - occupant_.begin());
        }
    }

    // These nodes outnumber their sockets (Hall): all that any of them could take is theirs already.
    [[noreturn]] void refuse_short(std::vector<std::size_t> nodes) const {
        std::sort(nodes.begin(), nodes.end());
        Kind least = asked_[result_.kind_of_wanted[nodes.front()]];
        std::vector<NodeId> names;
        for (const std::size_t n : nodes) {
            const Kind& kind = asked_[result_.kind_of_wanted[n]];
            least = {std::min(least.ram_bytes, kind.ram_bytes), std::min(least.clock_hz, kind.clock_hz),
                     std::min(least.links, kind.links)};
            names.push_back(node_id(n));
        }
        std::size_t sockets = 0;
        for (std::size_t s = 0; s < occupant_.size(); ++s)
            sockets += std::any_of(nodes.begin(), nodes.end(), [&](std::size_t n) { return may_sit(n, s); }) ? 1 : 0;
        refuse(fmt::format("{} want{} {}{}, but {} has {}; ask for less or for fewer such nodes", node_list(names),
                           names.size() == 1 ? "s" : "", names.size() == 1 ? "" : "at least ", wish_text(least), target_.name,
                           sockets == 0 ? "no such node" : fmt::format("only {}", counted(sockets, "such node"))));
    }

    static std::string kind_text(const Kind& kind) {
        return fmt::format("{} of RAM, {} and {}", byte_size_text(kind.ram_bytes), frequency_text(kind.clock_hz),
                           counted(kind.links, "link"));
    }

    // Without a demand for memory or clock, the smallest value serves.
    static std::string wish_text(const Kind& kind) {
        std::string text;
        if (kind.ram_bytes > least_ram_bytes) text = byte_size_text(kind.ram_bytes) + " of RAM";
        if (kind.clock_hz > least_clock_hz) text += (text.empty() ? "" : ", ") + frequency_text(kind.clock_hz);
        return text + (text.empty() ? "" : " and ") + counted(kind.links, "link");
    }

    const MachineDescription& wanted_;
    const WantedGraph& graph_;
    const MachineDescription& target_;
    bool keep_places_;
    std::vector<std::size_t> degree_;  // degrees of the wanted nodes, the host last
    std::vector<Kind> asked_, offered_;
    std::vector<std::optional<std::size_t>> occupant_;  // by socket
    FirstPlacement result_;
};

}  // namespace

WantedGraph wanted_graph(const MachineDescription& wanted) {
    check_degrees(wanted);
    WantedGraph graph;
    graph.nodes = wanted.nodes.size();
    const Network network(wanted);
    for (const Path& path : network.paths()) {
        using End = std::pair<std::size_t, std::size_t>;  // node and link
        const auto [a, b] = std::minmax(
            {End(socket_of(path.a, graph.nodes), link_of(path.a)), End(socket_of(path.b, graph.nodes), link_of(path.b))});
        graph.edges.emplace_back(a.first, b.first);
        graph.links.emplace_back(a.second, b.second);
        graph.wants_host = graph.wants_host || b.first == graph.nodes;
    }
    return graph;
}

FirstPlacement first_placement(const MachineDescription& wanted, const WantedGraph& graph, const MachineDescription& target,
                               bool keep_places) {
    return Demands(wanted, graph, target, keep_places).run();
}

}  // namespace topologies
