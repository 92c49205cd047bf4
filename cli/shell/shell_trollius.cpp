// The commands of Trollius and its monitor in `magicwire shell`: processes of the modelled host, and the files they leave.
#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <instrumentation/monctrl.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/network.hpp>
#include <trace_record/event_class.hpp>
#include <trollius_commands/command_words.hpp>
#include <vocabulary/source_position.hpp>

#include "shell/breakpoints.hpp"
#include "shell/shell_line.hpp"
#include "shell/shell_looks.hpp"
#include "shell/shell_machine.hpp"
#include "shell/shell_monctrl.hpp"
#include "shell/shell_why.hpp"

namespace cli {

using trollius_commands::Command;
using trollius_commands::CommandWords;
using vocabulary::NodeId;
using vocabulary::RequestError;
using vocabulary::SimTime;

namespace {

constexpr SimTime told_after = SimTime::s(10);      // a program that computes so long without a call may never end
constexpr SimTime command_step = SimTime::us(100);  // the prompt's time is not later than the command's end by more

// The same nodes with the same neighbours at the same links, of the same weights.
bool has_network(const topologies::MachineDescription& machine, const topologies::MachineDescription& other) {
    if (machine.nodes.size() != other.nodes.size()) return false;
    const topologies::Network one(machine), two(other);
    for (std::size_t node = 0; node <= machine.nodes.size(); ++node) {
        for (std::uint8_t link = 0; link < topologies::links_per_node; ++link) {
            const NodeId id(static_cast<NodeId::value_type>(node));
            const auto &a = one.neighbour(id, vocabulary::LinkNo(link)), &b = two.neighbour(id, vocabulary::LinkNo(link));
            if (a.has_value() != b.has_value()) return false;
            if (a && (a->node != b->node || a->link != b->link || a->weight != b->weight)) return false;
        }
    }
    return true;
}

// Takes a last "&" away.
bool in_background(std::vector<std::string>& words) {
    if (words.empty() || words.back() != "&") return false;
    words.pop_back();
    return true;
}

void refuse_existing(const std::string& prefix) {
    for (const char* ending : {".all", ".config"}) {
        if (std::filesystem::exists(std::filesystem::symlink_status(prefix + ending)))
            throw RequestError(prefix + ending + " exists already and is not replaced; name another prefix");
    }
}

}  // namespace

trollius_commands::Site ShellMachine::site() const {
    trollius_hosted::Multicomputer& machine = live().machine();
    trollius_commands::Site site{.nodes = machine.node_count(),
                                 .host = machine.host_id(),
                                 .usual = scenario_.farm.members(),
                                 .most_packet = machine.host().costs().most_packet,
                                 .programs = {}};
    if (without_farm()) site.usual = *trollius_commands::nodes_in("N", site);
    for (const auto& [name, program] : machine.programs()) site.programs.push_back(name);
    return site;
}

void ShellMachine::note_command() {
    if (stage_ == Stage::Ended) return;  // the result does not depend on it
    const bool spread_noted =
        std::any_of(changes_.begin(), changes_.end(), [](const Change& c) { return c.line.starts_with("spread"); });
    if (stage_ == Stage::Booted && !spread_noted && !without_farm()) changes_.push_back({SimTime(), booted_at_, "spread"});
    changes_.push_back({now(), SimTime::never(), line_now_});
}

ShellAnswer ShellMachine::start(std::unique_ptr<Command> command, bool waits_for_end) {
    if (!live().machine().booted(live().machine().host_id()))
        throw RequestError("the host has not booted; let time go on with 'spread'");
    command_ =
        std::make_unique<trollius_commands::CommandRun>(live().machine().host(), site(), std::move(command), shell_.time_out);
    note_command();
    const auto answer = [this] {
        ShellAnswer its{.ok = !command_->failed(), .text = command_->text()};
        if (!its.ok && its.text.ends_with('\n')) its.text.pop_back();  // one sentence of an error
        return its;
    };
    return go({.there = [this] { return command_->over(); },
               .answer = answer,
               .step = command_step,
               .by_session = false,
               .ends_when_one_computes_on = waits_for_end});
}

ShellAnswer ShellMachine::by_messages(const std::string&) {
    return start(trollius_commands::parse_command(words_of(line_now_), site()));
}

ShellAnswer ShellMachine::state(const std::string&) {
    std::vector<std::string> words = words_of(line_now_);
    const auto at = std::find(words.begin(), words.end(), "at");
    if (at == words.end()) return start(trollius_commands::parse_command(words, site()));
    if (words.end() - at != 2) throw RequestError("expected 'state n0-7 at now' or 'state n0-7 at 12.4ms'");
    const std::string moment = at[1];
    words.erase(at, words.end());
    trollius_commands::parse_command(words, site());  // throws for wrong words
    CommandWords given(words, site(), "gt", "", "state [-g] [-t] [NODES] at TIME");
    const StateLook look{given.take_nodes(true), given.has('g'), given.has('t')};
    const auto answer = [this, look] {
        return ShellAnswer{.text = fmt::format("from the simulator's memory at {}:\n", time_word(now())) +
                                   state_text(live(), look)};
    };
    if (moment == "now") return answer();
    const std::optional<SimTime> time = run_until("until " + moment, now());
    if (*time == now()) return answer();
    return go({.until = *time, .answer = answer, .by_session = !by_hand_ && stage_ != Stage::Ended});
}

ShellAnswer ShellMachine::spread(const std::string&) {
    CommandWords given(words_of(line_now_), site(), "vsScob", "", "spread [-vsScb] [MACHINE]");
    const auto operands = given.take_rest();
    if (operands.size() > 1) given.fail("one machine at a time");
    const bool by_name = operands.empty() || operands[0] == scenario_.machine.name || operands[0] == options_.file;
    const topologies::MachineDescription machine = by_name ? scenario_.machine : topologies::read_machine(operands[0]);
    if (!has_network(machine, scenario_.machine)) {
        throw RequestError(
            fmt::format("the machine of this shell is '{}', with another network; for this one start 'magicwire shell {}'",
                        scenario_.machine.name, operands[0]));
    }
    // Not by the machine alone: it may have booted a moment before the session stops for the commands that follow.
    const auto is_up = [this] { return stage_ != Stage::Session || std::string(live().phase()) != "boot"; };
    if (given.has('b')) boot_in_full(machine.boot_order);
    stops_at_boot_ = !is_up();
    const bool solders = given.has('s') || given.has('S');
    return go({.there = is_up, .answer = [this, solders] {
                   constexpr const char* banner =
                       "Ohio Trollius 2.2 - The Ohio State University\nsoldering...\n";  // thesis, 6.1
                   return ShellAnswer{.text = std::string(solders ? banner : "") + boot_text()};
               }});
}

// Has effect before anything has moved only; a change of the run, as a command is.
void ShellMachine::boot_in_full(const std::vector<NodeId>& boot_order) {
    if (live().machine().boots_in_full()) return;
    if (stage_ != Stage::Session || live().now() != SimTime())
        throw RequestError("'spread -b' boots the machine from power-up, and time has gone on already; start the shell anew");
    live().machine().boot_in_full(boot_order);
    changes_.push_back({SimTime(), SimTime::never(), line_now_});
}

std::string ShellMachine::boot_text() const {
    const std::vector<std::string> failures = live().machine().not_booted();
    if (failures.empty()) return "the machine has booted";
    std::string text;
    for (const std::string& failure : failures) text += failure + "\n";
    return text + "the rest of the machine has booted; mend the link or the node and start the shell anew, or go on without";
}

ShellAnswer ShellMachine::loadgo(const std::string& arguments) {
    if (!arguments.empty()) {
        if (stage_ == Stage::Session)
            throw RequestError("the session loads the programs of the scenario itself; to load by hand, type 'spread' first");
        load_own_programs();
        auto command = trollius_commands::parse_command(words_of(line_now_), site());
        by_hand_ = by_hand_ || stage_ == Stage::Booted;
        return start(std::move(command), true);
    }
    if (without_farm()) throw RequestError("expected nodes and a program, for example 'loadgo n0-3 prog -- 5'");
    if (by_hand_)
        throw RequestError("programs are loaded by hand already; name nodes and a program, or let time go on with 'run'");
    const auto loaded = [this] {
        const std::string phase = live().phase();
        return phase != "boot" && phase != "load";
    };
    return go({.there = loaded, .answer = [] { return ShellAnswer{.text = "monitor and programs are loaded and started"}; }});
}

// Operands of loadgo that are files become programs of the machine. Their names are the paths as typed.
void ShellMachine::load_own_programs() {
    CommandWords given(words_of(line_now_), site(), "vw", "", "loadgo NODES PROGRAM...");
    given.take_nodes(false);
    for (const std::string& word : given.take_rest()) {
        if (word.find('/') == std::string::npos) continue;
        auto costs = user_programs::program_costs(scenario_.costs, user_programs::CostSource::Estimated);
        costs.told_after = told_after;
        live().machine().programs()[word] = programs_.load(word, {.costs = std::move(costs)});
    }
}

ShellAnswer ShellMachine::hostmon(const std::string& arguments) {
    if (arguments.empty()) return {.text = received_text(live())};
    std::vector<std::string> words = words_of(line_now_);
    in_background(words);
    CommandWords given(words, site(), "", "e", "hostmon n0-7 -e data &");
    const auto prefix = given.value('e');
    given.take_nodes(true);
    given.end();
    if (!prefix) given.fail("no prefix of its files is given");
    if (stage_ != Stage::Booted)
        throw RequestError("the session starts hostmon itself; to start it by hand, type 'spread' first");
    if (!hostmon_prefix_.empty()) throw RequestError("hostmon is running already; its files begin with " + hostmon_prefix_);
    refuse_existing(*prefix);
    live().start_hostmon();
    by_hand_ = true;
    hostmon_prefix_ = *prefix;
    note_command();
    return {};
}

// When the run has ended: its statistics, as it prints them, and its files.
std::string ShellMachine::end_of_hostmon() {
    if (hostmon_prefix_.empty() || !analysis_) return {};
    const std::string prefix = std::exchange(hostmon_prefix_, {});
    const session::Observed& observed = result_.observed;
    tmon_streams::write_config(prefix + ".config", tmon_streams::config_of(*observed.trace));
    tmon_streams::write_all(prefix + ".all", *observed.trace);
    if (!std::filesystem::exists(prefix + ".spf")) tmon_streams::write_spf(prefix + ".spf", scenario_.farm);
    std::string text;
    for (const tmon_streams::NodeStatistics& node : observed.statistics) {
        if (!scenario_.farm.has(NodeId(node.node))) continue;
        text += fmt::format("n{:<5} {:>9} events, last at {} us\n", node.node, node.events, node.last_time_us);
    }
    return text + fmt::format("hostmon has ended: {}.all, {}.config\n", prefix, prefix);
}

ShellAnswer ShellMachine::monctrl(const std::string&) {
    if (live().monitors().empty()) throw RequestError("the scenario is not monitored; add a 'monitor:' to it");
    MonctrlOrder order = monctrl_order(words_of(line_now_), site());
    if (order.what == MonctrlOrder::What::Quit) {
        if (!by_hand_ || stage_ != Stage::Booted)
            throw RequestError("the scenario quits the monitor itself when the farm has ended; let it go on with 'run'");
        live().end_soon();
        note_command();
        return go({});
    }
    if (breakpoints_ && order.what != MonctrlOrder::What::Begin) breakpoints_->classes_switched();
    // The session's own begin is still to come; after a stop by hand another one is sent.
    if (order.what == MonctrlOrder::What::Stop) stopped_by_hand_ = true;
    if (order.what == MonctrlOrder::What::Begin && !by_hand_ && !stopped_by_hand_ && stage_ != Stage::Ended) {
        return go({.there = [this] { return all_monitors_on(live()); },
                   .answer = [] { return ShellAnswer{.text = "monitoring has begun on every node of the farm"}; }});
    }
    return start(
        monctrl_command(std::move(order), scenario_, [this](NodeId node, bool on) { live().monitor_was_switched(node, on); }));
}

ShellAnswer ShellMachine::why(const std::string& arguments) {
    const bool is_task = !arguments.empty() && arguments.find_first_not_of("0123456789") == std::string::npos;
    if (is_task) return why_of_task(arguments);
    CommandWords given(words_of(line_now_), site(), "", "", "why n3 p361913");
    const auto nodes = given.take_nodes(false);
    const auto processes = given.take_processes();
    given.end();
    if (nodes.size() != 1 || processes.pids.size() + processes.indexes.size() != 1) given.fail("one process of one node");
    const auto& table = live().machine().kernel(nodes[0]).processes();
    const bool by_index = !processes.indexes.empty();
    if (by_index && (processes.indexes[0] < 1 || processes.indexes[0] > table.size()))
        throw RequestError(
            fmt::format("there is no process %{} there; 'state -g ... at now' lists them", processes.indexes[0]));
    const vocabulary::ProcessId pid =
        by_index ? table[processes.indexes[0] - 1]->pid() : vocabulary::ProcessId(processes.pids[0]);
    return {.text = fmt::format("from the simulator's memory at {}:\n", time_word(now())) +
                    why_text(live(), nodes[0], pid, [this](NodeId node, vocabulary::ProcessId process) {
                        return computation_text(node_programs::computation_of(report_, node, process));
                    })};
}

ShellAnswer ShellMachine::kill(const std::string& arguments) {
    if (arguments != "%") throw RequestError("expected 'kill %'; 'doom' ends processes of the machine");
    return {};
}

ShellAnswer ShellMachine::tvmfilter(const std::string&) {
    CommandWords given(words_of(line_now_), site(), "f", "p", "tvmfilter -p data");
    given.end();
    const std::string prefix = given.value('p').value_or("data");
    const auto events = tmon_streams::tvmfilter(prefix, given.has('f') ? text::Replace::Yes : text::Replace::No);
    return {.text = tmon_streams::filtered_text(events, prefix)};
}

ShellAnswer ShellMachine::detrek(const std::string&) {
    CommandWords given(words_of(line_now_), site(), "vcof", "p", "detrek -cp data");
    given.end();
    const tmon_detrek::DetrekResult found = tmon_detrek::run_detrek({.prefix = given.value('p').value_or("data"),
                                                                     .verbose = given.has('v'),
                                                                     .write_bug = given.has('o'),
                                                                     .force = given.has('f')});
    return {.text = found.text, .data = found.json};
}

}  // namespace cli
