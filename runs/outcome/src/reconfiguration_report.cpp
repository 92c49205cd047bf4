#include "reconfiguration_report.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <outcome/reconfiguration_text.hpp>
#include <session/traffic_name.hpp>
#include <topologies/end_names.hpp>
#include <trek_kernel/task_on_wire.hpp>

#include <text/time_text.hpp>

namespace outcome {
namespace {

constexpr std::size_t most_plugs = 8;  // in the text

std::string task_text(const trek_kernel::TaskOnWire& task) {
    return fmt::format("{} {}", task.result ? "the result of task" : "task", task.task);
}

// Why orders were never begun; they come in the order of their times.
std::string why_not_begun(const oracle::SessionResult& result) {
    const std::string end = fmt::format("the run ended at {}", text::time_text(result.observed.modelled));
    if (result.observed.end == tmon_streams::SessionEnd::NeverBegan && result.simulated.switches.done.empty() &&
        !result.observed.diagnosis.starts_with("loading"))
        return "the machine had not booted when " + end;
    const bool waits = !result.simulated.switches.done.empty() && !result.simulated.switches.done.back().routed;
    return waits ? fmt::format("that of {} was not finished when {}", text::time_text(result.simulated.switches.done.back().at),
                               end)
                 : end;
}

std::string plugs_text(const std::vector<trollius_hosted::PluggedLink>& plugs) {
    std::string text;
    for (std::size_t i = 0; i < std::min(plugs.size(), most_plugs); ++i) text += "  plugged      " + plug_text(plugs[i]) + "\n";
    if (plugs.size() > most_plugs) text += fmt::format("               and {} links more\n", plugs.size() - most_plugs);
    return text;
}

bool same(const trollius_hosted::PluggedLink& a, const trollius_hosted::PluggedLink& b) {
    return a.from == b.from && a.since == b.since;
}

}  // namespace

std::string plug_text(const trollius_hosted::PluggedLink& plug) {
    std::string text = fmt::format("{} -> {} since {}: {} is not taken", plug.from, plug.to.empty() ? "nowhere" : plug.to,
                                   text::time_text(plug.since), message_text(plug.header, plug.bytes, plug.account));
    if (plug.behind > 0) text += fmt::format(", {} more behind it", plug.behind);
    return text;
}

std::string reconfigured_text(const trollius_hosted::Reconfigured& done) {
    std::string text = "at " + text::time_text(done.began);
    const auto out = std::back_inserter(text);
    if (done.began != done.at) fmt::format_to(out, ", ordered for {}", text::time_text(done.at));
    if (done.switches == 0 && done.routed) return text + ": set like this already, nothing changed";
    fmt::format_to(out, ": {} changed", done.switches);
    if (done.switched) fmt::format_to(out, ", set and read back in {}", text::time_text(*done.switched - done.began));
    if (done.routed)
        fmt::format_to(out, "; routes reached {} node{} after {}", done.told, done.told == 1 ? "" : "s",
                       text::time_text(*done.routed - done.began));
    if (done.silent > 0) fmt::format_to(out, ", {} did not answer: {}", done.silent, topologies::node_list(done.silent_nodes));
    if (!done.routed) fmt::format_to(out, "; not finished");
    return text;
}

std::string lost_transfer_text(const trollius_hosted::LostTransfer& lost) {
    std::string text = fmt::format("{} bytes on {} -> {} at {}", lost.bytes, lost.from, lost.to, text::time_text(lost.when));
    if (const auto task = trek_kernel::task_on_wire(lost.header)) text += ", " + task_text(*task);
    return text;
}

std::string message_text(std::span<const std::byte> header, std::uint32_t bytes, vocabulary::Account account) {
    if (const auto task = trek_kernel::task_on_wire(header)) return fmt::format("{} ({} bytes)", task_text(*task), bytes);
    return fmt::format("a message of {} bytes ({})", bytes, session::traffic_name(account));
}

std::string reconfiguration_text(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    std::string text;
    const auto out = std::back_inserter(text);
    const bool unfinished =
        !result.simulated.farm.finished ||
        std::any_of(result.simulated.switches.done.begin(), result.simulated.switches.done.end(),
                    [](const trollius_hosted::Reconfigured& done) { return done.silent > 0 || !done.routed; });
    for (const trollius_hosted::Reconfigured& done : result.simulated.switches.done) {
        fmt::format_to(out, "  switches     {}\n", reconfigured_text(done));
        for (const std::string& difference : done.differences) fmt::format_to(out, "               {}\n", difference);
        // Links that are still plugged at the end are reported there.
        std::vector<trollius_hosted::PluggedLink> then = done.plugged;
        std::erase_if(then, [&](const trollius_hosted::PluggedLink& one) {
            return std::any_of(result.simulated.switches.plugged.begin(), result.simulated.switches.plugged.end(),
                               [&](const trollius_hosted::PluggedLink& other) { return same(one, other); });
        });
        text += plugs_text(then);
    }
    for (std::size_t i = result.simulated.switches.done.size(); i < scenario.reconfigurations.size(); ++i)
        fmt::format_to(out, "  switches     ordered for {}: never begun, {}\n",
                       text::time_text(scenario.reconfigurations[i].at), why_not_begun(result));
    for (const trollius_hosted::LostTransfer& lost : result.simulated.switches.lost_transfers)
        fmt::format_to(out, "  lost         {}\n", lost_transfer_text(lost));
    if (unfinished) text += plugs_text(result.simulated.switches.plugged);
    return text;
}

nlohmann::ordered_json plugged_json(const std::vector<trollius_hosted::PluggedLink>& links) {
    auto json = nlohmann::ordered_json::array();
    for (const trollius_hosted::PluggedLink& link : links) {
        nlohmann::ordered_json line = {
            {"from", link.from},   {"to", link.to.empty() ? "-" : link.to},          {"since_us", link.since.in_us()},
            {"bytes", link.bytes}, {"traffic", session::traffic_name(link.account)}, {"behind", link.behind}};
        if (const auto task = trek_kernel::task_on_wire(link.header)) {
            line["task"] = task->task;
            line["result"] = task->result;
        }
        json.push_back(std::move(line));
    }
    return json;
}

nlohmann::ordered_json reconfigurations_json(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    auto json = nlohmann::ordered_json::array();
    for (const trollius_hosted::Reconfigured& done : result.simulated.switches.done) {
        nlohmann::ordered_json line = {
            {"at_us", done.at.in_us()},   {"state", done.routed ? "done" : "not finished"},  {"began_us", done.began.in_us()},
            {"switches", done.switches},  {"configuration_bytes", done.configuration_bytes}, {"nodes_told", done.told},
            {"nodes_silent", done.silent}};
        line["silent"] = nlohmann::ordered_json::array();
        for (const vocabulary::NodeId node : done.silent_nodes) line["silent"].push_back(topologies::node_name(node));
        line["plugged"] = plugged_json(done.plugged);
        line["differences"] = done.differences;
        if (done.switched) line["switched_us"] = done.switched->in_us();
        if (done.routed) line["routed_us"] = done.routed->in_us();
        json.push_back(std::move(line));
    }
    for (std::size_t i = result.simulated.switches.done.size(); i < scenario.reconfigurations.size(); ++i)
        json.push_back({{"at_us", scenario.reconfigurations[i].at.in_us()},
                        {"state", "never begun"},
                        {"began_us", nullptr},
                        {"why", why_not_begun(result)}});
    return json;
}

}  // namespace outcome
