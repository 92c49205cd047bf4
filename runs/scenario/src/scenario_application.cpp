// The section `application` of a scenario file.
#include <fstream>
#include <iterator>

#include <trek_kernel/simulated_application.hpp>

#include <scenario/scenario_parts.hpp>
#include <topologies/cost_settings.hpp>

namespace scenario {

using topologies::YamlValue;

void read_application(Scenario& scenario, const YamlValue& value, const FileReader& file) {
    value.only_keys({"tasks", "program", "farm", "task_bytes", "result_bytes", "costs", "input", "bugs", "grain"});
    const auto tasks = value.find("tasks"), program = value.find("program"), farm = value.find("farm");
    if (static_cast<int>(tasks.has_value()) + static_cast<int>(program.has_value()) + static_cast<int>(farm.has_value()) != 1) {
        value.fail(
            "an application is 'tasks: FILE.dat' (the simulated one), 'farm: FILE.farm' (a program of yours) or 'program: "
            "NAME' "
            "(one built with Magicwire); give one of the three");
    }
    if (program) {
        scenario.program = program->text();
        read_program_settings(scenario, value, file);
    } else if (farm) {
        for (const char* key : {"costs", "input"}) {
            if (const auto it = value.find(key))
                it->fail(std::string("'") + key + "' belongs into the specification that 'farm' names; take it out");
        }
        take_program(scenario, farm_programs::read_specification(file("farm", *farm)));
    } else {
        for (const char* key : {"costs", "input"}) {
            if (const auto it = value.find(key)) it->fail("is for a farm program; the simulated application has none");
        }
        scenario.tasks = trek_kernel::TaskTable::read(file("tasks", *tasks));
    }
    if (const auto bugs = value.find("bugs"); bugs && scenario.bugs_file.empty()) scenario.bugs_file = file("bugs", *bugs);
    if (const auto grain = value.find("grain")) set_grain(scenario, grain->text(), grain->where());
    for (const char* key : {"task_bytes", "result_bytes"}) {
        const auto bytes = value.find(key);
        if (!bytes) continue;
        if (!tasks)
            bytes->fail(std::string("'") + key +
                        "' is for the simulated application; a program's messages are as long as it makes them");
        const auto size = static_cast<std::size_t>(bytes->integer(4, topologies::most_message_bytes));
        (std::string(key) == "task_bytes" ? scenario.sizes.task_bytes : scenario.sizes.result_bytes) = size;
    }
}

void set_grain(Scenario& scenario, const std::string& text, const vocabulary::SourcePosition& where) {
    constexpr vocabulary::SimTime most = vocabulary::SimTime::s(1'000'000);
    const vocabulary::SimTime grain = topologies::parse_time(text, where);
    if (grain < vocabulary::SimTime::us(1) || grain > most || grain != vocabulary::SimTime::us(grain.in_us()))
        throw vocabulary::InputError(where,
                                     "a grain is a whole number of microseconds from 1 us to 1000000 s, and this is " + text);
    if (scenario.program.empty() && !scenario.farm_program)
        return scenario.tasks.set_time(trek_kernel::UserProcess::Compute, static_cast<std::uint64_t>(grain.in_us()));
    scenario.program_settings.costs = farm_programs::CostSource::Fixed;
    scenario.program_settings.times =
        farm_programs::TaskTimes::parse("* " + std::to_string(grain.in_us()) + "us", "application.grain");
}

namespace {

std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

ProgramSettings settings_of(const farm_programs::Specification& spec) {
    using farm_programs::CostSource;
    ProgramSettings settings;
    const std::string cost = spec.cost ? spec.cost->text : "estimated";
    settings.costs = cost == "explicit"    ? CostSource::Explicit
                     : cost == "estimated" ? CostSource::Estimated
                                           : CostSource::Fixed;
    if (settings.costs == CostSource::Fixed) settings.times = farm_programs::TaskTimes::parse(content_of(cost), cost);
    if (!spec.input_file.empty()) settings.input = content_of(spec.input_file);
    return settings;
}

}  // namespace

void take_program(Scenario& scenario, farm_programs::Specification spec) {
    const auto note = [&](const std::string& role, const std::string& path) {
        for (const InputFile& other : scenario.inputs) {
            if (other.path == path) return;
        }
        scenario.inputs.push_back({role, path, content_hash(path)});
    };
    note("farm", spec.path);
    for (const farm_programs::Word& source : spec.all_sources()) note("source", source.text);
    if (!spec.input_file.empty()) note("input", spec.input_file);
    scenario.program_settings = settings_of(spec);
    if (scenario.program_settings.costs == farm_programs::CostSource::Fixed) note("task costs", spec.cost->text);
    if (spec.seed) scenario.seed = *spec.seed;
    scenario.farm_program = std::move(spec);
}

}  // namespace scenario
