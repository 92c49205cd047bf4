// Conservation: after a run in which switches were re-programmed, every task has come back to the manager or has a cause why
// not. From the truth; no analysis reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tmon_session/session.hpp>

namespace tmon_session {

enum class LossCause : std::uint8_t { OnALink, BehindACut, Waiting, Struck };
const char* loss_cause_name(LossCause cause);  // "lost on a link", "behind a cut", "waiting", "struck"

struct LostTask {
    std::uint32_t task = 0;
    LossCause cause = LossCause::Waiting;
    std::string text;  // "lost on the link n1.2 -> n3.0 at 2000.013 ms by the reconfiguration of 2000.000 ms"
};

// In order of the tasks.
std::vector<LostTask> lost_tasks(const Scenario& scenario, const SessionResult& result);

}  // namespace tmon_session
