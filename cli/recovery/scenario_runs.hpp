// record and replay of scenarios with an MPI program (docs/guide/checkpoints.md).
#pragma once

#include <string>
#include <vector>

namespace cli {

struct ScenarioRecordOptions {
    std::string scenario, out, interval = "2s", checkpoints = "interrupt", seed, limit;
    std::vector<std::string> set;
    bool force = false, says = false;
};
int record_scenario(const ScenarioRecordOptions& options);

struct ScenarioReplayOptions {
    std::string folder, at, causal, only, seed, limit;
    std::vector<std::string> set;
    bool json = false, from_start = false;
};
int replay_scenario(const ScenarioReplayOptions& options);

}  // namespace cli
