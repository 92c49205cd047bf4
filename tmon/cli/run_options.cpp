#include "run_options.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <vocabulary/source_position.hpp>

#include "command.hpp"

namespace tmon_cli {

std::string quoted(const std::string& word) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view("@%+=:,./_-").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::vector<tmon_session::Setting> settings_of(const std::vector<std::string>& set) {
    std::vector<tmon_session::Setting> settings;
    for (const std::string& text : set) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            throw vocabulary::InputError({"--set " + text, 0, 0},
                                         "expected NAME=VALUE, for example --set kernel.rendezvous=30");
        settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return settings;
}

tmon_session::Totals totals_of(const std::string& word) {
    if (word == "all") return tmon_session::Totals::All;
    if (word == "top") return tmon_session::Totals::Top;
    return word == "none" ? tmon_session::Totals::None : tmon_session::Totals::Automatic;
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
        } else if (word != "-f" && word != "--force") {
            kept.emplace_back(word);
        }
    }
    return kept;
}

tmon::DetrekResult analysed(const tmon_session::Scenario& scenario, const tmon_session::SessionResult& result) {
    return result.trace && !result.streamed ? tmon::report_detrek(*result.trace, tmon_session::farm_spec(scenario.farm), {})
                                            : tmon::DetrekResult();
}

int exit_code_of(const tmon_session::SessionResult& result, const tmon::DetrekResult& analysis) {
    if (result.program.found()) return exit_code::found;
    if (result.trace && !result.streamed) return analysis.exit_code;
    return result.end == tmon::SessionEnd::ProgramEnded ? exit_code::nothing_found : exit_code::unknown;
}

}  // namespace tmon_cli
