// The lines of `magicwire shell`: what is read before anything happens to the machine. Its errors are vocabulary::RequestError
// too.
#include <stdexcept>

#include <scenario/scenario.hpp>
#include <session/live_change.hpp>
#include <trollius_commands/command.hpp>

#include "fuzz_target.hpp"
#include "shell/shell_line.hpp"

namespace {

using vocabulary::SimTime;

constexpr SimTime now = SimTime::ms(5);

const scenario::Scenario& monitored() {
    static const scenario::Scenario scenario = [] {
        fuzz::put("t.dat", "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n");
        return scenario::read_scenario(
            fuzz::put("s.yaml", "version: 1\nname: any\nmachine: " MAGICWIRE_SOURCE_DIR
                                "/topologies/machines/btree_8_interrupts.yaml\nfarm: {nodes: 8, tree: binary, tasks: 40}\n"
                                "application: {tasks: t.dat}\nmonitor: {kind: tmon, unload: [[1000s, 8, 32]]}\n"),
            {}, {});
    }();
    return scenario;
}

void obey(scenario::Scenario& scenario, const std::string& line) {
    const auto [name, arguments] = cli::command_and_arguments(cli::without_comment(line));
    if (name == "run") {
        const auto until = cli::run_until(arguments, now);
        fuzz::require(!until || *until >= SimTime(), "a run ends before it begins");
    } else if (name == "what-if") {
        for (const std::string& branch : cli::branches_of(arguments))
            session::check_changes(scenario, session::parse_changes(branch), now);
    } else if (name == "set") {
        const auto changes = session::parse_changes(arguments);
        session::check_changes(scenario, changes, now);
        for (const scenario::Setting& change : changes) scenario = session::changed(scenario, change, now);
    } else if (name == "fault") {
        scenario = session::changed(scenario, {"fault", cli::without_quotes(arguments)}, now);
    } else if (name == "seed") {
        scenario = session::changed(scenario, {"seed", arguments}, now);
    } else {
        const trollius_commands::Site site{
            .nodes = 8, .host = vocabulary::NodeId(8), .usual = {}, .most_packet = 4096, .programs = {"slave"}};
        if (auto command = trollius_commands::parse_command(cli::words_of(line), site)) {
            for (std::size_t step = 0; step < std::min<std::size_t>(command->steps(), 1000); ++step)
                fuzz::require(command->asks(step).value() <= 8, "a command asks a node that the machine does not have");
        }
    }
}

}  // namespace

FUZZ_TARGET(shell_line, input) {
    scenario::Scenario scenario = monitored();
    while (!input.empty()) {
        const std::string_view line = input.substr(0, input.find('\n'));
        try {
            obey(scenario, std::string(line));
        } catch (const vocabulary::RequestError&) {
            // the answer to this line; vocabulary::InputError is one too
        }
        input.remove_prefix(std::min(line.size() + 1, input.size()));
    }
}
