#include "frame/run_options.hpp"

#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"

namespace cli {

std::vector<scenario::Setting> settings_of(const std::vector<std::string>& set) {
    std::vector<scenario::Setting> settings;
    for (const std::string& text : set) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            throw vocabulary::InputError({"--set " + text, 0, 0},
                                         "expected NAME=VALUE, for example --set kernel.rendezvous=30");
        settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return settings;
}

outcome::Totals totals_of(const std::string& word) {
    if (word == "all") return outcome::Totals::All;
    if (word == "top") return outcome::Totals::Top;
    return word == "none" ? outcome::Totals::None : outcome::Totals::Automatic;
}

std::vector<std::string> without_place(const std::vector<std::string>& arguments) {
    constexpr std::string_view places[] = {"--out",   "--oracle",      "--vcd",     "--watch",  "--build",
                                           "--files", "--report-page", "--fork-at", "--what-if"};
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view word = arguments[i];
        const std::string_view name = word.substr(0, word.find('='));
        if (std::find(std::begin(places), std::end(places), name) != std::end(places)) {
            i += name == word ? 1 : 0;
        } else if (word != "-f" && word != "--force" && word != "--without-truth") {
            kept.emplace_back(word);
        }
    }
    return kept;
}

tmon_detrek::DetrekResult analysed(const scenario::Scenario& scenario, const session::Observed& observed) {
    return observed.trace && !observed.streamed && !scenario.mpi
               ? tmon_detrek::report_detrek(*observed.trace, scenario.farm, {})
               : tmon_detrek::DetrekResult();
}

int exit_code_of(const mpi_runs::Result& mpi) {
    switch (mpi.end) {
        case mpi_runs::End::Standstill:
            return mpi.status != 0 ? mpi.status & 0xff : exit_code::found;
        case mpi_runs::End::Limit:
            return exit_code::budget;
        case mpi_runs::End::Stopped:
            return exit_code::interrupted;
        case mpi_runs::End::NeverBegan:
            return exit_code::unknown;
        default:
            return mpi.status & 0xff;
    }
}

int exit_code_of(const oracle::SessionResult& result, const tmon_detrek::DetrekResult& analysis) {
    if (result.simulated.mpi) return exit_code_of(result.simulated.mpi->result);
    const session::Observed& observed = result.observed;
    if (result.simulated.program.found()) return exit_code::found;
    if (observed.trace && !analysis.json.empty()) return analysis.exit_code;
    return observed.end == tmon_streams::SessionEnd::ProgramEnded ? exit_code::nothing_found : exit_code::unknown;
}

}  // namespace cli
