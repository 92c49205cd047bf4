// run --fork-at T --what-if CHANGE,...: the run and its branches from a common moment.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <outcome/outputs.hpp>
#include <scenario/scenario.hpp>

#include "frame/command.hpp"

namespace cli {

struct FutureOptions {
    std::string at;
    std::vector<std::string> what_if;

    void add_to(CLI::App& command);
    bool wanted() const { return option->count() > 0; }
    const CLI::Option* option = nullptr;  // --fork-at
};

// Options of `run` apart from its futures.
struct FuturesRun {
    std::string out, progress;
    bool force = false, json = false, exit_zero = false;
    // Makes the manifest of the branch with these changes. Without changes: the manifest of the same run without futures.
    std::function<outcome::Manifest(const std::string& changes)> manifest;
};

// Prints the branches side by side. Returns the exit code of the unchanged run, unless a branch failed. With `out` each branch
// writes its files to a folder of its own there. At most two processes run at a time.
int run_futures(const scenario::Scenario& scenario, const FutureOptions& options, const FuturesRun& run);

}  // namespace cli
