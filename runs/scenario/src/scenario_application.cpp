// The section `application` of a scenario file, and its rows of the table of settings.
#include <utility>

#include <t800_assembly/assembler.hpp>
#include <t800_assembly/disassembler.hpp>
#include <t800_core/registers.hpp>
#include <text/output_file.hpp>
#include <topologies/cost_settings.hpp>
#include <trek_kernel/simulated_application.hpp>

#include "given.hpp"
#include "scenario_parts.hpp"
#include "setting_rows.hpp"

namespace scenario {

namespace {

using user_programs::CostSource;
using vocabulary::SimTime;

constexpr SimTime least_grain = SimTime::us(1), most_grain = SimTime::s(1'000'000);

CostSource cost_source(const std::string& word) {
    return word == "explicit" ? CostSource::Explicit : word == "estimated" ? CostSource::Estimated : CostSource::Fixed;
}

// A program built with Magicwire.
void read_program(Scenario& scenario, const Given& program, const Sources& sources) {
    scenario.program = program.text();
    ProgramSettings& settings = scenario.program_settings;
    if (const auto costs = sources.find("application.costs")) {
        settings.costs = cost_source(costs->text());
        if (settings.costs == CostSource::Fixed)
            settings.times = user_programs::TaskTimes::parse(content_of(costs->file(scenario, "costs")), costs->text());
    }
    if (const auto input = sources.find("application.input")) settings.input = content_of(input->file(scenario, "input"));
}

// A source in T800 assembly, or an image that `magicwire asm` has made.
farm_programs::MachineCode machine_code(Scenario& scenario, const std::string& file) {
    const std::string content = content_of(file);
    farm_programs::MachineCode code{.file = file, .origin = t800_core::reserved::mem_start, .code = {}};
    if (file.ends_with(".s")) {
        const auto read = [&scenario](const std::string& path) {
            scenario.inputs.push_back({"compute", path, content_hash(path)});
            return text::read_text_file(path, "an assembler source");
        };
        const t800_assembly::Program program = t800_assembly::assemble(content, file, read);
        code.origin = program.origin;
        code.code = program.code;
    } else {
        const std::vector<std::uint8_t> image(content.begin(), content.end());
        try {
            const t800_assembly::ImagePart part = t800_assembly::disassemble_image(image).back();
            if (part.name == "data") throw vocabulary::RequestError("bytes follow the code that its first byte counts");
            code.origin = part.address;
            for (const t800_assembly::DecodedLine& line : part.lines)
                code.code.insert(code.code.end(), line.bytes.begin(), line.bytes.end());
        } catch (const vocabulary::RequestError& error) {
            throw vocabulary::InputError(
                {file, 0, 0}, std::string(error.what()) + "; give a source NAME.s, or an image that 'magicwire asm' has made");
        }
    }
    if (code.code.empty()) throw vocabulary::InputError({file, 0, 0}, "there is no code in it");
    return code;
}

void take_compute(Scenario& scenario, const Given& given) {
    if (scenario.program.empty() && !scenario.farm_program)
        given.fail(
            "T800 code computes for a farm program, and this application is simulated; give 'farm' or 'program' with it");
    scenario.compute = machine_code(scenario, given.file(scenario, "compute"));
}

}  // namespace

void read_application(Scenario& scenario, const Sources& sources) {
    const auto section = sources.section("application");
    if (section) section->only_keys(keys_of("application"));
    const auto tasks = sources.find("application.tasks"), program = sources.find("application.program"),
               farm = sources.find("application.farm");
    const bool taken = scenario.farm_program.has_value();  // the scenario is a specification
    if (const auto mpi = sources.find("application.mpi"))
        mpi->fail("an MPI program comes instead of a farm, and does not go with phases or a .farm file; leave it out");
    const int applications = tasks.has_value() + program.has_value() + farm.has_value() + taken;
    if (applications == 0 && !section) sources.at("application.tasks");  // says that the section is missing
    if (applications != 1) {
        throw vocabulary::InputError(
            section ? section->where() : vocabulary::SourcePosition{scenario.path, 0, 0},
            "an application is 'tasks: FILE.dat' (the simulated one), 'farm: FILE.farm' (a program of yours) or 'program: "
            "NAME' (one built with Magicwire); give one of the three");
    }
    for (const char* key : {"costs", "input"}) {
        const auto given = program ? std::nullopt : sources.find(std::string("application.") + key);
        const std::string name = std::string("'") + key + "'";
        if (given && tasks) given->fail(name + " is only for a farm program, not for the simulated application; leave it out");
        if (given) given->fail(name + " belongs in the specification that 'farm' names; move it there");
    }
    if (program) read_program(scenario, *program, sources);
    if (farm) take_program(scenario, farm_programs::read_specification(farm->file(scenario, "farm")));
    if (tasks) scenario.tasks = trek_kernel::TaskTable::read(tasks->file(scenario, "tasks"));
    if (const auto compute = sources.find("application.compute")) take_compute(scenario, *compute);
    if (const auto bugs = sources.find("application.bugs"); bugs && scenario.bugs_file.empty())
        scenario.bugs_file = bugs->file(scenario, "bugs");
    sources.put_section(scenario, "application");
}

namespace {

// The modelled time of each task's computation, whatever the task description or the program says.
void put_grain(Scenario& scenario, const Given& given) {
    if (scenario.compute) given.fail("T800 code takes the cycles of its instructions; leave 'grain' or 'compute' out");
    const SimTime grain = given.time();
    if (grain < least_grain || grain > most_grain || grain != SimTime::us(grain.in_us()))
        given.fail("a grain is a whole number of microseconds from 1 us to 1000000 s, not " + given.text());
    if (scenario.program.empty() && !scenario.farm_program)
        return scenario.tasks.set_time(trek_kernel::UserProcess::Compute, static_cast<std::uint64_t>(grain.in_us()));
    scenario.program_settings.costs = CostSource::Fixed;
    scenario.program_settings.times =
        user_programs::TaskTimes::parse("* " + std::to_string(grain.in_us()) + "us", "application.grain");
}

void put_size(Scenario& scenario, const Given& given, const char* key, std::size_t trek_kernel::SimulatedSizes::*size) {
    if (!scenario.program.empty() || scenario.farm_program)
        given.fail(std::string("'") + key +
                   "' is for the simulated application; a program's messages are as long as it makes them");
    scenario.sizes.*size = static_cast<std::size_t>(given.whole());
}

ProgramSettings settings_of(const farm_programs::Specification& spec) {
    ProgramSettings settings;
    const std::string cost = spec.cost ? spec.cost->text : "estimated";
    settings.costs = cost_source(cost);
    if (settings.costs == CostSource::Fixed) settings.times = user_programs::TaskTimes::parse(content_of(cost), cost);
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
    if (scenario.program_settings.costs == user_programs::CostSource::Fixed) note("task costs", spec.cost->text);
    if (spec.seed) scenario.seed = *spec.seed;
    scenario.farm_program = std::move(spec);
}

std::vector<SettingRow> application_rows() {
    const std::string made = "the programs were made with it before they were loaded";
    const auto row = [&](const char* name, Range range, const char* otherwise, const char* unit, const char* meaning,
                         void (*put)(Scenario&, const Given&)) {
        return SettingRow{name, "", std::move(range), otherwise, unit, made, meaning, put};
    };
    const WholeNumber bytes{4, topologies::most_message_bytes};
    SettingRow bugs = row("application.bugs", Form{"a bug list"}, "", "",
                          "bugs in the functions of the application (docs/formats/bug_list.md)", nullptr);
    bugs.other_name = "bugs";
    bugs.why_fixed = "bugs are planted in the programs before they are loaded";
    SettingRow bug = row("application.bug", Form{"an entry of a bug list, as kind: slow, task: 3, process: compute, factor: 9"},
                         "", "", "one more bug, or a list of them", put_bug);
    bug.other_name = "bug";
    bug.why_fixed = bugs.why_fixed;
    return {
        row("application.tasks", Form{"a task description"}, "", "", "the simulated application, with these tasks", nullptr),
        row("application.program", Form{"a name"}, "", "",
            "instead of tasks: a farm program built with Magicwire (docs/formats/farm_program.md)", nullptr),
        row("application.farm", Form{"a .farm file"}, "", "",
            "instead of tasks: a farm program of yours; it may bring machine and farm (docs/formats/farm_file.md)", nullptr),
        row("application.task_bytes", bytes, "64", "bytes", "data of a task, in the simulated application",
            [](Scenario& s, const Given& given) {
                put_size(s, given, "task_bytes", &trek_kernel::SimulatedSizes::task_bytes);
            }),
        row("application.result_bytes", bytes, "64", "bytes", "data of a result, in the simulated application",
            [](Scenario& s, const Given& given) {
                put_size(s, given, "result_bytes", &trek_kernel::SimulatedSizes::result_bytes);
            }),
        row("application.costs", Form{"explicit, estimated, or a file of times"}, "explicit", "",
            "costs of a program built with Magicwire (docs/model/program_costs.md)", nullptr),
        row("application.compute", Form{"a source NAME.s, or an image of 'magicwire asm'"}, "", "",
            "T800 code that workers run instead of the program's compute_fn (docs/formats/farm_program.md)", nullptr),
        row("application.input", Form{"a file"}, "", "", "input of a program built with Magicwire", nullptr),
        bugs,
        bug,
        row("application.grain", TimeSpan{least_grain, most_grain, "whole microseconds"}, "", "",
            "computation time of each task, instead of the time in the task description or the program", put_grain),
    };
}

}  // namespace scenario
