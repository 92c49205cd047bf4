// An MPI program in the section `application` of a scenario file, and its rows of the table of settings.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <lam_mpi/places.hpp>
#include <topologies/machine_checks.hpp>

#include "given.hpp"
#include "scenario_parts.hpp"
#include "setting_rows.hpp"

namespace scenario {
namespace {

using topologies::YamlValue;

constexpr const char* mpi_model = "mpi";
constexpr const char* no_mpi = "the scenario runs no MPI program ('application: {mpi: PROGRAM, np: 4}'); leave the setting out";
constexpr std::int64_t most_ranks = 1024;

MpiSettings& mpi_of(Scenario& scenario, const Given& given) {
    if (!scenario.mpi) given.fail(no_mpi);
    return *scenario.mpi;
}

// [100, fast]; one word of the command line is a list, too.
void put_arguments(Scenario& scenario, const Given& given) {
    MpiSettings& mpi = mpi_of(scenario, given);
    mpi.arguments.clear();
    const YamlValue value = given.value();
    if (value.is_scalar()) return mpi.arguments.push_back(value.text());
    for (const YamlValue& word : value.items()) mpi.arguments.push_back(word.text());
}

bool is_of_mpi(const std::string& name) {
    constexpr const char* own[] = {"application.mpi", "application.np",    "application.args",
                                   "application.map", "application.costs", "application.input"};
    return std::find(std::begin(own), std::end(own), name) != std::end(own);
}

void refuse_others(const Sources& sources) {
    if (const auto value = sources.section("farm"))
        value->fail("'farm' stands beside 'application.mpi', which needs no tree; leave one of the two out");
    for (const SettingRow& row : settings()) {
        const bool of_farm = row.name.starts_with("farm.") || (row.name.starts_with("application.") && !is_of_mpi(row.name));
        if (const auto given = of_farm || row.name == "reconfigure" ? sources.find(row.name) : std::nullopt)
            given->fail(
                of_farm
                    ? fmt::format("'{}' is a setting of a farm, and the scenario runs an MPI program; leave it out", row.name)
                    : "does not go with an MPI program: a packet may be on a way that ends; leave one of the two out");
    }
}

void read_costs(Scenario& scenario, const Sources& sources) {
    using user_programs::CostSource;
    scenario.program_settings.costs = CostSource::Estimated;
    const auto given = sources.find("application.costs");
    if (!given) return;
    if (given->text() != "estimated" && given->text() != "explicit")
        given->fail(fmt::format("the costs of an MPI program are 'estimated' or 'explicit', and not '{}'", given->text()));
    if (given->text() == "explicit") scenario.program_settings.costs = CostSource::Explicit;
}

}  // namespace

bool has_mpi(const Sources& sources) {
    const auto application = sources.section("application");
    return (!application || application->is_map()) && sources.find("application.mpi").has_value();
}

void read_mpi(Scenario& scenario, const Sources& sources, bool of_shape) {
    if (const auto section = sources.section("application")) section->only_keys(keys_of("application"));
    refuse_others(sources);
    if (of_shape && scenario.machine.nodes.size() <= topologies::most_large_nodes) {
        for (topologies::NodeDescription& node : scenario.machine.nodes) node.ram_bytes = topologies::mpi_ram_bytes;
    }
    MpiSettings& mpi = scenario.mpi.emplace();
    const Given program = sources.at("application.mpi");
    mpi.program = program.file(scenario, "program");
    sources.at("application.np");  // says that it is missing
    read_costs(scenario, sources);
    if (const auto input = sources.find("application.input"))
        scenario.program_settings.input = content_of(input->file(scenario, "input"));
    for (const char* name : {"application.np", "application.args", "application.map"}) {
        if (const auto given = sources.find(name)) find_setting(name)->put(scenario, *given);
    }
}

void finish_mpi(Scenario& scenario) {
    MpiSettings& mpi = *scenario.mpi;
    mpi.places = lam_mpi::places_of(mpi.ranks, scenario.machine.nodes.size(), mpi.map);
    const auto last = std::max_element(mpi.places.begin(), mpi.places.end());
    scenario.farm = {.nodes = last->value() + 1U, .tree = farm_spec::TreeKind::Chain, .tasks = mpi.ranks, .model = mpi_model};
}

std::vector<SettingRow> mpi_rows() {
    const std::string made = "the ranks were loaded with it";
    const auto row = [&](const char* name, Range range, const char* otherwise, const char* unit, const char* meaning,
                         void (*put)(Scenario&, const Given&)) {
        return SettingRow{name, "", std::move(range), otherwise, unit, made, meaning, put};
    };
    return {
        row("application.mpi", Form{"a program that mpicc has built"}, "", "",
            "instead of a farm: an MPI program (docs/guide/mpi.md)", nullptr),
        row("application.np", WholeNumber{1, most_ranks}, "", "ranks", "ranks of the MPI program",
            [](Scenario& s, const Given& given) { mpi_of(s, given).ranks = static_cast<std::uint32_t>(given.whole()); }),
        row("application.args", Form{"a list of words"}, "", "", "arguments of the MPI program", put_arguments),
        row("application.map", OneOf{{"node", "slot"}}, "node", "",
            "node: one rank a node in turn; slot: neighbours in number share a node",
            [](Scenario& s, const Given& given) {
                given.word();
                mpi_of(s, given).map = given.text();
            }),
    };
}

}  // namespace scenario
