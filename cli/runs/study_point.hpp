// One point of a study, run in this process.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <sweeps/command_servers.hpp>
#include <sweeps/study.hpp>
#include <sweeps/study_database.hpp>

namespace cli {

// The command lines that run the point alone: the run and the study's commands.
std::string repeat_line(const sweeps::Study& study, const sweeps::Point& point);
double processor_seconds();  // of this process and its children that have ended
// Throws vocabulary::InputError at the place of a measure that this scenario of the study cannot have.
void check_wanted(const sweeps::Study& study, const scenario::Scenario& scenario, const std::string& point);
// Runs it: the row, without number, and the documents that the study's measures need. Its processor time is that of commands
// that stay (`servers`; null: none does). The documents are empty when a command failed; the row then says why.
struct PointRun {
    sweeps::PointRow row;
    nlohmann::ordered_json documents;
};
PointRun run_point(const sweeps::Study& study, const sweeps::Point& point, sweeps::CommandServers* servers = nullptr);

// The row as a text for the process that collects, and back.
std::string packed(const sweeps::PointRow& row);
sweeps::PointRow unpacked(const std::string& bytes);

}  // namespace cli
