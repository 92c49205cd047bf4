#include <algorithm>
#include <map>
#include <mutex>

#include <tmon_models/fault_model.hpp>
#include <vocabulary/source_position.hpp>

#include "built_in_texts.hpp"

namespace tmon_models {

std::vector<std::string> built_in_names() {
    std::vector<std::string> names;
    for (const BuiltInText& each : built_in_texts()) names.push_back(each.name);
    return names;
}

// Each is read when it is first asked for: a run needs one of them.
const FaultModel& built_in(const std::string& name) {
    static std::mutex mutex;
    static std::map<std::string, FaultModel> models;
    const std::lock_guard lock(mutex);
    const auto known = models.find(name);
    if (known != models.end()) return known->second;
    const auto& texts = built_in_texts();
    const auto found = std::find_if(texts.begin(), texts.end(), [&](const auto& each) { return each.name == name; });
    if (found != texts.end()) return models.emplace(name, parse_fault_model(found->text, name + ".yaml")).first->second;
    std::string names;
    for (const std::string& each : built_in_names()) names += (names.empty() ? "" : ", ") + each;
    throw vocabulary::RequestError("there is no fault model '" + name + "'; built in are " + names +
                                   ", and detrek --model FILE reads another");
}

const FaultModel& model_of(const farm_spec::FarmSpec& spec) {
    return built_in(!spec.is_farm() ? spec.model : spec.divides() ? "dcvm" : "pfvm");
}

}  // namespace tmon_models
