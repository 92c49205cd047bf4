// The JSON of a detrek report, schema magicwire.detrek/1 (docs/formats/thesis_files.md).
#pragma once

#include <string>
#include <vector>

#include <tmon_detrek/detrek.hpp>

namespace tmon_detrek {

// tasks: task_view(trace). rests: rests_on(tasks, analysis).
std::string detrek_json(const tmon_streams::Trace& trace, const tmon_streams::Trace& tasks, const Analysis& analysis,
                        const std::vector<Event>& rests, int exit_code);

}  // namespace tmon_detrek
