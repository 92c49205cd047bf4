// Conservation: every task of a farm is completed, or there is a cause why not. Truth only; for the oracle, tests and scores. A
// task is lost when what held it failed (the node, the transfer, the process), and waits when it is whole but something on its
// way failed. A task that is neither is a defect of the model or of this account of it. Cost: linear in the true events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tmon_session/scenario.hpp>
#include <tmon_session/session.hpp>

namespace tmon_session {

enum class Fate : std::uint8_t { Completed, Lost, Waits, Unexplained };
const char* fate_name(Fate fate);

struct TaskFate {
    std::uint32_t task = 0;
    Fate fate = Fate::Completed;
    std::string cause;                 // empty when completed or unexplained
    std::optional<std::size_t> fault;  // index into the plan, when that explains it
};

struct Conservation {
    std::uint64_t completed = 0, lost = 0, waits = 0, unexplained = 0;
    std::vector<TaskFate> unfinished;  // ascending
};

Conservation account_for_tasks(const Scenario& scenario, const SessionResult& result);

}  // namespace tmon_session
