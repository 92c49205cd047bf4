#include "recovery/scenario_runs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <host_files/host_files.hpp>
#include <mpi_runs/event_gate.hpp>
#include <mpi_runs/event_recorder.hpp>
#include <mpi_runs/mpi_run.hpp>
#include <scenario/scenario.hpp>
#include <tmon_replay/delivery_order.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "frame/run_options.hpp"
#include "recovery/breakpoint_words.hpp"
#include "recovery/line_of_run.hpp"
#include "recovery/recorded_run.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using vocabulary::InputError;

constexpr const char* record_format = "magicwire-run-record 1";

// A run of the scenario's MPI program as mpirun makes it. Monitors and faults are not part of it.
class ScenarioRun {
public:
    ScenarioRun(const scenario::Scenario& its, const std::string& limit)
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
        plan_.goes_on = [] { return interrupted == 0; };
    }
    mpi_runs::Result run(mpi_runs::EventWatch& watch) {
        plan_.events = &watch;
        stop_at_interrupt();
        return mpi_runs::run(plan_);
    }
    // The lines of the ranks go to standard error.
    void keep_standard_output() { plan_.print = plan_.print_error; }

private:
    std::optional<host_files::HostFiles> store_{};
    mpi_runs::Plan plan_;
};

scenario::Scenario scenario_of(const std::string& path, const std::vector<std::string>& set, const std::string& seed) {
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
    }
    fs::create_directories(name, error);
    if (error) vocabulary::throw_file_error(name, error.value(), "the folder cannot be made: " + error.message());
}

ordered_json manifest_of(const scenario::Scenario& its, const ScenarioRecordOptions& options) {
    return {{"format", record_format},
            {"scenario", fs::absolute(options.scenario).lexically_normal().string()},
            {"set", options.set},
            {"seed", its.seed},
            {"program", its.mpi->program},
            {"program_hash", fmt::format("{:016x}", tmon_replay::hash_of_file(its.mpi->program))},
            {"arguments", its.mpi->arguments},
            {"ranks", its.mpi->places.size()}};
}

int end_of(const mpi_runs::Result& result) {
    const int code = exit_code_of(result);
    if (result.end == mpi_runs::End::Standstill)
        tell_error(exit_code::found, mpi_runs::standstill_text(result));
    else if (result.end == mpi_runs::End::Limit)
        tell_error(code, "the run is not over at the limit of modelled time; raise --limit");
    else if (result.end == mpi_runs::End::Stopped)
        tell_error(code, "interrupted");
    return code;
}

}  // namespace

int record_scenario(const ScenarioRecordOptions& options) {
    tmon_recovery::CheckpointPlan plan;
    plan.interval_ns = nanoseconds("--interval", options.interval);
    plan.rule = rule_named(options.checkpoints);
    const scenario::Scenario its = scenario_of(options.scenario, options.set, options.seed);
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
    return end_of(result);
}

namespace {

scenario::Scenario scenario_of_record(const RecordedRun& run, const ScenarioReplayOptions& options) {
    const std::string file = events_file(options.folder);
    const ordered_json json = ordered_json::parse(run.record().manifest, nullptr, false);
    try {
        if (json.at("format") != record_format)
            throw InputError({file, 0, 0}, "its manifest is of another format; record the run anew");
        std::vector<std::string> set = json.at("set").get<std::vector<std::string>>();
        set.insert(set.end(), options.set.begin(), options.set.end());
        const std::string seed = options.seed.empty() ? std::to_string(json.at("seed").get<std::uint64_t>()) : options.seed;
        scenario::Scenario its = scenario_of(json.at("scenario"), set, seed);
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

struct Repeated {
    const FoundLine& line;
    const mpi_runs::EventGate& gate;
    const mpi_runs::Result& result;
    std::int64_t took_us = 0;
};

std::string text_of(const RecordedRun& run, const Repeated& its) {
    std::string text = "PROCESS  EVENT     LINE                     EVENTS AND CONTENTS\n";
    for (std::size_t rank = 0; rank < its.line.set.size(); ++rank) {
        const auto stop = its.gate.stop(rank);
        const bool same = stop.reached && stop.hash == its.gate.recorded_hash(rank);
        text += fmt::format("{:<8} {:<9} {:<24} {:016x} {}\n", fmt::format("P{}", rank), stop.event,
                            run.line_of(static_cast<tmon_recovery::ProcessNo>(rank), stop.event), stop.hash,
                            same ? "as recorded" : "not at its breakpoint");
    }
    return text + fmt::format(
                      "\nreplayed from the begin of the run in {} of modelled time\n"
                      "from checkpoints: distance {}, predicted {}, bound {}\n",
                      seconds_text(its.took_us * 1000), seconds_text(its.line.distance_ns),
                      seconds_text(its.line.replay.takes_ns), seconds_text(its.line.bound_ns));
}

std::string json_of(const Repeated& its) {
    ordered_json json{{"schema", "magicwire.replay/1"},
                      {"begins_at", "start"},
                      {"took_ns", its.took_us * 1000},
                      {"distance_ns", its.line.distance_ns},
                      {"predicted_ns", its.line.replay.takes_ns},
                      {"bound_ns", its.line.bound_ns},
                      {"divergence", nullptr},
                      {"processes", ordered_json::array()}};
    if (its.gate.divergence()) json["divergence"] = *its.gate.divergence();
    for (std::size_t rank = 0; rank < its.line.set.size(); ++rank) {
        const auto stop = its.gate.stop(rank);
        json["processes"].push_back({{"event", stop.event},
                                     {"breakpoint", its.line.set[rank]},
                                     {"reached", stop.reached},
                                     {"hash", fmt::format("{:016x}", stop.hash)},
                                     {"recorded_hash", fmt::format("{:016x}", its.gate.recorded_hash(rank))},
                                     {"took_ns", static_cast<std::int64_t>(stop.took_us) * 1000}});
    }
    return json.dump(2);
}

// Each rank is at its breakpoint, by the recorded events and contents.
bool holds(const Repeated& its) {
    for (std::size_t rank = 0; rank < its.line.set.size(); ++rank)
        if (!its.gate.stop(rank).reached || its.gate.stop(rank).hash != its.gate.recorded_hash(rank)) return false;
    return !its.gate.divergence();
}

}  // namespace

int replay_scenario(const ScenarioReplayOptions& options) try {
    const RecordedRun run(options.folder);
    const tmon_recovery::Intervals intervals = run.intervals();
    const FoundLine line =
        line_of_run(run, intervals, logging_choice("mrt", "printed"), breakpoint_set(run, options.at, options.causal));
    const scenario::Scenario its = scenario_of_record(run, options);
    mpi_runs::EventGate gate(run.graph(), run.record(), line.set);
    ScenarioRun again(its, options.limit);
    if (options.json) again.keep_standard_output();
    const mpi_runs::Result result = again.run(gate);
    Repeated repeated{line, gate, result};
    for (std::size_t rank = 0; rank < line.set.size(); ++rank)
        repeated.took_us = std::max(repeated.took_us, static_cast<std::int64_t>(gate.stop(rank).took_us));
    std::fflush(stdout);
    if (options.json)
        put(json_of(repeated));
    else
        std::fputs(text_of(run, repeated).c_str(), stdout);
    if (gate.divergence()) {
        tell_error(exit_code::self_check, *gate.divergence());
        return exit_code::self_check;
    }
    if (holds(repeated)) return run.exit_code();
    if (interrupted != 0) return exit_code::interrupted;
    tell_error(exit_code::self_check, "not all processes came to their breakpoints; the table says which");
    return exit_code::self_check;
} catch (const BehindCut& error) {
    tell_error(exit_code::unknown, error.what());
    return exit_code::unknown;
}

}  // namespace cli
