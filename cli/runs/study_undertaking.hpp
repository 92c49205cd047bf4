// A study that a command works on: its database, the points that are missing, and what the command says at its end.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <sweeps/study.hpp>
#include <sweeps/study_database.hpp>

#include "runs/study_options.hpp"

namespace cli {

class Undertaking {
public:
    // Opens the database, and collects parts that workers of earlier commands have left.
    Undertaking(const StudyOptions& options, const sweeps::Study& study, const sweeps::Points& points,
                sweeps::Failures failures);

    sweeps::StudyDatabase& database() { return database_; }
    const std::vector<std::size_t>& wanted() const { return wanted_; }
    std::size_t all() const { return all_; }
    std::size_t kept() const { return kept_; }  // that were there at the beginning
    std::size_t done() const;

    // Prints what there is, and returns the exit code. `own`: the share of the processor time that was the points', 0 to 1;
    // empty: not known.
    int finish(std::optional<double> own, bool was_interrupted);

private:
    void tell(std::optional<double> own, std::size_t there) const;

    const StudyOptions& options_;
    const sweeps::Study& study_;
    const sweeps::Points& points_;
    sweeps::StudyDatabase database_;
    std::vector<std::size_t> wanted_;
    std::size_t all_ = 0, kept_ = 0;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace cli
