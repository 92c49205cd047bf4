// The real effect of a planted bug's strike, from the truth of the run. Only a bug that stopped something is the cause of an
// unfinished task.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>

#include <oracle/session_result.hpp>

namespace oracle {

class StrikeEffects {
public:
    explicit StrikeEffects(const oracle::SessionResult& result);
    // True when the struck function never finished this task, or kept or spoilt the message it should have sent.
    bool stopped_task(const ground_truth::TrueBug& strike) const;
    // True when the process or its node stopped for good: everything that arrives there waits.
    bool stopped_process(const ground_truth::TrueBug& strike) const;

private:
    bool never_ended(const trek_kernel::BugStruck& bug) const;

    const oracle::SessionResult& result_;
    // Task, sub-task, node and process of functions that began and did not end.
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, trek_kernel::UserProcess>> open_;
};

}  // namespace oracle
