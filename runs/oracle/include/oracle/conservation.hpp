// Conservation: every task of a farm has come back to the manager, or has a recorded cause of its loss. Causes are a planted
// bug, a hardware fault, and a re-programmed switch. Truth only; for the oracle, tests and scores. A task is lost when its
// holder failed: the process, the transfer or the node. A task waits when it is whole but something on its way failed. Any
// other unfinished task is a defect of the model or of this account. Cost: the true events, times the logarithm of the tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>

namespace oracle {

enum class LossCause : std::uint8_t { OnALink, BehindACut, Waiting, Struck, Held, Unexplained };
// "lost on a link", "behind a cut", "waiting", "struck", "held by a node that failed", "unexplained"
const char* loss_cause_name(LossCause cause);

struct LostTask {
    std::uint32_t task = 0;
    LossCause cause = LossCause::Unexplained;
    std::string text;                  // "lost on the link n1.2 -> n3.0 at 2000.013 ms by the reconfiguration of 2000.000 ms"
    std::optional<std::size_t> fault;  // index into the fault plan, if a fault explains the loss
};

struct Conservation {
    std::uint64_t completed = 0, lost = 0, waits = 0, unexplained = 0;
    std::vector<LostTask> unfinished;  // in order of the tasks
};
Conservation account_for_tasks(const scenario::Scenario& scenario, const oracle::SessionResult& result);

}  // namespace oracle
