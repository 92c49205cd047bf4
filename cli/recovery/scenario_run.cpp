#include "recovery/scenario_run.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_replay/delivery_order.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "frame/run_options.hpp"

namespace cli {

using nlohmann::ordered_json;
using vocabulary::InputError;

ScenarioRun::ScenarioRun(const scenario::Scenario& its, const std::string& limit)
    : plan_{.machine = its.machine,
            .costs = its.costs,
            .program = its.mpi->program,
            .arguments = its.mpi->arguments,
            .places = its.mpi->places,
            .print = [](const std::string& text) {
                std::fwrite(text.data(), 1, text.size(), stdout);
                std::fflush(stdout);
            }} {
    plan_.seed = its.seed;
    plan_.limit = its.limit;
    if (!limit.empty())
        plan_.limit =
            vocabulary::SimTime::us(static_cast<std::int64_t>(std::min(positive_number("--limit", limit), 1e6) * 1e6));
    if (!its.files.empty()) plan_.files = &store_.emplace(its.files);
    plan_.print_error = [](const std::string& text) {
        std::fflush(stdout);
        std::fwrite(text.data(), 1, text.size(), stderr);
    };
    plan_.tell = [](const user_programs::Diagnosis& diagnosis) {
        std::fflush(stdout);
        std::fprintf(stderr, "magicwire: %s\n", user_programs::text_of(diagnosis).c_str());
    };
    plan_.goes_on = [this] { return interrupted == 0 && !stopped_; };
    // Under the same name in each run, wherever it is begun.
    plan_.program = std::filesystem::absolute(plan_.program).lexically_normal().string();
}

mpi_runs::Result ScenarioRun::run(mpi_runs::EventWatch& watch) {
    plan_.events = &watch;
    stop_at_interrupt();
    return mpi_runs::run(plan_);
}

void ScenarioRun::keep_silent() {
    plan_.print = plan_.print_error = [](const std::string&) {};
    plan_.tell = {};
}

bool ScenarioRun::shares_nodes() const {
    const std::set<vocabulary::NodeId> nodes(plan_.places.begin(), plan_.places.end());
    return nodes.size() < plan_.places.size();
}

scenario::Scenario recordable_scenario(const std::string& path, const std::vector<std::string>& set, const std::string& seed) {
    std::optional<std::uint64_t> number;
    if (!seed.empty()) number = whole_number("--seed", seed);
    scenario::Scenario its = scenario::read_scenario(path, as_usage([&] { return settings_of(set); }), number);
    if (!its.mpi)
        throw InputError({path, 0, 0},
                         "its application is no MPI program; only these can be recorded: application: {mpi: ./prog, np: 4}");
    if (its.monitor)
        throw InputError({path, 0, 0}, "it has a monitor, which a recorded run cannot have; take the entry monitor out");
    if (its.faults || !its.reconfigurations.empty())
        throw InputError({path, 0, 0}, "it has faults or reconfigurations, which a recorded run cannot have; take them out");
    return its;
}

scenario::Scenario scenario_of_record(const RecordedRun& run, const std::string& folder, const std::vector<std::string>& set,
                                      const std::string& seed) {
    const std::string file = events_file(folder);
    const ordered_json json = ordered_json::parse(run.record().manifest, nullptr, false);
    try {
        if (json.at("format") != run_record_format)
            throw InputError({file, 0, 0}, "its manifest is of another format; record the run anew");
        std::vector<std::string> all = json.at("set").get<std::vector<std::string>>();
        all.insert(all.end(), set.begin(), set.end());
        scenario::Scenario its = recordable_scenario(
            json.at("scenario"), all, seed.empty() ? std::to_string(json.at("seed").get<std::uint64_t>()) : seed);
        const std::string hash = fmt::format("{:016x}", tmon_replay::hash_of_file(its.mpi->program));
        if (json.at("program_hash") != hash)
            throw InputError({file, 0, 0}, fmt::format("it was recorded of another build of {}: its hash was {}, and now is {}",
                                                       its.mpi->program, json.at("program_hash").get<std::string>(), hash));
        if (json.at("arguments") != its.mpi->arguments || json.at("ranks") != its.mpi->places.size())
            throw InputError(
                {file, 0, 0},
                "the scenario has other arguments or another number of ranks now; only the same run can be repeated");
        return its;
    } catch (const nlohmann::json::exception&) {
        throw InputError({file, 0, 0}, "its manifest lacks entries; record the run anew");
    }
}

int tell_end(const mpi_runs::Result& result) {
    const int code = exit_code_of(result);
    if (result.end == mpi_runs::End::Standstill)
        tell_error(exit_code::found, mpi_runs::standstill_text(result));
    else if (result.end == mpi_runs::End::Limit)
        tell_error(code, "the run is not over at the limit of modelled time; raise --limit");
    else if (result.end == mpi_runs::End::Stopped)
        tell_error(code, "interrupted");
    return code;
}

}  // namespace cli
