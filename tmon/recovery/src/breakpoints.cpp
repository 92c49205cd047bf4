#include <tmon_recovery/breakpoints.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <vocabulary/contract.hpp>

namespace tmon_recovery {
namespace {

// Each process whose breakpoint moves on is looked at again, from where it was seen last. `tell(message)` hears of each message
// that moves the breakpoint of its sender.
template <typename Tell>
void raise(const EventGraph& graph, BreakpointSet& set, Tell tell) {
    std::vector<EventNo> seen(set.size(), 0);
    std::vector<ProcessNo> open;
    for (std::size_t process = set.size(); process > 0; --process) open.push_back(static_cast<ProcessNo>(process - 1));
    while (!open.empty()) {
        const ProcessNo process = open.back();
        open.pop_back();
        while (seen[process] < set[process]) {
            const EventNo event = ++seen[process];
            if (!graph.is_receive(process, event)) continue;
            const MessageNo number = graph.message_of(process, event);
            const Message& its = graph.messages()[number];
            if (its.sent <= set[its.from]) continue;
            tell(number);
            set[its.from] = its.sent;
            open.push_back(its.from);
        }
    }
}

}  // namespace

BreakpointSet raised(const EventGraph& graph, BreakpointSet set) {
    EXPECTS(set.size() == graph.processes(), "breakpoints.processes");
    raise(graph, set, [](MessageNo) {});
    return set;
}

BreakpointSet lowered(const EventGraph& graph, BreakpointSet set) {
    std::vector<EventNo> seen(set.size());  // sends behind it were looked at
    std::vector<ProcessNo> open;
    for (ProcessNo process = 0; process < set.size(); ++process) {
        seen[process] = graph.events(process);
        open.push_back(process);
    }
    while (!open.empty()) {
        const ProcessNo process = open.back();
        open.pop_back();
        for (; seen[process] > set[process]; --seen[process]) {
            if (graph.is_receive(process, seen[process])) continue;
            const Message& its = graph.messages()[graph.message_of(process, seen[process])];
            if (its.received == 0 || its.received > set[its.to]) continue;
            set[its.to] = its.received - 1;
            open.push_back(its.to);
        }
    }
    return set;
}

std::optional<Conflict> conflict(const EventGraph& graph, const BreakpointSet& set) {
    return conflict(graph, set, std::vector<bool>(set.size(), true));
}

std::optional<Conflict> conflict(const EventGraph& graph, const BreakpointSet& set, const std::vector<bool>& named) {
    BreakpointSet moved = set;
    std::vector<std::vector<MessageNo>> moves(set.size());  // of each process, by rising events
    std::optional<MessageNo> first;
    raise(graph, moved, [&](MessageNo number) {
        const ProcessNo sender = graph.messages()[number].from;
        if (named[sender] && !first) first = number;
        moves[sender].push_back(number);
    });
    if (!first) return {};
    Conflict result{graph.messages()[*first].from, 0, {*first}};
    while (true) {
        const Message& its = graph.messages()[result.chain.back()];
        result.before = its.to;
        if (its.received <= set[its.to]) return result;
        const auto next = std::find_if(moves[its.to].begin(), moves[its.to].end(),
                                       [&](MessageNo number) { return graph.messages()[number].sent >= its.received; });
        result.chain.push_back(*next);
    }
}

BreakpointSet nearest(const EventGraph& graph, const BreakpointSet& set) {
    BreakpointSet up = raised(graph, set), down = lowered(graph, set);
    std::size_t more = 0, less = 0;
    for (std::size_t process = 0; process < set.size(); ++process) {
        more += up[process] - set[process];
        less += set[process] - down[process];
    }
    return less < more ? down : up;
}

BreakpointSet causal(const EventGraph& graph, ProcessNo process, EventNo event) {
    BreakpointSet set(graph.processes(), 0);
    set[process] = event;
    return raised(graph, std::move(set));
}

}  // namespace tmon_recovery
