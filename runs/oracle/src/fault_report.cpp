#include <oracle/fault_report.hpp>

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <session/traffic_name.hpp>
#include <topologies/end_names.hpp>

#include <text/time_text.hpp>

namespace oracle {
namespace {

using hw_model::FaultStrike;
using hw_model::FaultTally;
using topologies::Fault;

const char* effect_text(hw_model::FaultEffect effect) {
    using Effect = hw_model::FaultEffect;
    switch (effect) {
        case Effect::Stopped:
            return "stopped";
        case Effect::Refused:
            return "refused";
        case Effect::ByteChanged:
            return "byte changed";
        case Effect::PacketLost:
            return "packet lost";
        case Effect::AcknowledgeLost:
            break;
    }
    return "acknowledge lost";
}

std::string outcome(const FaultTally& tally, const Fault& fault) {
    if (!tally.first) return "never happened";
    const bool of_packets = topologies::info_of(fault.verb).rate == topologies::FaultRate::PerByte;
    std::string text = of_packets ? fmt::format("struck {} packet{}, the first at {}", tally.struck,
                                                tally.struck == 1 ? "" : "s", text::time_text(*tally.first))
                                  : "struck at " + text::time_text(*tally.first);
    if (!of_packets && tally.messages > 0)
        text += fmt::format(", hit {} message{}", tally.messages, tally.messages == 1 ? "" : "s");
    if (tally.ended) text += ", over at " + text::time_text(*tally.ended);
    return text;
}

nlohmann::ordered_json strike_json(const scenario::Scenario& scenario, const Fault& fault, const FaultStrike& strike) {
    nlohmann::ordered_json json = {{"time_ps", strike.when.in_ps()}};
    if (!strike.message) {
        json["effect"] = strike.ended ? "ended" : "began";
        return json;
    }
    const auto& message = *strike.message;
    const topologies::Wire& wire = scenario.machine.wires[fault.wire];
    json["effect"] = effect_text(message.effect);
    json["from"] = topologies::end_name(scenario.machine, message.from_a ? wire.a : wire.b);
    json["to"] = topologies::end_name(scenario.machine, message.from_a ? wire.b : wire.a);
    json["traffic"] = session::traffic_name(message.account);
    json["bytes"] = message.bytes;
    json["position"] = message.position;
    if (const auto task = session::task_of(message)) {
        json["task"] = task->task;
        json["subtask"] = fmt::format("{:04x}", task->subtask);
    }
    return json;
}

}  // namespace

std::string faults_text(const scenario::Scenario& scenario, const session::FaultEffects& effects) {
    return scenario.faults ? faults_text(*scenario.faults, effects.tallies) : std::string();
}

std::string faults_text(const topologies::FaultPlan& plan, const std::vector<FaultTally>& tallies) {
    std::string text = "\n  faults of the plan\n";
    if (plan.faults.empty()) text += "  none\n";
    for (std::size_t i = 0; i < tallies.size(); ++i) {
        const Fault& fault = plan.faults[i];
        fmt::format_to(std::back_inserter(text), "  {:>3} {} ({}): {}\n", i + 1, topologies::fault_text(fault),
                       topologies::moment_text(fault), outcome(tallies[i], fault));
    }
    return text;
}

nlohmann::ordered_json faults_json(const scenario::Scenario& scenario, const session::FaultEffects& effects) {
    return scenario.faults ? faults_json(*scenario.faults, effects.tallies) : nlohmann::ordered_json::array();
}

nlohmann::ordered_json faults_json(const topologies::FaultPlan& plan, const std::vector<FaultTally>& tallies) {
    auto json = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < tallies.size(); ++i) {
        const Fault& fault = plan.faults[i];
        const FaultTally& tally = tallies[i];
        nlohmann::ordered_json line = {{"fault", i + 1},
                                       {"verb", topologies::info_of(fault.verb).name},
                                       {"target", fault.target},
                                       {"moment", topologies::moment_text(fault)},
                                       {"happened", tally.first.has_value()},
                                       {"struck", tally.struck},
                                       {"messages", tally.messages}};
        if (tally.first) line["first_ps"] = tally.first->in_ps();
        if (tally.ended) line["ended_ps"] = tally.ended->in_ps();
        json.push_back(std::move(line));
    }
    return json;
}

nlohmann::ordered_json strikes_json(const scenario::Scenario& scenario, const session::FaultEffects& effects) {
    nlohmann::ordered_json json = faults_json(scenario, effects);
    for (std::size_t i = 0; i < json.size(); ++i) {
        const Fault& fault = scenario.faults->faults[i];
        if (topologies::info_of(fault.verb).target == topologies::FaultTarget::Node) json[i]["node"] = fault.node.value();
        for (const auto& [one, other] : effects.links[i]) json[i]["links"].push_back({one.value(), other.value()});
        json[i]["strikes"] = nlohmann::ordered_json::array();
    }
    for (const FaultStrike& strike : effects.strikes)
        json[strike.fault]["strikes"].push_back(strike_json(scenario, scenario.faults->faults[strike.fault], strike));
    return json;
}

nlohmann::ordered_json conservation_json(const Conservation& account) {
    nlohmann::ordered_json json = {{"completed", account.completed},
                                   {"lost", account.lost},
                                   {"waits", account.waits},
                                   {"unexplained", account.unexplained},
                                   {"unfinished", nlohmann::ordered_json::array()}};
    for (const LostTask& task : account.unfinished) {
        nlohmann::ordered_json line = {{"task", task.task}, {"cause", loss_cause_name(task.cause)}, {"text", task.text}};
        if (task.fault) line["fault"] = *task.fault + 1;
        json["unfinished"].push_back(std::move(line));
    }
    return json;
}

}  // namespace oracle
