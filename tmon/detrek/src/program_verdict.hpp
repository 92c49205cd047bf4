// The verdict on a program whose fault model leaves no choice (tmon_models/stops.hpp). Private: verdict.cpp calls it.
#pragma once

#include <vector>

#include <tmon_detrek/verdict.hpp>
#include <tmon_models/stops.hpp>

namespace tmon_detrek {

struct ProgramFindings {
    std::vector<FaultRow> rows;
    std::vector<FaultRow> unanticipated;  // the record that fits no history
    Verdict verdict;
};
// tasks: a task_view(). The model must be fixed. Throws vocabulary::RequestError when it cannot run to its end on this tree.
ProgramFindings judge_program(const tmon_streams::Trace& tasks, const farm_spec::FarmSpec& spec,
                              const tmon_models::FaultModel& model);

}  // namespace tmon_detrek
