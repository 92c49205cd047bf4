// Other differences between a run and its twin: the order of events, and the results.
#include <algorithm>
#include <map>
#include <utility>

#include <twin/overhead.hpp>

namespace twin {
namespace {

using trace_record::Event;

bool same_item(const Event& a, const Event& b) {
    return a.task == b.task && a.subtask == b.subtask && a.is_result == b.is_result;
}

bool same_step(const Event& a, const Event& b) {
    return a.kind == b.kind && a.peer == b.peer && same_item(a, b);
}

std::vector<std::vector<Event>> by_node(const std::vector<Event>& events) {
    std::vector<std::vector<Event>> nodes;
    for (const Event& event : events) {
        if (nodes.size() <= event.node) nodes.resize(event.node + 1U);
        nodes[event.node].push_back(event);
    }
    return nodes;
}

// Where the lists part, or nothing; a list that is the beginning of the other parts from it at its end.
std::optional<OrderChange> first_difference(const std::vector<Event>& monitored, const std::vector<Event>& twin) {
    const auto [a, b] = std::mismatch(monitored.begin(), monitored.end(), twin.begin(), twin.end(), same_step);
    if (a == monitored.end() && b == twin.end()) return {};
    OrderChange change;
    change.seq = static_cast<std::uint32_t>(a - monitored.begin());
    if (a != monitored.end()) change.monitored = *a;
    if (b != twin.end()) change.twin = *b;
    return change;
}

std::uint64_t time_us(const OrderChange& change) {
    return change.monitored ? change.monitored->time_us : change.twin->time_us;
}

void compare_order(Overhead& overhead) {
    auto monitored = by_node(overhead.monitored.events), twin = by_node(overhead.twin.events);
    const std::size_t nodes = std::max(monitored.size(), twin.size());
    monitored.resize(nodes);
    twin.resize(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        auto change = first_difference(monitored[node], twin[node]);
        if (!change) continue;
        change->node = static_cast<std::uint16_t>(node);
        ++overhead.nodes_changed;
        if (!overhead.first_change || time_us(*change) < time_us(*overhead.first_change)) overhead.first_change = change;
    }
}

// By node and neighbour, in the node's order.
using Receives = std::map<std::pair<std::uint16_t, std::uint16_t>, std::vector<Event>>;

Receives receives_of(const std::vector<Event>& events) {
    Receives receives;
    for (const Event& event : events) {
        if (event.kind == trace_record::EventKind::Receive) receives[{event.node, event.peer}].push_back(event);
    }
    return receives;
}

void compare_receives(Overhead& overhead) {
    const Receives monitored = receives_of(overhead.monitored.events), twins = receives_of(overhead.twin.events);
    for (const auto& [between, of_monitored] : monitored) {
        const auto twin = twins.find(between);
        if (twin == twins.end()) continue;
        const std::size_t both = std::min(of_monitored.size(), twin->second.size());
        overhead.receives += both;
        for (std::size_t k = 0; k < both; ++k) {
            const Event &here = of_monitored[k], &there = twin->second[k];
            if (same_item(here, there)) continue;
            ++overhead.other_receives;
            if (!overhead.first_other || here.time_us < overhead.first_other->monitored.time_us)
                overhead.first_other = {static_cast<std::uint32_t>(k), here, there};
        }
    }
}

void compare_contents(Overhead& overhead) {
    std::map<std::string, std::uint64_t> of_twin;
    for (const RunContent& content : overhead.twin.contents) of_twin[content.name] = content.hash;
    for (const RunContent& content : overhead.monitored.contents) {
        const auto there = of_twin.find(content.name);
        if (there == of_twin.end()) {
            overhead.only_monitored.push_back(content.name);
        } else {
            if (there->second != content.hash) overhead.changed_contents.push_back(content.name);
            of_twin.erase(there);
        }
    }
    for (const auto& [name, hash] : of_twin) overhead.only_twin.push_back(name);
}

}  // namespace

void compare_runs(Overhead& overhead) {
    compare_order(overhead);
    compare_receives(overhead);
    compare_contents(overhead);
}

}  // namespace twin
