// A fault plan: what breaks in a machine, and when (docs/formats/fault_file.md). Text of a `*.faults` file -> FaultPlan. The
// reader is strict: an unknown verb or key, a part that the machine lacks, or a contradictory moment throws
// vocabulary::InputError. The error gives file, line and column, the nearest known name and the remedy. hw_model::FaultInjector
// carries the plan out. One table of verbs drives the parser, `magicwire faults` and the documentation. Cost of reading: linear
// in the file and in the machine's wires.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topologies/machine_description.hpp>
#include <vocabulary/sim_time.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {

enum class FaultVerb : std::uint8_t { Die, Halt, Slow, Cut, Stick, Flip, LoseAcknowledge, SwitchStuck, Miswire, Memory };
enum class FaultTarget : std::uint8_t { Node, Link, Way };
// Unit of the number after `rate:`.
enum class FaultRate : std::uint8_t { None, PerSecond, PerByte };

struct FaultVerbInfo {
    FaultVerb verb;
    std::string_view name;
    FaultTarget target;
    FaultRate rate;
    bool ends;                    // takes `until` or `for`
    std::string_view own_key;     // extra key beside the moment; empty: none
    std::string_view own_values;  // allowed values of that key
    std::string_view description;
    std::string_view example;  // one entry of a plan for the machine btree_8_c004
};
std::span<const FaultVerbInfo> fault_verbs();  // index: FaultVerb
const FaultVerbInfo& info_of(FaultVerb verb);
std::string target_text(FaultTarget target);                  // "a node, as n5"
std::vector<std::string> keys_of(const FaultVerbInfo& verb);  // all keys that an entry with this verb may have, the verb first

enum class FaultDirection : std::uint8_t { Both, Forward, Backward };  // forward: from the end that is written first
enum class FaultStep : std::uint8_t { Start, Finish, Send, Receive };

// A farm step that triggers a fault the first time it happens.
struct FaultEvent {
    std::uint32_t task = 0;
    std::optional<std::uint32_t> subtask;  // empty: the task or any of its sub-tasks
    std::optional<NodeId> node;            // empty: anywhere
    FaultStep step = FaultStep::Start;
    friend bool operator==(const FaultEvent&, const FaultEvent&) = default;
};

struct Fault {
    FaultVerb verb = FaultVerb::Die;
    std::string target;  // as written: "n5", "n0.1 - n1.0", "x0.5"
    NodeId node;         // for a node's fault
    // For a link's fault and for SwitchStuck: the wire, an index into MachineDescription::wires. `along`: the end written first
    // is the wire's end a. A link through switches is struck at the cable of the end written first.
    std::size_t wire = 0;
    bool along = true;
    FaultDirection direction = FaultDirection::Both;
    SwitchWay way;                // SwitchStuck, Miswire: the way whose output is wrong
    WayNo to{0};                  // Miswire: the input that the output gets instead
    double factor = 1;            // Slow
    std::uint64_t ram_bytes = 0;  // Memory
    // The moment. Die ... Miswire have exactly one of the three; Flip and LoseAcknowledge may have a rate from a moment on;
    // Memory has none.
    std::optional<vocabulary::SimTime> at;
    std::optional<FaultEvent> on;
    std::optional<double> rate;                   // per unit as FaultRate says
    std::optional<vocabulary::SimTime> until;     // modelled time
    std::optional<vocabulary::SimTime> duration;  // counted from the strike
    vocabulary::SourcePosition where;
};

struct FaultPlan {
    std::uint64_t seed = 1;  // seeds every random choice in the plan
    std::vector<Fault> faults;
    // Wires that need a LinkTap, each once, in rising order.
    std::vector<std::size_t> wires() const;
};

inline constexpr double most_faults_per_second = 1e6, most_slowness = 1e6;

FaultPlan parse_fault_plan(const std::string& text, const std::string& file_name, const MachineDescription& machine);
FaultPlan read_fault_plan(const std::string& path, const MachineDescription& machine);

std::string fault_text(const Fault& fault);   // "cut n0.1 - n1.0 forward"
std::string moment_text(const Fault& fault);  // "at 12ms", "when task 49 starts on n5", "at 0.001 per byte"

}  // namespace topologies
