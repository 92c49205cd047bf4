// models: the built-in fault models, or one model in words.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_models/fault_model.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

using tmon_models::FaultModel;
using tmon_models::Place;
using tmon_models::Step;
using tmon_models::Way;

template <class Word>
const char* word_of(const std::vector<const char*>& words, Word word) {
    return words[static_cast<std::size_t>(word)];
}
const char* way_word(Way way) {
    return word_of({"down", "up", "both ways"}, way);
}
const char* at_word(tmon_models::At at) {
    return word_of({"the root", "each worker", "each inner worker", "each leaf", "each node"}, at);
}

std::string steps_text(const FaultModel& model, const std::vector<Step>& steps);

std::string step_text(const FaultModel& model, const Step& step) {
    const std::string by = step.by.empty() ? "" : step.by + ", then ";
    if (step.what == Step::What::Compute) return step.by;
    if (step.what == Step::What::Either) {
        std::vector<std::string> words;
        for (const auto& each : step.either) words.push_back(steps_text(model, each));
        return by + "either (" + fmt::format("{}", fmt::join(words, ") or (")) + ")";
    }
    const bool sends = step.what == Step::What::Send;
    return fmt::format("{}{} {}{} {} {}", by, sends ? "send" : "receive", model.messages[step.message].name,
                       step.each_part ? ", each part," : "", sends ? "to" : "from",
                       word_of({"the parent", "one child", "that child", "each child", "each neighbour"}, step.peer));
}

std::string steps_text(const FaultModel& model, const std::vector<Step>& steps) {
    std::vector<std::string> words;
    for (const Step& step : steps) words.push_back(step_text(model, step));
    return fmt::format("{}", fmt::join(words, "; "));
}

std::string place_units(const Place& place, const FaultModel& model) {
    return fmt::format("{} {}", word_of({"the first", "the last", "each"}, place.units), model.unit);
}

std::string model_text(const FaultModel& model) {
    std::string text =
        fmt::format("Fault model '{}': unit '{}'{}; {}\n", model.name, model.unit, model.one_by_one ? ", one by one" : "",
                    model.is_fixed() ? "the specification says which messages there are" : "nodes choose who gets what");
    for (const auto& message : model.messages)
        text += fmt::format("  message {}: {}, {}, blamed as {}\n", message.name, way_word(message.way),
                            message.synchronous ? "synchronous" : "buffered", message.label);
    for (const Place& place : model.places)
        text += fmt::format("  {}, {}: {}\n", at_word(place.at), place_units(place, model), steps_text(model, place.steps));
    for (const std::string& each : model.assumes) text += fmt::format("  assumes that {}\n", each);
    return text;
}

nlohmann::ordered_json model_json(const FaultModel& model) {
    nlohmann::ordered_json json = {
        {"name", model.name}, {"unit", model.unit}, {"one_by_one", model.one_by_one}, {"fixed", model.is_fixed()}};
    for (const auto& message : model.messages)
        json["messages"].push_back({{"name", message.name},
                                    {"way", way_word(message.way)},
                                    {"synchronous", message.synchronous},
                                    {"label", message.label}});
    for (const Place& place : model.places)
        json["places"].push_back(
            {{"at", at_word(place.at)}, {"for", place_units(place, model)}, {"steps", steps_text(model, place.steps)}});
    json["assumes"] = model.assumes;
    return json;
}

std::vector<FaultModel> wanted_models(const std::string& which) {
    const std::vector<std::string> names = tmon_models::built_in_names();
    if (!which.empty() && std::find(names.begin(), names.end(), which) == names.end())
        return {tmon_models::read_fault_model(which)};
    std::vector<FaultModel> models;
    for (const std::string& name : names)
        if (which.empty() || which == name) models.push_back(tmon_models::built_in(name));
    return models;
}

}  // namespace

void add_models(CLI::App& app, int& result) {
    struct Options {
        std::string which;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("models", "Describe the virtual machines that the analyser knows, or check a fault model");
    command->add_option("MODEL", options->which,
                        "name of a built-in model, or a file (docs/formats/fault_model.md); all built-in ones");
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Examples:\n  magicwire models\n  magicwire models halo\n  magicwire models examples/models/pipeline.yaml --json\n");
    command->callback([options, &result] {
        std::string text;
        nlohmann::ordered_json json = {{"schema", "magicwire.models/1"}, {"models", nlohmann::ordered_json::array()}};
        for (const FaultModel& model : wanted_models(options->which)) {
            text += (text.empty() ? "" : "\n") + model_text(model);
            json["models"].push_back(model_json(model));
        }
        if (options->json) {
            put(json.dump(2));
        } else {
            std::fputs(text.c_str(), stdout);
        }
        result = exit_code::nothing_found;
    });
}

}  // namespace cli
