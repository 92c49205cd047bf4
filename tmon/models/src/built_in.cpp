#include <algorithm>

#include <tmon_models/fault_model.hpp>
#include <vocabulary/source_position.hpp>

#include "built_in_texts.hpp"

namespace tmon_models {

namespace {

const std::vector<FaultModel>& models() {
    static const std::vector<FaultModel> all = [] {
        std::vector<FaultModel> read;
        for (const BuiltInText& each : built_in_texts()) read.push_back(parse_fault_model(each.text, each.name + ".yaml"));
        return read;
    }();
    return all;
}

}  // namespace

std::vector<std::string> built_in_names() {
    std::vector<std::string> names;
    for (const BuiltInText& each : built_in_texts()) names.push_back(each.name);
    return names;
}

const FaultModel& built_in(const std::string& name) {
    const auto found = std::find_if(models().begin(), models().end(), [&](const auto& each) { return each.name == name; });
    if (found != models().end()) return *found;
    std::string known;
    for (const std::string& each : built_in_names()) known += (known.empty() ? "" : ", ") + each;
    throw vocabulary::RequestError("there is no fault model '" + name + "'; built in are " + known +
                                   ", and detrek --model FILE reads another");
}

const FaultModel& model_of(const farm_spec::FarmSpec& spec) {
    return built_in(!spec.is_farm() ? spec.model : spec.divides() ? "dcvm" : "pfvm");
}

}  // namespace tmon_models
