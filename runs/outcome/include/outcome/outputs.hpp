// Files of a run: the thesis' files (.all .config .tvm .spf), the binary trace, the oracle, the totals and the printed output.
// All are written into one new folder, which gets its name only when it is complete.
#pragma once

#include <string>
#include <vector>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>
#include <tmon_detrek/detrek.hpp>

namespace outcome {

struct Manifest {
    std::vector<std::string> arguments;  // of the command line, without the program's path
    std::string version;
    std::string repeat;  // the command line that repeats the run
};

// Rows of the totals to print: all, the 16 busiest of each table with the sum of the others, or none. Automatic: all up to 16
// nodes, else the busiest.
enum class Totals { Automatic, All, Top, None };

// Totals of links and nodes, times, losses per node, run hash. Plain text of at most 128 columns.
std::string summary_text(const scenario::Scenario& scenario, const oracle::SessionResult& result, const Manifest& manifest,
                         Totals totals = Totals::Automatic);
// {"schema": "magicwire.run/1", ...}; `verdict` is deTrEK's JSON, or empty when the run was not monitored.
std::string summary_json(const scenario::Scenario& scenario, const oracle::SessionResult& result, const Manifest& manifest,
                         const std::string& verdict);
// Ground truth: strikes and their places, unfinished tasks and their places, losses, and the hash of the true order.
std::string oracle_json(const scenario::Scenario& scenario, const oracle::SessionResult& result);

// Throws vocabulary::InputError when a run may not be written there: the place exists and `force` is false, or is no folder of
// an earlier run. Call before a long run.
void check_output_place(const std::string& folder, bool force);
// Throws as check_output_place(), and when the folder cannot be written; nothing is left half written.
void write_outputs(const std::string& folder, const scenario::Scenario& scenario, const oracle::SessionResult& result,
                   const Manifest& manifest, const std::string& verdict, bool force);

}  // namespace outcome
