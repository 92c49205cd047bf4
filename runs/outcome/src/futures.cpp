#include <outcome/futures.hpp>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mpi_runs/mpi_end.hpp>
#include <text/time_text.hpp>

namespace outcome {
namespace {

using Json = nlohmann::ordered_json;
using vocabulary::SimTime;

constexpr std::size_t most_rows = 3;  // of the list of faults, for a look side by side

const char* farm_word(const oracle::SessionResult& result) {
    if (result.simulated.farm.finished) return "finished";
    switch (result.observed.end) {
        case tmon_streams::SessionEnd::StoodStill:
            return "stood still";
        case tmon_streams::SessionEnd::NeverBegan:
            return "never began";
        case tmon_streams::SessionEnd::Cut:
            return "cut";
        default:
            return "unfinished";
    }
}

Json records_json(const oracle::SessionResult& result) {
    std::uint64_t made = 0, received = 0;
    for (const session::NodeLine& node : result.simulated.nodes) made += node.recorded;
    for (const tmon_streams::NodeStatistics& line : result.observed.statistics) received += line.events;
    return {{"made", made}, {"received", received}, {"lost", made - std::min(made, received)}};
}

Json verdict_json(const tmon_detrek::DetrekResult& analysis) {
    const Json whole = Json::parse(analysis.json);
    Json faults = Json::array();
    const Json& rows = whole.at("failures");
    for (std::size_t i = 0; i < std::min(most_rows, rows.size()); ++i) faults.push_back(rows[i]);
    return {{"kind", whole.at("verdict").at("kind")},
            {"sentence", whole.at("verdict").at("sentence")},
            {"fault_rows", rows.size()},
            {"first_faults", std::move(faults)}};
}

// An MPI program has no fault list; its end takes the place of a verdict.
Json end_of_program_json(const mpi_runs::Result& result) {
    const std::string how = mpi_runs::end_text(result);
    return {{"kind", mpi_runs::end_name(result.end)},
            {"sentence", how.empty() ? fmt::format("All {} ranks ended with exit code 0.", result.ranks.size()) : how},
            {"fault_rows", 0},
            {"first_faults", Json::array()}};
}

std::string line_of(const Branch& branch) {
    if (branch.figures.empty()) return fmt::format("{:<10} failed: {}\n", branch.name, branch.failure);
    const Json json = Json::parse(branch.figures);
    const Json& records = json.at("records");
    const bool watched = !records.is_null();
    return fmt::format("{:<10} {:>13} {:>12} {:>11} {:>9} {:>8}  {}  {}\n", branch.name,
                       text::time_text(SimTime::ps(json.at("modelled_ps"))), json.at("farm").get<std::string>(),
                       fmt::format("{}/{}", json.at("results").get<std::uint64_t>(), json.at("tasks").get<std::uint64_t>()),
                       watched ? std::to_string(records.at("received").get<std::uint64_t>()) : "-",
                       watched ? std::to_string(records.at("lost").get<std::uint64_t>()) : "-",
                       json.at("run_hash").get<std::string>(),
                       json.at("verdict").is_null() ? "not watched" : json.at("verdict").at("kind").get<std::string>());
}

std::string row_text(const Json& row) {
    return fmt::format("task {} {} n{} {}", row.at("task").get<std::uint32_t>(), row.at("subtask").get<std::string>(),
                       row.at("node").get<std::uint32_t>(), row.at("process").get<std::string>());
}

std::string details_of(const Branch& branch) {
    std::string text = fmt::format("{}: {}\n", branch.name, branch.changes.empty() ? "nothing changed" : branch.changes);
    if (branch.figures.empty()) return text;
    const Json json = Json::parse(branch.figures);
    if (json.at("verdict").is_null()) return text;
    const Json& verdict = json.at("verdict");
    text += "  " + verdict.at("sentence").get<std::string>() + "\n";
    const Json& rows = verdict.at("first_faults");
    if (rows.empty()) return text;
    std::string list;
    for (const Json& row : rows) list += (list.empty() ? "" : "; ") + row_text(row);
    const std::size_t more = verdict.at("fault_rows").get<std::size_t>() - rows.size();
    return text + "  " + list + (more > 0 ? fmt::format("; and {} more", more) : "") + "\n";
}

}  // namespace

std::string branch_figures(const scenario::Scenario& scenario, const oracle::SessionResult& result,
                           const tmon_detrek::DetrekResult& analysis) {
    Json json = {{"modelled_ps", result.observed.modelled.in_ps()},
                 {"farm", farm_word(result)},
                 {"finished", result.simulated.farm.finished},
                 {"results", result.simulated.counts.results},
                 {"tasks", scenario.farm.tasks},
                 {"records", nullptr},
                 {"run_hash", result.truth.run_hash()},
                 {"verdict", nullptr}};
    if (result.observed.trace) json["records"] = records_json(result);
    if (scenario.mpi) {
        json["farm"] = mpi_runs::end_name(result.simulated.mpi->result.end);
        json["verdict"] = end_of_program_json(result.simulated.mpi->result);
    } else if (result.observed.trace) {
        json["verdict"] = verdict_json(analysis);
    }
    return json.dump();
}

std::string futures_text(SimTime from, std::span<const Branch> branches) {
    std::string text = fmt::format("From {} on\n{:<10} {:>13} {:>12} {:>11} {:>9} {:>8}  {:<16}  {}\n", text::time_text(from),
                                   "BRANCH", "ENDED AFTER", "FARM", "TASKS", "RECORDS", "LOST", "RUN HASH", "VERDICT");
    for (const Branch& branch : branches) text += line_of(branch);
    text += "\n";
    for (const Branch& branch : branches) text += details_of(branch);
    return text;
}

std::string futures_json(SimTime from, std::span<const Branch> branches) {
    Json json = {{"schema", "magicwire.futures/1"}, {"from_ps", from.in_ps()}, {"branches", Json::array()}};
    for (const Branch& branch : branches) {
        Json one = {{"name", branch.name}, {"changes", branch.changes}};
        if (branch.figures.empty()) {
            one["failed"] = branch.failure;
        } else {
            one.update(Json::parse(branch.figures));
        }
        json["branches"].push_back(std::move(one));
    }
    return json.dump(2);
}

}  // namespace outcome
