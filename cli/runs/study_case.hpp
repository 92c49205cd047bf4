// The case of a point: its folder, and the scenario that a command of the study makes there.
#pragma once

#include <nlohmann/json.hpp>

#include <sweeps/command_servers.hpp>
#include <sweeps/point_command.hpp>
#include <sweeps/study.hpp>
#include <sweeps/study_database.hpp>

#include "runs/point_folder.hpp"

namespace cli {

bool uses_folders(const sweeps::Study& study);  // PointFolder, for what commands read and write

// Runs a command of the study for the point, in this process, or asks the process that stays for it. `out`: the folder of the
// run's files. `servers`: null: none stays. When it fails the row says why; it also has the time of processes that stay.
sweeps::CommandEnd run_for(const sweeps::Study& study, const sweeps::Command& command, const sweeps::Point& point,
                           const std::string& out, sweeps::CommandServers* servers, sweeps::PointRow& row);

struct Case {
    sweeps::Point point;             // with the places of folder and scenario as they are now
    nlohmann::ordered_json printed;  // by the command that makes it; null: nothing
};
// Makes the folder of the point, and its scenario if a command does that. When that fails the row says why.
Case make_case(const sweeps::Study& study, const sweeps::Point& point, const PointFolder& folder,
               sweeps::CommandServers* servers, sweeps::PointRow& row);

}  // namespace cli
