#include "mpi_report.hpp"

#include <iterator>

#include <fmt/format.h>

#include <mpi_runs/mpi_end.hpp>
#include <user_programs/diagnosis.hpp>

namespace outcome {
namespace {

// Lines after the first stand below it.
std::string indented(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '\n' ? std::string("\n               ") : std::string(1, c);
    return result;
}

}  // namespace

std::string mpi_text(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    const session::MpiOutcome& mpi = *result.simulated.mpi;
    std::string text =
        fmt::format("  ranks        {} of {} have ended\n", result.simulated.counts.results, scenario.mpi->ranks);
    const auto out = std::back_inserter(text);
    if (const std::string how = mpi_runs::end_text(mpi.result); !how.empty())
        fmt::format_to(out, "  how          {}\n", indented(how));
    for (const user_programs::Diagnosis& diagnosis : mpi.diagnoses.all())
        fmt::format_to(out, "  program      {}\n", user_programs::text_of(diagnosis));
    return text;
}

nlohmann::ordered_json mpi_json(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    const session::MpiOutcome& mpi = *result.simulated.mpi;
    nlohmann::ordered_json json = {{"np", scenario.mpi->ranks}, {"map", scenario.mpi->map}};
    json.update(mpi_runs::end_json(mpi.result));
    for (std::size_t rank = 0; rank < json["ranks"].size(); ++rank)
        json["ranks"][rank]["node"] = scenario.mpi->places[rank].value();
    json["diagnoses"] = nlohmann::ordered_json::array();
    for (const user_programs::Diagnosis& diagnosis : mpi.diagnoses.all())
        json["diagnoses"].push_back({{"problem", user_programs::problem_name(diagnosis.problem)},
                                     {"node", diagnosis.node.value()},
                                     {"where", diagnosis.where},
                                     {"text", user_programs::text_of(diagnosis)}});
    return json;
}

}  // namespace outcome
