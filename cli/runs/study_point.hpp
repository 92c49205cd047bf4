// One point of a study, run in this process.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <sweeps/study.hpp>
#include <sweeps/study_database.hpp>

namespace cli {

// The command line that runs the point alone.
std::string repeat_line(const sweeps::Point& point);
double processor_seconds();  // of this process and its children that have ended
// Runs it: the row, without number and processor time, and the documents that the study's measures need.
struct PointRun {
    sweeps::PointRow row;
    nlohmann::ordered_json documents;
};
PointRun run_point(const sweeps::Study& study, const sweeps::Point& point);

// The row as a text for the process that collects, and back.
std::string packed(const sweeps::PointRow& row);
sweeps::PointRow unpacked(const std::string& bytes);

}  // namespace cli
