// faults: the verbs of a fault plan.
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <topologies/fault_plan.hpp>

#include "command.hpp"

namespace tmon_cli {
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

// At most 128 columns.
std::string folded(std::string_view text) {
    constexpr std::size_t indent = 4, width = 128;
    std::string result(indent, ' ');
    std::size_t column = indent;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (column > indent && column + 1 + end - at > width) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            result += ' ';
            ++column;
        }
        result += text.substr(at, end - at);
        column += end - at;
        at = end + 1;
    }
    return result;
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
        "\nA moment is 'at: 12ms', 'on: {task: 49, node: n5, step: start}' (start, finish, send or receive; subtask: 0110 and "
        "node:\nmay be left out or added) or 'rate: 1e-6'. A run takes a plan with 'faults:' in its scenario, or with --faults "
        "FILE.\n";
    return text;
}

}  // namespace

void add_faults(CLI::App& app, int& result) {
    auto json = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("faults", "List the verbs of a fault plan, with an example each");
    command->add_flag("--json", *json, "print JSON");
    command->callback([json, &result] {
        const std::string text = *json ? verbs_json() + "\n" : verbs_text();
        std::fwrite(text.data(), 1, text.size(), stdout);
        result = exit_code::nothing_found;
    });
}

}  // namespace tmon_cli
