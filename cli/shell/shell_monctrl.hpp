// `monctrl` in the shell: an order to monitors, sent as messages by a process of the host (instrumentation/monctrl.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <scenario/scenario.hpp>
#include <trace_record/event_class.hpp>
#include <trollius_commands/command.hpp>

namespace cli {

struct MonctrlOrder {
    enum class What { Begin, Quit, Stop, Classes };
    What what = What::Begin;
    trace_record::ClassSet classes;
    std::vector<vocabulary::NodeId> nodes;
};

// "-b", "-q", "-s" or "-e message+user", then nodes: "n0-7", or "-n 6" for the first six. Without nodes: all of the farm. "-bn
// 6" is "-b -n 6". Throws vocabulary::RequestError.
MonctrlOrder monctrl_order(const std::vector<std::string>& words, const trollius_commands::Site& site);
// Begin, Stop and Classes. The last node, the manager, gets Begin when all others have answered, so that all record when tasks
// begin to flow. `switched` is called for each node that has answered Begin (true), or gets Stop.
std::unique_ptr<trollius_commands::Command> monctrl_command(MonctrlOrder order, const scenario::Scenario& scenario,
                                                            std::function<void(vocabulary::NodeId, bool)> switched);

}  // namespace cli
