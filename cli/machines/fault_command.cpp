// faults: the verbs of a fault plan, or what a plan says.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <topologies/fault_plan.hpp>
#include <topologies/machine_parser.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

using topologies::FaultRate;
using topologies::FaultVerbInfo;

const char* rate_text(FaultRate rate) {
    switch (rate) {
        case FaultRate::PerSecond:
            return "per second of modelled time, once";
        case FaultRate::PerByte:
            return "per byte";
        case FaultRate::None:
            break;
    }
    return "none";
}

std::string verbs_json() {
    nlohmann::ordered_json out = {{"schema", "magicwire.faults/1"}};
    for (const FaultVerbInfo& verb : topologies::fault_verbs()) {
        nlohmann::ordered_json line = {{"verb", verb.name},
                                       {"target", target_text(verb.target)},
                                       {"keys", keys_of(verb)},
                                       {"rate", rate_text(verb.rate)},
                                       {"description", verb.description},
                                       {"example", verb.example}};
        if (!verb.own_key.empty()) line["values"] = {{std::string(verb.own_key), verb.own_values}};
        out["verbs"].push_back(std::move(line));
    }
    return out.dump(2);
}

std::string verbs_text() {
    std::string text = "Verbs of a fault plan (docs/formats/fault_file.md), each with an entry of the list 'faults:'\n";
    for (const FaultVerbInfo& verb : topologies::fault_verbs()) {
        text += fmt::format("\n  {:<17} {}\n{}\n", verb.name, target_text(verb.target), folded(verb.description));
        if (!verb.own_key.empty()) text += fmt::format("    {}: {}\n", verb.own_key, verb.own_values);
        if (verb.rate != FaultRate::None)
            text += fmt::format("    rate: {}{}\n", rate_text(verb.rate), verb.ends ? "; until: or for: ends it" : "");
        text += fmt::format("    - {{{}}}\n", verb.example);
    }
    text +=
        "\nA moment is 'at: 12ms', 'when: {task: 49, node: n5, step: start}' or 'rate: 1e-6'.\n"
        "A step is start, finish, send or receive; subtask: 0110 and node: may be left out or added.\n"
        "'on:' is the older word for 'when:'. A run takes a plan with 'faults:' in its scenario, or with --faults FILE.\n";
    return text;
}

std::string plan_text(const topologies::FaultPlan& plan) {
    std::string text = fmt::format("{} fault{}, seed {}\n", plan.faults.size(), plan.faults.size() == 1 ? "" : "s", plan.seed);
    std::size_t number = 0;
    for (const topologies::Fault& fault : plan.faults)
        text += fmt::format("  {:>3} {} ({})\n", ++number, fault_text(fault), moment_text(fault));
    return text;
}

std::string plan_json(const topologies::FaultPlan& plan) {
    nlohmann::ordered_json out = {
        {"schema", "magicwire.fault_plan/1"}, {"seed", plan.seed}, {"faults", nlohmann::ordered_json::array()}};
    for (const topologies::Fault& fault : plan.faults)
        out["faults"].push_back(
            {{"verb", info_of(fault.verb).name}, {"fault", fault_text(fault)}, {"moment", moment_text(fault)}});
    return out.dump(2) + "\n";
}

}  // namespace

void add_faults(CLI::App& app, int& result) {
    struct Options {
        std::string plan, machine;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("faults", "List the verbs of a fault plan, or check a plan and describe it in words");
    CLI::Option* machine = command->add_option("--machine", options->machine, "machine file (YAML) that the plan is for");
    CLI::Option* plan = command->add_option("FILE", options->plan, "fault plan (YAML) to check");
    plan->needs(machine);
    machine->needs(plan);
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Examples:\n  magicwire faults\n  magicwire faults topologies/faults/cut.faults --machine "
        "topologies/machines/btree_8_c004.yaml\n");
    command->callback([options, &result] {
        std::string text = options->json ? verbs_json() + "\n" : verbs_text();
        if (!options->plan.empty()) {
            const auto read = topologies::read_fault_plan(options->plan, topologies::read_machine(options->machine));
            text = options->json ? plan_json(read) : plan_text(read);
        }
        std::fwrite(text.data(), 1, text.size(), stdout);
        result = exit_code::nothing_found;
    });
}

}  // namespace cli
