// Stops: where a program stopped, by all histories that agree with its records (thesis, Lin 1993, section 4.3: the frontier of
// the event graph). A history says how far each node came. It agrees when each node's records and counted losses allow that,
// and when nothing was received that was not sent. A node stopped on its own when it had nothing left to wait for. Neighbours
// in a tree bind only one another, so the search goes from the leaves to the root, and misses no history. Cost: one pass over
// the records, then the states that nodes with missing records may be in.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tmon_models/program.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_models {

// How a node stopped on its own.
enum class StopHow : std::uint8_t {
    InProcess,    // it did nothing after the step before: the process that should send next
    NotSent,      // it sent to some neighbours, and not to all
    NotReceived,  // everything that it waits for was sent
};

struct ProgramStop {
    std::uint32_t unit = 0;
    std::uint16_t node = 0;
    StopHow how = StopHow::InProcess;
    std::string process;  // the process, or the label of the message

    friend auto operator<=>(const ProgramStop&, const ProgramStop&) = default;
};

// The stops of the lowest unit that has one, in some histories. Empty: every node has done everything.
using ProgramAnswer = std::vector<ProgramStop>;

struct ProgramExample {
    ProgramAnswer answer;
    std::vector<NodeState> states;  // how far each node came, by number
};

// A record that no history of the program can have.
struct Misfit {
    trace_record::Event event;
    std::string text;  // "a message that the model does not have"
};

struct ProgramReading {
    std::optional<Misfit> misfit;        // the first record that no history has, of the lowest node; nothing else is valid then
    std::vector<ProgramAnswer> answers;  // each that some history gives, ascending
    // A history for each answer. When the search gave up, some answers that histories give, or none.
    std::vector<ProgramExample> examples;
    // There are too many states or answers. The answers are then those that a person would look at. They are sure stops of
    // nodes that live, and silent nodes below none, in the process that the parent waits for.
    bool gave_up = false;
    // The least set of records that would decide, at most three: histories that agree about whether these were made have one
    // answer. Without numbers and times. Empty: there is none, or the search ended before.
    std::vector<trace_record::Event> deciding;
    std::uint64_t histories = 0;        // that agree; counts to 2^63 at most
    std::vector<ProgramStop> recorded;  // sure stops where the records end, lost ones left out
    std::uint32_t complete_below = 0;   // each node has completed every unit below, in all histories
    bool lossy_nodes_differ = false;    // a node with an end mark may be in more than one state
};

// The work that a search may do, counted, so that the answer is the same on each machine.
struct SearchBudget {
    std::size_t states = 20'000;     // of all nodes, beside one for each
    std::size_t pairs = 2'000'000;   // of states and partial answers that are compared
    std::size_t answers = 256;       // kept for one state
    std::size_t deciding = 200'000;  // pairs and states, for the records that would decide
};

// tasks: a task_view() with one stream a node of the program.
ProgramReading read_stops(const Program& program, const tmon_streams::Trace& tasks, const SearchBudget& budget = {});

}  // namespace tmon_models
