// What the strike of a planted bug really stopped, from the truth of the run: a bug is the cause of an unfinished task only
// then.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>

#include <tmon_session/session.hpp>

namespace tmon_session {

class StrikeEffects {
public:
    explicit StrikeEffects(const SessionResult& result);
    // The function that it struck never came out of this task, or kept or spoilt what it should have sent.
    bool stopped_task(const instrumentation::TrueBug& strike) const;
    // That process, or its node, does nothing any more: what comes there waits.
    bool stopped_process(const instrumentation::TrueBug& strike) const;

private:
    bool never_ended(const trek_kernel::BugStruck& bug) const;

    const SessionResult& result_;
    // Task, sub-task, node and process of functions that began and did not end.
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, trek_kernel::UserProcess>> open_;
};

}  // namespace tmon_session
