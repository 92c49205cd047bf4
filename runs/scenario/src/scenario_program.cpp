// The keys that a scenario has for a farm program beside its name.
#include <fstream>
#include <iterator>

#include <scenario/scenario_parts.hpp>

namespace scenario {
namespace {

std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

void read_program_settings(Scenario& scenario, const topologies::YamlValue& value, const FileReader& file) {
    using farm_programs::CostSource;
    ProgramSettings& settings = scenario.program_settings;
    if (const auto costs = value.find("costs")) {
        const std::string word = costs->text();
        settings.costs = word == "explicit"    ? CostSource::Explicit
                         : word == "estimated" ? CostSource::Estimated
                                               : CostSource::Fixed;
        if (settings.costs == CostSource::Fixed)
            settings.times = farm_programs::TaskTimes::parse(content_of(file("costs", *costs)), word);
    }
    if (const auto input = value.find("input")) settings.input = content_of(file("input", *input));
}

}  // namespace scenario
