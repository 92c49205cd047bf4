// Conservation: every task of a farm has come back to the manager, or there is a cause why not. Causes are a planted bug, a
// fault of the hardware, and a switch that was re-programmed. Truth only; for the oracle, tests and scores. A task is lost when
// its holder failed: the process, the transfer or the node. It waits when it is whole but something on its way failed. A task
// that is neither is a defect of the model or of this account of it. Cost: the true events, times the logarithm of the tasks.
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
    std::optional<std::size_t> fault;  // index into the fault plan, when that explains it
};

struct Conservation {
    std::uint64_t completed = 0, lost = 0, waits = 0, unexplained = 0;
    std::vector<LostTask> unfinished;  // in order of the tasks
};
Conservation account_for_tasks(const scenario::Scenario& scenario, const oracle::SessionResult& result);

}  // namespace oracle
