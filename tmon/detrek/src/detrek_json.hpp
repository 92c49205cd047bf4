// The JSON forms of a detrek report. Private.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tmon_detrek/verdict.hpp>

namespace tmon_detrek {

nlohmann::ordered_json verdict_json(const Verdict& verdict, const farm_spec::FarmSpec& spec);
nlohmann::ordered_json row_json(const FaultRow& row, const farm_spec::FarmSpec& spec);
// magicwire.detrek/1, with a final line feed.
// tasks: task_view(trace). rests: rests_on(tasks, analysis).
std::string detrek_json(const tmon_streams::Trace& trace, const tmon_streams::Trace& tasks, const Analysis& analysis,
                        const std::vector<Event>& rests, int exit_code);

}  // namespace tmon_detrek
