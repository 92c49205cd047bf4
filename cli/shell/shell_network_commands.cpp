// links, connect, disconnect and reconfigure in `magicwire shell`: the network of the running machine, changed by the host over
// its control connections.
#include <exception>
#include <utility>

#include <fmt/format.h>

#include <scenario/wanted_network.hpp>
#include <topologies/end_names.hpp>
#include <topologies/rewiring.hpp>
#include <trollius_commands/command_words.hpp>
#include <vocabulary/errors.hpp>

#include "shell/shell_line.hpp"
#include "shell/shell_machine.hpp"
#include "shell/shell_network.hpp"

namespace cli {

using topologies::WireEnd;
using trollius_commands::CommandWords;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

constexpr SimTime network_step = SimTime::us(100);  // as the step of a command

// The ends that a line names: "n0.1 n3.2", also with "-" between them.
std::vector<WireEnd> ends_in(const std::string& line, const topologies::MachineDescription& machine, std::size_t least,
                             const char* example) {
    std::vector<std::string> words = words_of(line);
    words.erase(words.begin());
    if (words.size() == 3 && words[1] == "-") words.erase(words.begin() + 1);
    if (words.size() < least || words.size() > 2) throw vocabulary::RequestError(fmt::format("expected '{}'", example));
    std::vector<WireEnd> ends;
    for (const std::string& word : words) ends.push_back(topologies::link_end_named(machine, word, {word, 0, 0}));
    return ends;
}

}  // namespace

ShellAnswer ShellMachine::links(const std::string& arguments) {
    CommandWords given(words_of(line_now_), site(), "", "", "links n0-7");
    const bool named = !arguments.empty();
    std::vector<NodeId> nodes;
    if (named) nodes = given.take_nodes(false);
    given.end();
    for (std::size_t i = 0; !named && i <= live().machine().node_count(); ++i)
        nodes.push_back(NodeId(static_cast<NodeId::value_type>(i)));
    return {.text = links_text(live(), nodes, named), .data = links_json(live(), nodes, named)};
}

ShellAnswer ShellMachine::connect(const std::string&) {
    check_reconfigurable(live());
    const topologies::MachineDescription& machine = live().machine().description();
    const auto ends = ends_in(line_now_, machine, 2, "connect n0.1 n3.2");
    return set_switches(plan_of(live().machine(), scenario_.costs, topologies::rewiring_with_link(machine, ends[0], ends[1])));
}

ShellAnswer ShellMachine::disconnect(const std::string&) {
    check_reconfigurable(live());
    const topologies::MachineDescription& machine = live().machine().description();
    const auto ends = ends_in(line_now_, machine, 1, "disconnect n0.1");
    const auto other = ends.size() == 2 ? std::optional(ends[1]) : std::nullopt;
    return set_switches(plan_of(live().machine(), scenario_.costs, topologies::rewiring_without_link(machine, ends[0], other)));
}

ShellAnswer ShellMachine::reconfigure(const std::string&) {
    check_reconfigurable(live());
    CommandWords given(words_of(line_now_), site(), "yn", "", "reconfigure [-y | -n] ring:16");
    const auto operands = given.take_rest();
    if (operands.size() != 1) given.fail("one shape or machine file is needed");
    const topologies::MachineDescription& machine = live().machine().description();
    const scenario::WantedNetwork wanted = scenario::wanted_network(operands[0], {"reconfigure", 0, 0});
    const auto plan =
        plan_of(live().machine(), scenario_.costs,
                topologies::rewiring_to(machine, wanted.machine, {.link_bits_per_second = wanted.link_bits_per_second}));
    if (given.has('n') || plan.change.changes() == 0) return {.text = plan_text(live(), plan), .data = plan_json(live(), plan)};
    if (given.has('y')) return set_switches(plan);
    return {.text = plan_text(live(), plan),
            .data = plan_json(live(), plan),
            .asks = fmt::format("reconfigure -y {}",
                                operands[0].find(' ') == std::string::npos ? operands[0] : '"' + operands[0] + '"')};
}

ShellAnswer ShellMachine::set_switches(const trollius_hosted::ReconfigurationPlan& plan) {
    const std::string text = plan_text(live(), plan), data = plan_json(live(), plan);
    const std::size_t lost = live().reconfigurer().lost().size();
    const std::size_t order = live().reconfigure(plan.change.settings);
    if (stage_ != Stage::Ended) scenario_ = live().scenario();
    note_command();
    const auto there = [this, order] {
        const auto& done = live().reconfigurer().done();
        return done.size() > order && done[order].routed;
    };
    const auto answer = [this, order, lost, text, data] {
        ShellAnswer its{.text = text + outcome_text(live(), order, lost), .data = data};
        try {
            live().place_farm();
            if (stage_ != Stage::Ended) scenario_ = live().scenario();
        } catch (const std::exception& error) {  // the network is there, and other programs may use it
            its.text += fmt::format("  {:<12} that of the scenario cannot run here: {}\n", "farm", error.what());
        }
        return its;
    };
    return go({.there = there, .answer = answer, .step = network_step, .by_session = false});
}

}  // namespace cli
