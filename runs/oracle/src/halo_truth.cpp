#include <oracle/halo_truth.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <halo_kernel/neighbours.hpp>
#include <nlohmann/json.hpp>

#include <text/time_text.hpp>

namespace oracle {
namespace {

using farm_spec::FarmSpec;
using halo_kernel::HaloBug;
using halo_kernel::Process;
using vocabulary::NodeId;
using Next = HaloProgress::Next;

// Number of the message to or from `peer` in an exchange.
std::uint32_t place_of(const std::vector<NodeId>& neighbours, NodeId peer) {
    return static_cast<std::uint32_t>(std::find(neighbours.begin(), neighbours.end(), peer) - neighbours.begin());
}

// The truth's counts of a node. The order of its messages is fixed, so their number tells the next one.
struct Seen {
    std::uint64_t messages = 0, last_us = 0;
    std::uint64_t functions = 0;  // that have ended: initial_fn(), then each step_fn()
};

std::map<NodeId, Seen> seen_by_node(const SessionResult& result) {
    std::map<NodeId, Seen> seen;
    for (const trace_record::Event& event : result.truth.events()) {
        Seen& node = seen[NodeId(event.node)];
        ++node.messages;
        node.last_us = event.time_us;
    }
    for (const auto& [time, step] : result.truth.steps()) {
        if (step.moment == trek_kernel::Moment::End) ++seen[step.node].functions;
    }
    return seen;
}

HaloProgress progress_of(const FarmSpec& spec, NodeId node, const Seen& seen) {
    const std::vector<NodeId> neighbours = halo_kernel::neighbours(spec, node);
    const std::uint64_t whole = 2 * neighbours.size(), within = seen.messages % whole;
    HaloProgress progress{.node = node, .exchanges = static_cast<std::uint32_t>(seen.messages / whole), .peer = {}};
    progress.since_us = seen.last_us;
    progress.function = progress.exchanges == 0 ? Process::InitialFn : Process::StepFn;
    progress.first_send = within == 0;
    if (progress.exchanges == spec.tasks) {
        progress.next = Next::Done;
    } else if (within == 0 && seen.functions <= progress.exchanges) {
        progress.next = Next::Function;
    } else {
        progress.next = within < neighbours.size() ? Next::Send : Next::Receive;
        progress.peer = neighbours[within % neighbours.size()];
    }
    return progress;
}

// True when a node has sent the message of an exchange to a neighbour.
bool has_sent(const FarmSpec& spec, const HaloProgress& sender, std::uint32_t exchange, NodeId to) {
    if (sender.exchanges != exchange) return sender.exchanges > exchange;
    if (sender.next == Next::Receive) return true;
    const auto neighbours = halo_kernel::neighbours(spec, sender.node);
    return sender.next == Next::Send && place_of(neighbours, to) < place_of(neighbours, sender.peer);
}

// "initial_fn", "step_fn 3", "send 4 to n2", "receive 4 from n2", "done"
std::string next_text(const HaloProgress& progress) {
    switch (progress.next) {
        case Next::Done:
            break;
        case Next::Function:
            return progress.exchanges == 0 ? "initial_fn" : fmt::format("step_fn {}", progress.exchanges - 1);
        case Next::Send:
            return fmt::format("send {} to n{}", progress.exchanges, progress.peer.value());
        case Next::Receive:
            return fmt::format("receive {} from n{}", progress.exchanges, progress.peer.value());
    }
    return "done";
}

const ground_truth::TrueBug* strike_of(const SessionResult& result, std::size_t bug) {
    for (const ground_truth::TrueBug& strike : result.truth.bugs()) {
        if (strike.bug.planted == static_cast<int>(bug)) return &strike;
    }
    return nullptr;
}

nlohmann::ordered_json place_json(const HaloPlace& place) {
    return {
        {"node", place.node.value()}, {"task", place.task}, {"process", name_of(place.process)}, {"since_us", place.since_us}};
}

nlohmann::ordered_json bugs_json(const scenario::Scenario& scenario, const SessionResult& result) {
    auto json = nlohmann::ordered_json::array();
    const auto& bugs = scenario.halo->bugs;
    for (std::size_t i = 0; i < bugs.size(); ++i) {
        nlohmann::ordered_json line = {{"process", word_of(bugs[i].process)},
                                       {"node", bugs[i].node.value()},
                                       {"step", bugs[i].step},
                                       {"kind", word_of(bugs[i].kind)}};
        if (bugs[i].kind == halo_kernel::BugKind::Lose) line["to"] = bugs[i].to.value();
        line["struck_ps"] = nullptr;
        if (const auto* strike = strike_of(result, i)) line["struck_ps"] = strike->time.in_ps();
        json.push_back(std::move(line));
    }
    return json;
}

}  // namespace

std::vector<HaloProgress> halo_progress(const scenario::Scenario& scenario, const SessionResult& result) {
    const auto seen = seen_by_node(result);
    std::vector<HaloProgress> all;
    for (const NodeId node : scenario.farm.members()) {
        const auto found = seen.find(node);
        all.push_back(progress_of(scenario.farm, node, found == seen.end() ? Seen{} : found->second));
    }
    return all;
}

std::vector<HaloPlace> halo_places(const scenario::Scenario& scenario, const std::vector<HaloProgress>& progress) {
    const auto of = [&](NodeId node) {
        return std::find_if(progress.begin(), progress.end(), [&](const HaloProgress& one) { return one.node == node; });
    };
    std::vector<HaloPlace> places;
    for (const HaloProgress& one : progress) {
        if (one.next == Next::Done) continue;
        if (one.next == Next::Receive && !has_sent(scenario.farm, *of(one.peer), one.exchanges, one.node)) continue;
        places.push_back({one.node, one.exchanges, one.first_send ? one.function : Process::Exchange, one.since_us});
    }
    std::stable_sort(places.begin(), places.end(), [](const HaloPlace& a, const HaloPlace& b) { return a.task < b.task; });
    return places;
}

nlohmann::ordered_json halo_struck_json(const scenario::Scenario& scenario, const SessionResult& result) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& [time, strike] : result.truth.bugs()) {
        const HaloBug& bug = scenario.halo->bugs.at(static_cast<std::size_t>(strike.planted));
        json.push_back({{"time_ps", time.in_ps()},
                        {"task", bug.exchange()},
                        {"subtask", "0000"},
                        {"node", bug.node.value()},
                        {"process", name_of(bug.process)},
                        {"bug", strike.bug},
                        {"name", word_of(bug.kind)},
                        {"step", bug.step}});
    }
    return json;
}

nlohmann::ordered_json halo_json(const scenario::Scenario& scenario, const SessionResult& result) {
    nlohmann::ordered_json json = {{"steps", scenario.halo->steps},
                                   {"cells", scenario.halo->cells},
                                   {"parents", nlohmann::ordered_json::array()},
                                   {"bugs", bugs_json(scenario, result)},
                                   {"crashed", nlohmann::ordered_json::array()},
                                   {"cut", nlohmann::ordered_json::array()}};
    for (const NodeId node : scenario.farm.members()) {
        if (const auto parent = scenario.farm.parent(node)) json["parents"].push_back({node.value(), parent->value()});
    }
    for (std::size_t i = 0; i < result.simulated.nodes.size(); ++i) {
        if (result.simulated.nodes[i].crashed) json["crashed"].push_back(i);
    }
    for (std::size_t i = 0; i < result.simulated.faults.links.size(); ++i) {
        if (!result.simulated.faults.tallies[i].first) continue;
        for (const auto& [one, other] : result.simulated.faults.links[i]) json["cut"].push_back({one.value(), other.value()});
    }
    if (result.observed.streamed) return json;
    const auto progress = halo_progress(scenario, result);
    json["nodes"] = nlohmann::ordered_json::array();
    for (const HaloProgress& one : progress)
        json["nodes"].push_back(
            {{"node", one.node.value()}, {"exchanges", one.exchanges}, {"next", next_text(one)}, {"since_us", one.since_us}});
    json["places"] = nlohmann::ordered_json::array();
    for (const HaloPlace& place : halo_places(scenario, progress)) json["places"].push_back(place_json(place));
    json["first"] = json["places"].empty() ? nlohmann::ordered_json(nullptr) : json["places"].front();
    return json;
}

std::string halo_text(const scenario::Scenario& scenario, const SessionResult& result) {
    constexpr std::size_t most_lines = 16;
    std::string text;
    const auto out = std::back_inserter(text);
    const auto& bugs = scenario.halo->bugs;
    if (!bugs.empty()) text += "\n  planted bugs\n";
    for (std::size_t i = 0; i < bugs.size(); ++i) {
        const auto* strike = strike_of(result, i);
        fmt::format_to(out, "  {:>3} {}: {}\n", i + 1, bug_text(bugs[i]),
                       strike != nullptr ? "struck at " + text::time_text(strike->time) : "never struck");
    }
    if (result.observed.streamed || result.simulated.farm.finished) return text;
    text += "\n  next step of each node\n";
    std::size_t shown = 0, left = 0;
    for (const HaloProgress& one : halo_progress(scenario, result)) {
        if (++shown > most_lines) {
            ++left;
        } else {
            fmt::format_to(out, "  n{:<4} {}\n", one.node.value(), next_text(one));
        }
    }
    if (left > 0) fmt::format_to(out, "  and {} more nodes\n", left);
    return text;
}

}  // namespace oracle
