// mpirun: an MPI program on a modelled machine.
#include <unistd.h>

#include <cstdio>
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

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "frame/run_options.hpp"

namespace cli {
namespace {

double seconds(vocabulary::SimTime time) {
    return static_cast<double>(time.in_ps()) * 1e-12;
}

struct MpirunOptions {
    std::string ranks, machine, map = "node", files, seed = "1", limit;
    std::vector<std::string> set;
    bool json = false, says = false;
};

topologies::CostTable costs_of(const MpirunOptions& options) {
    topologies::CostTable costs = topologies::CostTable::t800();
    for (const std::string& text : options.set) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            throw CLI::ValidationError("--set", "expected COST=VALUE, for example --set mpi.short=1024");
        as_usage([&] { topologies::set_cost(costs, {text.substr(0, equals), text.substr(equals + 1)}, {}); });
    }
    as_usage([&] { topologies::check_costs(costs, {"--set", 0, 0}); });
    return costs;
}

int tell_end(const mpi_runs::Result& result) {
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

std::string json_of(const mpi_runs::Result& result, const std::string& machine) {
    nlohmann::ordered_json all{{"schema", "magicwire.mpirun/1"}, {"machine", machine}};
    all.update(mpi_runs::end_json(result));
    return all.dump(2);
}

int run(const MpirunOptions& options, const std::vector<std::string>& words) {
    if (words.empty()) throw CLI::ValidationError("PROGRAM", "name the program, which 'magicwire mpicc' has built");
    const std::string& program = words.front();
    if (!std::filesystem::is_regular_file(program))
        throw vocabulary::InputError({program, 0, 0},
                                     "there is no such program; build it with 'magicwire mpicc -o " + program + " ...'");
    const std::uint64_t ranks = whole_number("-np", options.ranks);
    if (ranks == 0 || ranks > 1024) throw CLI::ValidationError("-np", "expected 1 to 1024 ranks");
    const std::string machine = options.machine.empty() ? mpi_runs::usual_machine(ranks) : options.machine;
    mpi_runs::Plan plan{.machine = as_usage([&] { return mpi_runs::machine_of(machine); }),
                        .costs = costs_of(options),
                        .program = program,
                        .arguments = {words.begin() + 1, words.end()},
                        .places = {},
                        .print = {}};
    plan.places = lam_mpi::places_of(ranks, plan.machine.nodes.size(), options.map);
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
    plan.read = [](std::span<std::byte> room) {
        const ssize_t got = read(STDIN_FILENO, room.data(), room.size());
        return got < 0 ? std::size_t{0} : static_cast<std::size_t>(got);
    };
    plan.tell = [](const user_programs::Diagnosis& diagnosis) {
        std::fflush(stdout);
        std::fprintf(stderr, "magicwire: %s\n", user_programs::text_of(diagnosis).c_str());
    };
    plan.goes_on = [] { return interrupted == 0; };
    stop_at_interrupt();
    const mpi_runs::Result result = mpi_runs::run(plan);
    if (options.says)
        std::fprintf(stderr, "%s on %s: %zu ranks, %.6f s of modelled time after a start of %.6f s\n", program.c_str(),
                     machine.c_str(), result.ranks.size(), seconds(result.ended - result.began), seconds(result.began));
    if (options.json) put(json_of(result, machine));
    return tell_end(result);
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
    command->add_option("--map", options->map, "node: one rank a node in turn; slot: neighbours in number share a node")
        ->check(CLI::IsMember({"node", "slot"}));
    command->add_option("--files", options->files, "the folder below which the program's files lie")->default_val(".");
    command->add_option("--seed", options->seed, "of the machine's clocks")->type_name("N");
    command->add_option("--limit", options->limit, "stop after this modelled time")->type_name("SECONDS");
    command->add_option("--set", options->set, "COST=VALUE: change a cost ('magicwire costs')")
        ->type_name("COST=VALUE")
        ->allow_extra_args(false);
    command->add_flag("-v,--verbose", options->says, "tell times on standard error at the end");
    command->add_flag("--json", options->json, "print JSON; what the ranks print goes to standard error");
    command->footer(
        "The exit code is the program's. A standstill is told on standard error: exit code 1.\n\n"
        "Examples:\n  magicwire mpicc -o ring ring.c && magicwire mpirun -np 8 ./ring\n"
        "  magicwire mpirun -np 16 --machine hypercube:16 ./solver 1000\n");
    command->callback([options, command, &result] { result = run(*options, command->remaining()); });
}

}  // namespace cli
