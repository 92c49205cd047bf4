// Topologies side by side: a study that runs one farm on several networks, and the table that is read off its database. The
// study keeps the figures of each run, and those of its prediction. Nothing here simulates.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <scenario/settings.hpp>
#include <sweeps/study_database.hpp>

namespace comparison {

struct Network {
    std::string name;         // as it was asked for: "ring:16"
    std::string machine;      // value of the study's axis `machine`: a shape, or a file as seen from the study
    std::uint32_t nodes = 0;  // of the farm; 0: those that the scenario or a setting says
};

struct Wanted {
    std::string name, scenario;               // of the study; path as seen from the study
    std::vector<scenario::Setting> settings;  // of every run
    std::vector<Network> networks;            // each machine once
    std::uint64_t seeds = 1;                  // 1: the scenario's own; else 1 to `seeds`
};

inline constexpr const char* first_line = "# Made by magicwire compare, which replaces it.";

// The study as a file (docs/formats/study_file.md). Networks of different size get an axis farm.nodes, and exclusions for the
// combinations that nobody wants.
std::string study_text(const Wanted& wanted);

// A network in the database. Figures are means over the runs that succeeded.
struct Row {
    Network network;
    std::size_t runs = 0, failed = 0;
    std::string failure;                    // of the first run that failed
    std::map<std::string, double> numbers;  // by measure; what no run has is missing
    std::map<std::string, std::string> texts;
    std::vector<std::string> why;  // a sentence for each figure that lies more than `agreement` beside the prediction

    std::optional<double> number(const std::string& measure) const;
    std::string text(const std::string& measure) const;  // empty: none
    // Steady rate, or that over all its time where there is no steady state.
    std::optional<double> rate() const;
};
inline constexpr double agreement = 0.03;

// In the order of `networks`. A network without a stored run has no figures.
std::vector<Row> rows_of(const sweeps::StoredStudy& stored, const std::vector<Network>& networks);

std::string comparison_text(const std::string& title, const std::vector<Row>& rows);  // at most 128 columns
// magicwire.compare/1. `study`, `database`: names of the files.
std::string comparison_json(const Wanted& wanted, const std::string& study, const std::string& database,
                            const std::vector<Row>& rows);

}  // namespace comparison
