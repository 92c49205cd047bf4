// mpirun: an MPI program on a modelled machine.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <host_files/host_files.hpp>
#include <lam_mpi/places.hpp>
#include <mpi_runs/mpi_run.hpp>
#include <topologies/cost_settings.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "flowback/flowback_place.hpp"
#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "frame/run_options.hpp"
#include "programs/mpirun_deliveries.hpp"

namespace cli {
namespace {

double seconds(vocabulary::SimTime time) {
    return static_cast<double>(time.in_ps()) * 1e-12;
}

struct MpirunOptions {
    std::string ranks, machine, ram, map = "node", files, seed = "1", limit;
    std::vector<std::string> set, environment;
    DeliveryOptions deliveries;
    std::string logs;  // folder
    LogOptions flowback;
    bool json = false, says = false, fence = false;
    bool no_buffering = false, no_checks = false, strict = false, tasks = false, messages = false;
};

}  // namespace

topologies::CostTable costs_of(const std::vector<std::string>& settings) {
    topologies::CostTable costs = topologies::CostTable::t800();
    for (const std::string& text : settings) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            throw CLI::ValidationError("--set", "expected COST=VALUE, for example --set mpi.short=1024");
        as_usage([&] { topologies::set_cost(costs, {text.substr(0, equals), text.substr(equals + 1)}, {}); });
    }
    as_usage([&] { topologies::check_costs(costs, {"--set", 0, 0}); });
    return costs;
}

namespace {

// A rank may have the same mistake in each turn of a loop.
class Teller {
public:
    void tell(const mpi_runs::Finding& finding) {
        if (++told_ > most && !finding.fatal) return;
        std::fflush(stdout);
        std::fprintf(stderr, "%s\n", mpi_runs::text_of(finding).c_str());
    }
    void end(const std::vector<mpi_runs::Finding>& all) const {
        if (told_ > most) std::fprintf(stderr, "magicwire: %zu findings; --json lists all\n", all.size());
    }

private:
    static constexpr std::size_t most = 50;
    std::size_t told_ = 0;
};

// Something that the standard forbids.
bool has_certain(const std::vector<mpi_runs::Finding>& all) {
    return std::any_of(all.begin(), all.end(), [](const mpi_runs::Finding& finding) { return !finding.likely; });
}

int tell_end(const mpi_runs::Result& result, const Deliveries& deliveries) {
    const std::string divergence = deliveries.divergence(result);
    if (!divergence.empty()) {
        if (result.end == mpi_runs::End::Standstill) tell_error(exit_code::self_check, mpi_runs::standstill_text(result));
        tell_error(exit_code::self_check, divergence);
        return exit_code::self_check;
    }
    const int code = exit_code_of(result);
    if (result.end == mpi_runs::End::Standstill)
        tell_error(exit_code::found, mpi_runs::standstill_text(result));
    else if (result.end == mpi_runs::End::Limit)
        tell_error(code,
                   fmt::format("the run is not over after {:.6f} s of modelled time; raise --limit", seconds(result.ended)));
    else if (result.end == mpi_runs::End::Stopped)
        tell_error(code, fmt::format("interrupted at {:.6f} s of modelled time", seconds(result.ended)));
    return code;
}

nlohmann::ordered_json json_of(const mpi_runs::Finding& finding) {
    const auto text_or_null = [](const std::string& text) {
        return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
    };
    return {{"kind", finding.kind},
            {"certainty", finding.likely ? "likely" : "certain"},
            {"fatal", finding.fatal},
            {"rank", finding.rank ? nlohmann::ordered_json(*finding.rank) : nlohmann::ordered_json(nullptr)},
            {"function", text_or_null(finding.function)},
            {"file", text_or_null(finding.file)},
            {"line", finding.file.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(finding.line)},
            {"communicator", text_or_null(finding.communicator)},
            {"class", text_or_null(finding.error_class)},
            {"text", finding.text},
            {"advice", text_or_null(finding.advice)}};
}

// The tables are of ranks that could not go on, or had not ended yet.
bool has_tables(const mpi_runs::Result& result) {
    return result.end == mpi_runs::End::Standstill || result.end == mpi_runs::End::Limit;
}

std::string json_of(const mpi_runs::Result& result, const std::string& machine, const Deliveries& deliveries,
                    const MpirunOptions& options) {
    nlohmann::ordered_json all{{"schema", "magicwire.mpirun/1"}, {"machine", machine}};
    all.update(mpi_runs::end_json(result));
    all["findings"] = nlohmann::ordered_json::array();
    for (const mpi_runs::Finding& finding : result.findings) all["findings"].push_back(json_of(finding));
    if (options.tasks) all["tasks"] = mpi_runs::json_of(has_tables(result) ? result.tasks : std::vector<mpi_runs::Task>{});
    if (options.messages)
        all["messages"] = mpi_runs::json_of(has_tables(result) ? result.messages : std::vector<mpi_runs::BufferedMessage>{});
    deliveries.add_races(all);
    return all.dump(2);
}

// NAME=VALUE as it is; NAME with the value that Magicwire itself has.
std::vector<std::string> environment_of(const std::vector<std::string>& settings) {
    std::vector<std::string> all;
    for (const std::string& text : settings) {
        if (text.empty() || text.front() == '=') throw CLI::ValidationError("--env", "expected NAME or NAME=VALUE");
        const char* const value = text.find('=') == std::string::npos ? std::getenv(text.c_str()) : nullptr;
        if (value != nullptr)
            all.push_back(text + "=" + value);
        else if (text.find('=') != std::string::npos)
            all.push_back(text);
    }
    return all;
}

tmon_replay::RunIdentity identity_of(const MpirunOptions& options, const mpi_runs::Plan& plan, const std::string& machine) {
    tmon_replay::RunIdentity run;
    run.program = plan.program;
    run.ranks = plan.places.size();
    run.arguments = plan.arguments;
    run.machine = machine;
    run.map = options.map;
    run.seed = plan.seed;
    run.settings = options.set;
    run.buffers = plan.buffers;
    run.checks = plan.checks;
    return run;
}

int run(const MpirunOptions& options, const std::vector<std::string>& words) {
    if (words.empty()) throw CLI::ValidationError("PROGRAM", "name the program, which 'magicwire mpicc' has built");
    const std::string& program = words.front();
    if (options.logs.empty() && !std::filesystem::is_regular_file(program))
        throw vocabulary::InputError({program, 0, 0},
                                     "there is no such program; build it with 'magicwire mpicc -o " + program + " ...'");
    const std::uint64_t ranks = whole_number("-np", options.ranks);
    if (ranks == 0 || ranks > 1024) throw CLI::ValidationError("-np", "expected 1 to 1024 ranks");
    const std::string machine = options.machine.empty() ? mpi_runs::usual_machine(ranks) : options.machine;
    mpi_runs::Plan plan{.machine = as_usage([&] { return mpi_runs::machine_of(machine, options.ram); }),
                        .costs = costs_of(options.set),
                        .program = program,
                        .arguments = {words.begin() + 1, words.end()},
                        .places = {},
                        .print = {}};
    plan.places = lam_mpi::places_of(ranks, plan.machine.nodes.size(), options.map);
    plan.environment = environment_of(options.environment);
    plan.fenced = options.fence;
    plan.seed = whole_number("--seed", options.seed);
    const double limit = options.limit.empty() ? 1e6 : positive_number("--limit", options.limit);
    plan.limit = vocabulary::SimTime::us(static_cast<std::int64_t>(std::min(limit, 1e6) * 1e6));
    host_files::HostFiles store(options.files);
    plan.files = &store;
    std::FILE* const out = options.json ? stderr : stdout;
    plan.print = [out](const std::string& text) {
        std::fwrite(text.data(), 1, text.size(), out);
        std::fflush(out);
    };
    plan.print_error = [](const std::string& text) {
        std::fflush(stdout);
        std::fwrite(text.data(), 1, text.size(), stderr);
    };
    plan.read = [](std::span<std::byte> room) {
        const ssize_t got = read(STDIN_FILENO, room.data(), room.size());
        return got < 0 ? std::size_t{0} : static_cast<std::size_t>(got);
    };
    plan.tell = [](const user_programs::Diagnosis& diagnosis) {
        std::fflush(stdout);
        std::fprintf(stderr, "magicwire: %s\n", user_programs::text_of(diagnosis).c_str());
    };
    Teller teller;
    plan.find = [&teller](const mpi_runs::Finding& finding) { teller.tell(finding); };
    plan.buffers = !options.no_buffering;
    plan.checks = !options.no_checks;
    plan.goes_on = [] { return interrupted == 0; };
    session::FlowbackPlace place;
    if (!options.logs.empty()) {
        const std::string prepared = prepared_of(program, options.flowback.prepared);
        place = logging_version(new_log_folder(options.logs), prepared, options.flowback.store);
        plan.module = place.module;
        plan.logs = {.folder = place.folder,
                     .digest = place.digest,
                     .store = place.store,
                     .costs = user_programs::log_costs(plan.costs)};
    }
    Deliveries deliveries(options.deliveries, identity_of(options, plan, machine));
    deliveries.plan(plan);
    stop_at_interrupt();
    const mpi_runs::Result result = mpi_runs::run(plan);
    deliveries.finish(result);
    if (options.says)
        std::fprintf(stderr, "%s on %s: %zu ranks, %.6f s of modelled time after a start of %.6f s\n", program.c_str(),
                     machine.c_str(), result.ranks.size(), seconds(result.ended - result.began), seconds(result.began));
    teller.end(result.findings);
    if (!options.logs.empty()) std::fputs(finish_flowback(place, result.logs).c_str(), stderr);
    const bool prints_tables = !options.json && has_tables(result);
    if (options.tasks && prints_tables) std::fputs(mpi_runs::text_of(result.tasks).c_str(), out);
    if (options.messages && prints_tables) std::fputs(mpi_runs::text_of(result.messages).c_str(), out);
    std::fflush(out);
    if (options.json) put(json_of(result, machine, deliveries, options));
    const int code = tell_end(result, deliveries);
    return code == 0 && options.strict && has_certain(result.findings) ? exit_code::found : code;
}

}  // namespace

void add_mpirun(CLI::App& app, int& result) {
    auto options = std::make_shared<MpirunOptions>();
    CLI::App* command = app.add_subcommand("mpirun", "Run an MPI program, which mpicc has built, on a modelled machine");
    command->prefix_command();
    command->add_option("-n,--np", options->ranks, "number of ranks; also written -np")->required()->type_name("N");
    command
        ->add_option("--machine", options->machine,
                     "a shape ('magicwire topology make'), or a machine file; default: a mesh of as many nodes as ranks")
        ->type_name("SHAPE|FILE");
    command->add_option("--ram", options->ram, "memory of each node of a shape, up to 2GiB; default: 1GiB")->type_name("SIZE");
    command->add_option("--map", options->map, "node: one rank a node in turn; slot: neighbours in number share a node")
        ->check(CLI::IsMember({"node", "slot"}));
    command->add_option("--files", options->files, "the folder below which the program's files lie")->default_val(".");
    command
        ->add_option("-x,--env", options->environment,
                     "a variable for getenv(): NAME=VALUE, or NAME with the value that it has here; without it there is none")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false);
    command->add_option("--seed", options->seed, "of the machine's clocks")->type_name("N");
    command->add_option("--limit", options->limit, "stop after this modelled time")->type_name("SECONDS");
    command->add_option("--set", options->set, "COST=VALUE: change a cost ('magicwire costs')")
        ->type_name("COST=VALUE")
        ->allow_extra_args(false);
    command->add_flag("--fence", options->fence,
                      "end a rank that reaches into the memory of another node; slower, as each switch of nodes costs");
    options->deliveries.add_to(*command);
    CLI::Option* logs = command
                            ->add_option("--flowback", options->logs,
                                         "keep logs in this new folder, from which `magicwire flowback` says where values "
                                         "came from; the program is one that `magicwire prepare` made")
                            ->type_name("DIR")
                            ->check(file_name());
    for (const char* other : {"--races", "--record", "--replay"}) logs->excludes(command->get_option(other));
    options->flowback.add_store(*command);
    options->flowback.add_prepared(*command);
    command->add_flag(
        "--no-buffering", options->no_buffering,
        "sends in standard mode, and those of collective operations, wait for their receives: shows deadlocks that "
        "buffers hide");
    command->add_flag("--no-checks", options->no_checks, "do not look for buffers that are written while they are in use");
    command->add_flag("--tasks", options->tasks, "print what each rank does, at a standstill and at the end of --limit");
    command->add_flag("--messages", options->messages, "print the messages in buffers then");
    command->add_flag("--strict", options->strict, "exit code 1 when the program ends with 0, and a certain mistake was found");
    command->add_flag("-v,--verbose", options->says, "tell times on standard error at the end");
    command->add_flag("--json", options->json, "print JSON; what the ranks print goes to standard error");
    command->footer(
        "The exit code is the program's. A standstill is told on standard error: exit code 1.\n"
        "Mistakes of the program are told there, too, with their lines: leaks, buffers in use, calls that do not match.\n\n"
        "Examples:\n  magicwire mpicc -o ring ring.c && magicwire mpirun -np 8 ./ring\n"
        "  magicwire mpirun -np 16 --machine hypercube:16 ./solver 1000\n"
        "  magicwire mpirun -np 4 --no-buffering --strict ./solver 10\n"
        "  magicwire mpirun -np 4 --record run.mwo ./farm && magicwire mpirun -np 4 --machine ring:4 --replay run.mwo "
        "./farm\n"
        "  magicwire prepare solver.c && magicwire mpirun -np 4 --flowback out ./solver && magicwire flowback out\n");
    command->callback([options, command, &result] { result = run(*options, command->remaining()); });
}

}  // namespace cli
