// record and replay: programs under a real MPI.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <installed_files/installed_files.hpp>
#include <real_mpi/launch.hpp>
#include <real_mpi/rank_files.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "programs/real_runs.hpp"
#ifdef MAGICWIRE_SIMULATION
#include "recovery/record_again.hpp"
#endif
#include "recovery/recorded_run.hpp"
#include "recovery/scenario_runs.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using vocabulary::InputError;

struct RecordOptions {
    std::string from, out, mpi, limit;
    bool force = false, says = false, other_build = false;
};

bool is_real(const Invocation& invocation) {
    return std::find(invocation.arguments.begin(), invocation.arguments.end(), "--") != invocation.arguments.end();
}

// The words behind "--" are those of the real run. Commands on scenarios have none.
std::vector<std::string> real_words(const Invocation& invocation, const char* command) {
    const auto at = std::find(invocation.arguments.begin(), invocation.arguments.end(), "--");
    if (at == invocation.arguments.end())
        throw CLI::ValidationError(
            command,
            fmt::format("name a scenario, or write -- and the command of a real MPI: magicwire {} {} -- mpirun -np 4 ./prog",
                        command, command == std::string("record") ? "--out DIR" : "DIR"));
    if (at + 1 == invocation.arguments.end()) throw CLI::ValidationError("--", "the command is missing: mpirun -np 4 ./prog");
    return {at + 1, invocation.arguments.end()};
}

real_mpi::Command command_of(const RecordOptions& options, const std::vector<std::string>& words) {
    std::optional<real_mpi::Mpi> mpi;
    if (options.mpi == "openmpi") mpi = real_mpi::Mpi::OpenMpi;
    if (options.mpi == "mpich") mpi = real_mpi::Mpi::Mpich;
    return real_mpi::find_program(words, mpi);
}

std::string library_of(real_mpi::Mpi mpi) {
    try {
        return fs::absolute(installed_files::find_archive(fmt::format("real_mpi/{}.so", real_mpi::file_name_of(mpi)))).string();
    } catch (const vocabulary::HostError&) {
        throw vocabulary::HostError(
            fmt::format("the library that is loaded into ranks of {} is not there; install {} and build Magicwire anew",
                        real_mpi::name_of(mpi), mpi == real_mpi::Mpi::OpenMpi ? "libopenmpi-dev" : "libmpich-dev"));
    }
}

double limit_of(const RecordOptions& options) {
    return options.limit.empty() ? 0 : positive_number("--limit", options.limit);
}

void warn(const RecordFolder::Made& made) {
    for (const std::string& what : made.unseen)
        std::fprintf(stderr, "magicwire: the recorder does not see %s, so its races are likely at most\n", what.c_str());
}

int end_of(const real_mpi::Ended& ended, const RecordOptions& options, const std::string& waits = {}) {
    if (!ended.too_late) return ended.status;
    tell_error(exit_code::budget,
               "the run was not over after " + options.limit + " s; raise --limit" + (waits.empty() ? "" : "; " + waits));
    return exit_code::budget;
}

int record(const RecordOptions& options, const std::vector<std::string>& words) {
    const double limit = limit_of(options);
    const real_mpi::Command command = command_of(options, words);
    const std::string library = library_of(command.mpi);
    const tmon_replay::RunIdentity run = real_mpi::identity_of(command);
    const RecordFolder folder(options.out);
    folder.make(options.force);
    folder.begin(command, run);
    const real_mpi::Ended ended = real_mpi::run(command, library, folder.ranks(), false, limit);
    if (fs::is_empty(folder.ranks())) {
        tell_error(exit_code::bad_input, "nothing is recorded: no rank has come to the end of MPI_Init()");
        return ended.status != 0 ? ended.status : exit_code::bad_input;
    }
    const RecordFolder::Made made = folder.finish(&ended);
    warn(made);
    if (options.says)
        std::fprintf(stderr, "magicwire: %zu ranks of %s, %zu messages, %zu receives; %zu outcomes are needed for a replay\n",
                     made.ranks, real_mpi::name_of(command.mpi), made.messages, made.receives, made.lines);
    return end_of(ended, options);
}

// For the ranks' files of a replay.
class ReplayFolder {
public:
    explicit ReplayFolder(const std::string& out) : name_(out), temporary_(out.empty()) {
        if (!temporary_) return;
        std::string name = (fs::temp_directory_path() / "magicwire_replay_XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw vocabulary::HostError("no folder can be made in " + name);
        name_ = name;
    }
    ~ReplayFolder() {
        std::error_code ignored;
        if (temporary_) fs::remove_all(name_, ignored);
    }
    ReplayFolder(const ReplayFolder&) = delete;
    ReplayFolder& operator=(const ReplayFolder&) = delete;
    const std::string& name() const { return name_; }
    bool temporary() const { return temporary_; }

private:
    std::string name_;
    bool temporary_;
};

void refuse_difference(const RecordOptions& options, const tmon_replay::RunIdentity& recorded, tmon_replay::RunIdentity now) {
    if (options.other_build) now.program_hash = recorded.program_hash;
    std::string other = tmon_replay::difference(recorded, now);
    if (other.empty()) return;
    const bool is_hash = recorded.program_hash != now.program_hash;
    throw InputError({options.from, 0, 0},
                     other + "; only the same run can be repeated" +
                         (is_hash ? "; --other-build takes it for another build of the same program" : ""));
}

int replay(const RecordOptions& options, const std::vector<std::string>& words) {
    const double limit = limit_of(options);
    const tmon_replay::DeliveryOrder order = order_in(options.from);
    const real_mpi::Command command = command_of(options, words);
    const std::string library = library_of(command.mpi);
    tmon_replay::RunIdentity run = real_mpi::identity_of(command);
    if (!command.ranks) run.ranks = order.run.ranks;  // the ranks themselves look
    refuse_difference(options, order.run, run);
    const ReplayFolder place(options.out);
    const RecordFolder folder(place.name());
    if (place.temporary()) {
        fs::create_directories(folder.ranks());
    } else {
        folder.make(options.force);
        folder.begin(command, run);
    }
    real_mpi::write_scripts(order, folder.ranks());
    const real_mpi::Ended ended = real_mpi::run(command, library, folder.ranks(), true, limit);
    std::string divergence, waits;
    try {
        const real_mpi::RankFiles files(folder.ranks());
        run.ranks = files.ranks().size();
        refuse_difference(options, order.run, run);
        divergence = real_mpi::divergence_text(files, options.from);
        waits = real_mpi::waits_text(files);
    } catch (const InputError& error) {
        if (ended.status == 0 || error.where().file == options.from) throw;
        return ended.status;  // it failed before MPI_Init(), and has said why
    }
    if (!place.temporary()) folder.finish(&ended);
    if (divergence.empty()) return end_of(ended, options, waits);
    tell_error(exit_code::self_check, divergence);
    return exit_code::self_check;
}

void add_common(CLI::App& command, RecordOptions& options) {
    command.prefix_command();
    command.add_option("--mpi", options.mpi, "of a program that is linked with it through another library: openmpi or mpich")
        ->check(CLI::IsMember({"openmpi", "mpich"}))
        ->type_name("MPI");
    command.add_option("--limit", options.limit, "end the run after so many seconds")->type_name("SECONDS");
    command.add_flag("-f,--force", options.force, "replace the record in the folder of --out");
}

void add_scenario_record(CLI::App& command, ScenarioRecordOptions& options) {
    command.add_option("--interval", options.interval, "of a scenario: time between checkpoints")->type_name("TIME");
    command
        .add_option("--checkpoints", options.checkpoints,
                    "of a scenario. clock: each process by its own time; interrupt: all at once; time: by clocks that drift")
        ->check(CLI::IsMember({"clock", "interrupt", "time"}))
        ->type_name("RULE");
    command.add_option("--seed", options.seed, "of the scenario's clocks")->type_name("N");
    command.add_option("--set", options.set, "a setting of the scenario, as for 'magicwire run'")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
}

void add_scenario_replay(CLI::App& command, ScenarioReplayOptions& options) {
    command.add_option("--at", options.at, "of a scenario: breakpoints, as for 'magicwire line'")->type_name("P0=EVENT,...");
    command.add_option("--causal", options.causal, "of a scenario: one breakpoint, as for 'magicwire line'")
        ->type_name("P0=EVENT");
    command.add_option("--seed", options.seed, "another one than the record's")->type_name("N");
    command.add_option("--set", options.set, "another setting or cost: link.setup=40")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    command
        .add_option("--only", options.only, "of a scenario: run these processes alone; all packets of others come from the log")
        ->type_name("P1,P3");
    command.add_flag("--from-start", options.from_start, "of a scenario: begin with the run, without images");
    command.add_flag("--json", options.json, "of a scenario: print JSON");
}

int again_of([[maybe_unused]] const std::string& folder, const ScenarioRecordOptions& in_scenario,
             [[maybe_unused]] const RecordOptions& options, [[maybe_unused]] bool json, [[maybe_unused]] bool all_packets) {
    if (!in_scenario.scenario.empty())
        throw CLI::ValidationError("--again", "the record knows its scenario; leave " + in_scenario.scenario + " out");
#ifdef MAGICWIRE_SIMULATION
    return record_again({folder, in_scenario.seed, options.limit, in_scenario.set, json, all_packets});
#else
    throw CLI::ValidationError("--again", "this build has no simulation; build with MAGICWIRE_SIMULATION");
#endif
}

}  // namespace

void add_record(CLI::App& app, const Invocation& invocation, int& result) {
    auto options = std::make_shared<RecordOptions>();
    CLI::App* command =
        app.add_subcommand("record", "Record a run: of an MPI program in a scenario, or under Open MPI or MPICH");
    auto in_scenario = std::make_shared<ScenarioRecordOptions>();
    command->add_option("SCENARIO", in_scenario->scenario, "a scenario with an MPI program; not with -- and a command")
        ->check(file_name());
    CLI::Option* const out =
        command
            ->add_option("--out", options->out,
                         "new folder: events.mwr and plan.json; of a command order.mwo, trace.mwt, manifest.json")
            ->type_name("DIR")
            ->check(file_name());
    auto of_record = std::make_shared<std::string>();
    auto prints_json = std::make_shared<bool>(false);
    out->excludes(command
                      ->add_option("--again", *of_record,
                                   "instead: run a recorded scenario again, held to its record, and keep images of its "
                                   "processes and logged messages")
                      ->type_name("DIR")
                      ->check(file_name()));
    command->add_flag("--json", *prints_json, "of --again: print JSON");
    auto all_packets = std::make_shared<bool>(false);
    command->add_flag("--all-packets", *all_packets, "of --again: log all packets, for 'magicwire replay --only'");
    add_common(*command, *options);
    command->add_flag("-v,--verbose", options->says, "tell figures on standard error at the end");
    add_scenario_record(*command, *in_scenario);
    command->footer(
        "Of a scenario all packets of the ranks are recorded, and 'magicwire evaluate', 'line' and 'replay' work on the "
        "folder.\n"
        "Of a command behind -- the program is not changed or compiled anew: a library is loaded into its ranks.\n"
        "The exit code is that of the program, or of mpirun.\n\n"
        "Examples:\n  magicwire record jacobi.yaml --interval 500ms --checkpoints interrupt --out rec\n"
        "  magicwire record --again rec\n"
        "  magicwire record --out rec -- mpirun -np 4 ./farm 100\n  magicwire replay rec -- mpirun -np 4 ./farm "
        "100\n"
        "  magicwire races rec; magicwire sort rec --stats\n");
    command->callback([options, in_scenario, of_record, prints_json, all_packets, command, &invocation, &result] {
        if (!of_record->empty()) {
            for (const char* other : {"--interval", "--checkpoints", "--mpi", "--force", "--verbose"})
                if (command->get_option(other)->count() > 0)
                    throw CLI::ValidationError(other, "is no option of --again: the record has its own");
            if (is_real(invocation) || !command->remaining().empty())
                throw CLI::ValidationError("--again", "the record knows its program; leave the command out");
            result = again_of(*of_record, *in_scenario, *options, *prints_json, *all_packets);
            return;
        }
        if (options->out.empty()) throw CLI::ValidationError("--out", "is required: the new folder of the record");
        if (*prints_json || *all_packets)
            throw CLI::ValidationError(*prints_json ? "--json" : "--all-packets", "is an option of --again");
        if (is_real(invocation) || in_scenario->scenario.empty() || !command->remaining().empty()) {
            result = record(*options, real_words(invocation, "record"));
            return;
        }
        in_scenario->out = options->out;
        in_scenario->limit = options->limit;
        in_scenario->force = options->force;
        in_scenario->says = options->says;
#ifdef MAGICWIRE_SIMULATION
        result = record_scenario(*in_scenario);
#else
        throw CLI::ValidationError("record",
                                   "this build has no simulation, so it runs no scenario; build with MAGICWIRE_SIMULATION");
#endif
    });

    auto repeated = std::make_shared<RecordOptions>();
    CLI::App* again = app.add_subcommand("replay", "Repeat a recorded run: the same messages come in the same order");
    auto to_breakpoints = std::make_shared<ScenarioReplayOptions>();
    again->add_option("RECORD", repeated->from, "folder of 'magicwire record', or a file of 'magicwire mpirun --record'")
        ->required()
        ->check(file_name());
    add_common(*again, *repeated);
    again->add_option("--out", repeated->out, "record the replay there, too")->type_name("DIR")->check(file_name());
    again->add_flag("--other-build", repeated->other_build,
                    "the program is another build of the recorded one, as for another MPI");
    add_scenario_replay(*again, *to_breakpoints);
    again->footer(
        "A record of a scenario is repeated on its machine up to breakpoints, and each event is compared with it.\n"
        "Another program, other arguments and another number of ranks are refused: exit code 3.\n"
        "A replay that cannot go on ends with 5, and tells rank and counter. Else the exit code is that of mpirun.\n\n"
        "Examples:\n  magicwire replay rec --at P0=412,P1=jacobi.c:88#3 --seed 7\n  magicwire replay rec --causal P2=88 --only "
        "P2\n  magicwire replay rec -- mpirun -np 4 "
        "./farm 100\n"
        "  magicwire replay rec --other-build -- mpirun.mpich -np 4 ./farm_mpich 100\n");
    again->callback([repeated, to_breakpoints, &invocation, &result] {
        if (is_real(invocation) || !is_recorded_run(repeated->from)) {
            result = replay(*repeated, real_words(invocation, "replay"));
            return;
        }
        to_breakpoints->folder = repeated->from;
        to_breakpoints->limit = repeated->limit;
#ifdef MAGICWIRE_SIMULATION
        result = replay_scenario(*to_breakpoints);
#else
        throw CLI::ValidationError("replay",
                                   "this build has no simulation, so it runs no scenario; build with MAGICWIRE_SIMULATION");
#endif
    });
}

}  // namespace cli
