// `back cut`: the run again from a snapshot, to the cut of a breakpoint. A cut is no instant: each node is held at its own part
// while the others go on. Here the machine itself is looked at, so this is truth.
#include <algorithm>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tmon_predicates/predicate_watch.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "shell/breakpoints.hpp"
#include "shell/left_text.hpp"
#include "shell/shell_line.hpp"
#include "shell/shell_machine.hpp"
#include "shell/to_cut.hpp"

namespace cli {

using tmon_predicates::Cut;
using tmon_predicates::Truth;
using trace_record::Event;
using vocabulary::NodeId;
using vocabulary::RequestError;
using vocabulary::SimTime;

namespace {

bool is_act(const Event& event);

// All acts of each node, numbered from 0. Those before 'break when' are records at the host and in the node's buffers; what was
// lost, or is on its way, is missing. Later ones were noted at the probes.
std::vector<std::vector<Event>> acts_made(session::LiveSession& session) {
    std::vector<std::vector<Event>> made;
    const tmon_streams::Trace trace = session.collected();
    for (std::size_t node = 0; node < trace.streams.size(); ++node) {
        const instrumentation::MonitorState& monitor = session.monitors()[node]->state();
        std::vector<Event> records, acts;
        for (const auto& part : trace.streams[node].parts) records.insert(records.end(), part.begin(), part.end());
        for (const Event& event : monitor.buffers.records()) {
            if (records.empty() || event.seq > records.back().seq) records.push_back(event);
        }
        std::uint32_t next = 0, number = 0;
        const std::uint32_t noted_from = monitor.script ? monitor.script->first : ~std::uint32_t{0};
        for (Event event : records) {
            number += event.seq - next;  // what is missing counts as an act
            next = event.seq + 1;
            if (number >= noted_from) break;
            if (!is_act(event)) continue;
            event.seq = number++;
            acts.push_back(event);
        }
        for (std::uint32_t i = 0; monitor.script && i < monitor.script->acts.size(); ++i) {
            if (monitor.script->acts[i].reserved != 0) continue;  // its class was off
            acts.push_back(monitor.script->acts[i]);
            acts.back().seq = noted_from + i;
        }
        made.push_back(std::move(acts));
    }
    return made;
}

// The number of the node's acts among its first `records` records, as the host has them.
std::uint32_t acts_among(const tmon_streams::Stream& stream, std::uint32_t records) {
    std::uint32_t acts = records;
    for (const auto& part : stream.parts) {
        for (const Event& event : part) acts -= event.seq < records && !is_act(event) ? 1 : 0;
    }
    return acts;
}

bool is_act(const Event& event) {
    const auto which = trace_record::class_of(event.kind);
    return which != trace_record::EventClass::Usage && which != trace_record::EventClass::Clock;
}

// The words of an act, without its number and time: records of the monitor itself may stand between.
std::uint64_t with_hash_of(std::uint64_t hash, const Event& event) {
    for (const std::uint64_t part :
         {std::uint64_t{event.task}, std::uint64_t{event.subtask}, std::uint64_t{event.bytes}, std::uint64_t{event.peer},
          static_cast<std::uint64_t>(event.kind), std::uint64_t{event.is_result}})
        hash = (hash ^ part) * 0x100000001b3;
    return hash;
}

struct Known {
    std::uint32_t known = 0;
    std::uint64_t hash = 0;
};

// The acts below `end`.
Known known_of(const std::vector<Event>& acts, std::uint32_t end) {
    Known made;
    for (const Event& event : acts) {
        if (event.seq >= end) break;
        ++made.known;
        made.hash = with_hash_of(made.hash, event);
    }
    return made;
}

// The predicate on these first acts of the nodes, with nothing behind them.
tmon_predicates::PredicateAnswer evaluated(const std::string& predicate, const std::vector<std::uint32_t>& acts,
                                           const std::vector<std::vector<Event>>& made) {
    const auto nodes = static_cast<std::uint16_t>(acts.size());
    tmon_predicates::PredicateWatch watch(nodes);
    watch.add(tmon_predicates::parse_predicate(predicate, nodes));
    tmon_order::TraceSorter sorter(nodes, watch, {});
    for (std::uint16_t node = 0; node < nodes; ++node) {
        std::uint32_t next = 0;
        for (const Event& event : made[node]) {
            if (event.seq >= acts[node]) break;
            if (next < event.seq) sorter.lost({.node = node, .first_seq = next, .last_seq = event.seq - 1});
            next = event.seq + 1;
            sorter.records(node, event.seq, {&event, 1}, 0);
        }
    }
    sorter.finish();
    return watch.answer(0);
}

}  // namespace

// The order for the snapshot: the breakpoint, its predicate, and for each node its part and a hash of the records in it.
ShellAnswer ShellMachine::back_to_cut(const std::string& arguments) {
    const Breakpoint* which = breakpoints().last_hit();
    if (!arguments.empty()) {
        const auto& all = breakpoints().all();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const Breakpoint& one) { return std::to_string(one.number) == arguments; });
        if (found == all.end()) throw RequestError(fmt::format("there is no breakpoint '{}'; 'break' lists them", arguments));
        which = &*found;
    }
    if (which == nullptr || which->answer.truth != Truth::Holds)
        throw RequestError(
            "no predicate has become true so far, so there is no cut to go back to; give 'break when PREDICATE' and 'run'");
    const Cut& cut = which->answer.cut;
    const auto made = acts_made(live());
    const tmon_streams::Trace trace = live().collected();
    ToCut to;
    to.number = std::to_string(which->number);
    to.predicate = which->predicate.text;
    to.stopped_at = now();
    for (std::size_t node = 0; node < cut.size(); ++node) {
        const std::uint32_t acts = acts_among(trace.streams[node], cut[node]);
        const Known part = known_of(made[node], acts);
        to.nodes.push_back({acts, part.known, part.hash, which->names(static_cast<std::uint16_t>(node)), {}});
    }
    // The last snapshot at which no node had passed its part, and since which it is known who made the acts.
    std::size_t place = snapshots_.size();
    while (place > 0 && !makers_since(snapshots_[place - 1], to)) --place;
    if (place == 0)
        throw RequestError("no snapshot lies before the cut; go back, and give 'break when' earlier, which takes one");
    for (std::size_t i = snapshots_[place - 1].changes; i < changes_.size(); ++i) {
        if (changes_[i].of_holding) continue;  // the order of the acts has its effect
        (i < which->changes ? to.changes : to.later).push_back(changes_[i]);
    }
    cut_order_->leave(to.text());
    return back(snapshots_[place - 1].name);
}

// False: the snapshot is no place to begin.
bool ShellMachine::makers_since(const Snapshot& snapshot, ToCut& to) const {
    for (const NodeId id : scenario_.farm.members()) {
        ToCut::Part& part = to.nodes[id.value()];
        const instrumentation::ActScript* const script = live().monitors()[id.value()]->script();
        const std::uint32_t begin = snapshot.acts[id.value()];
        if (script == nullptr || begin < script->first || begin > part.count ||
            part.count - script->first > script->makers.size())
            return false;
        const auto makers = script->makers.begin() - static_cast<std::ptrdiff_t>(script->first);
        part.makers.assign(makers + begin, makers + part.count);
    }
    return true;
}

// A send may end only when its receiver takes the message, and no record says that of the receiver. Then a node cannot come to
// its part while that receiver is held. The predicate stays true when nodes that it does not name go on.
bool ShellMachine::goes_nowhere(ToCut& to) {
    std::uint64_t acts = 0;
    for (const auto& monitor : live().monitors()) acts += monitor->acts();
    if (acts != to.acts_made) {
        to.acts_made = acts;
        to.since = now();
    }
    constexpr SimTime patience = SimTime::ms(100);
    if (now() < to.since + patience || to.since == SimTime()) return false;
    if (to.freed) return now() >= to.since + patience + patience;
    to.freed = true;
    for (const NodeId node : scenario_.farm.members()) {
        if (!to.nodes[node.value()].named) live().monitors()[node.value()]->go_on_behind(live().machine().kernel(node));
    }
    return false;
}

bool ShellMachine::is_at_cut(const ToCut& to) const {
    for (const NodeId node : scenario_.farm.members()) {
        if (live().monitors()[node.value()]->acts() < to.nodes[node.value()].count) return false;
    }
    return true;
}

std::string ShellMachine::cut_text(const ToCut& to) const {
    const auto made = acts_made(live());
    std::string text =
        fmt::format("at {}, the nodes are held at their parts of the cut of breakpoint {}\n", time_word(now()), to.number);
    if (to.freed)
        text += "  a send could not end while its receiver was held, so nodes that the predicate does not name went on\n";
    text += fmt::format("  {:<6} {:>9} {:>9} {:>9}  {}\n", "NODE", "PART", "MADE", "HELD", "RECORDS OF THE RUN BEFORE");
    bool all_the_same = true;
    for (const NodeId id : scenario_.farm.members()) {
        const auto node = id.value();
        const ToCut::Part& part = to.nodes[node];
        const Known here = known_of(made[node], part.count);
        const std::uint32_t acts = live().monitors()[node]->acts();
        const bool same = here.known == part.known && here.hash == part.hash &&
                          (acts == part.count || (to.goes_on(node) && acts > part.count));
        all_the_same = all_the_same && same;
        std::string how = same && acts > part.count ? "the same, and it went on" : "the same";
        if (!same && acts < part.count) how = "it has not come there";
        if (!same && acts >= part.count)
            how = here.known != part.known ? fmt::format("{} of {} are here", here.known, part.known)
                                           : "others: the run took another way while nodes were held";
        text += fmt::format("  n{:<5} {:>9} {:>9} {:>9}  {}\n", node, part.count, acts,
                            live().monitors()[node]->script()->held.size(), how);
    }
    const auto answer = evaluated(to.predicate, to.acts(), made);
    const bool holds = answer.truth == Truth::Holds && all_the_same;
    const bool likely = answer.certainty != tmon_predicates::Certainty::Certain;
    text += fmt::format("  truth, from what the probes of the nodes have recorded up to now: {}\n    {}{}\n", to.predicate,
                        !holds     ? "it is not shown to hold here"
                        : to.freed ? "it holds in this state"
                                   : "it holds in this state, in which no node is past its part",
                        holds && likely ? "; likely: " + answer.why : "");
    text += to.changes_text();
    return text + "'state', 'why' and the others show the machine; 'release' lets the held processes go on";
}

}  // namespace cli
