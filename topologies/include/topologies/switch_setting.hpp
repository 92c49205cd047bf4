// The setting of a crossbar, and an order to change settings in the middle of a run. Plain values.
#pragma once

#include <utility>
#include <vector>

#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace topologies {

using Connections = std::vector<std::pair<vocabulary::WayNo, vocabulary::WayNo>>;  // both directions each

struct SwitchSetting {
    vocabulary::SwitchId which;
    Connections connections;  // all of the switch's
};

// An order: the host re-programs switches in mid-run.
struct Reconfiguration {
    vocabulary::SimTime at;  // since power-up; an order due before the machine has booted is carried out right after booting
    std::vector<SwitchSetting> settings;
};

}  // namespace topologies
