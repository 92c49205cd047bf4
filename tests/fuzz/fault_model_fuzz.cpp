// Fault models, and traces judged by them: a model, "---", a .spf, "---", a .config or nothing, "---", a .tvm.
#include <cstdio>

#include <tmon_detrek/detrek.hpp>
#include <tmon_models/fault_model.hpp>
#include <vocabulary/source_position.hpp>

#include "fuzz_target.hpp"

FUZZ_TARGET(fault_model, input) {
    const std::string model = fuzz::put("m.yaml", fuzz::part(input));
    const bool is_fixed = tmon_models::read_fault_model(model).is_fixed();
    fuzz::put("m.spf", fuzz::part(input));
    const std::string_view config = fuzz::part(input);
    if (config.empty()) std::remove(fuzz::file("m.config").c_str());
    if (!config.empty()) fuzz::put("m.config", config);
    fuzz::put("m.tvm", input);
    try {
        const auto result = tmon_detrek::run_detrek({.prefix = fuzz::file("m"), .verbose = true, .model = model});
        fuzz::require(is_fixed && !result.text.empty() && !result.json.empty(), "a verdict says nothing");
    } catch (const vocabulary::InputError&) {
        throw;
    } catch (const vocabulary::RequestError&) {
        // The model cannot run to its end on the tree of the specification.
    }
}
