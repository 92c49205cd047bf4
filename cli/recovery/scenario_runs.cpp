#include "recovery/scenario_runs.hpp"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mpi_runs/event_recorder.hpp>
#include <tmon_replay/delivery_order.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "recovery/fixed_addresses.hpp"
#include "recovery/image_folder.hpp"
#include "recovery/recorded_run.hpp"
#include "recovery/scenario_run.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using vocabulary::InputError;

// A new folder, or one that holds such a record alone.
void make_folder(const std::string& name, bool force) {
    std::error_code error;
    if (fs::exists(name, error)) {
        if (!fs::is_directory(name, error)) throw InputError({name, 0, 0}, "is a file; name a folder with --out");
        const bool is_empty = fs::is_empty(name, error);
        if (!is_empty && !force) throw InputError({name, 0, 0}, "exists already; -f replaces the record that it holds");
        if (!is_empty && !is_recorded_run(name))
            throw InputError({name, 0, 0},
                             "holds something that is no record of a scenario, so it is not replaced; name another folder");
        for (const char* file : {"events.mwr", "plan.json"}) fs::remove(fs::path(name) / file, error);
        ImageFolder(name).clear();
    }
    fs::create_directories(name, error);
    if (error) vocabulary::throw_file_error(name, error.value(), "the folder cannot be made: " + error.message());
}

ordered_json manifest_of(const scenario::Scenario& its, const ScenarioRecordOptions& options) {
    return {{"format", run_record_format},
            {"scenario", fs::absolute(options.scenario).lexically_normal().string()},
            {"set", options.set},
            {"seed", its.seed},
            {"program", its.mpi->program},
            {"program_hash", fmt::format("{:016x}", tmon_replay::hash_of_file(its.mpi->program))},
            {"arguments", its.mpi->arguments},
            {"ranks", its.mpi->places.size()}};
}

}  // namespace

int record_scenario(const ScenarioRecordOptions& options) {
    fix_addresses();  // programs may send addresses, which the repetitions shall have, too
    tmon_recovery::CheckpointPlan plan;
    plan.interval_ns = nanoseconds("--interval", options.interval);
    plan.rule = rule_named(options.checkpoints);
    const scenario::Scenario its = recordable_scenario(options.scenario, options.set, options.seed);
    ScenarioRun recorded(its, options.limit);
    make_folder(options.out, options.force);
    write_plan(options.out, plan);
    mpi_runs::EventRecorder recorder(events_file(options.out), manifest_of(its, options).dump(), its.mpi->places.size());
    const mpi_runs::Result result = recorded.run(recorder);
    const double took = static_cast<double>((result.ended - result.began).in_ps()) * 1e-12;
    recorder.finish(ordered_json{{"end", mpi_runs::end_name(result.end)}, {"status", result.status}, {"took_s", took}}.dump());
    if (options.says)
        std::fprintf(stderr, "magicwire: %zu ranks, %zu messages in %.6f s of modelled time\n", its.mpi->places.size(),
                     recorder.messages(), took);
    return tell_end(result);
}

}  // namespace cli
