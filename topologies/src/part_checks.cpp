#include "part_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include <topologies/end_names.hpp>
#include <topologies/link_speeds.hpp>

#include "quantity.hpp"

namespace topologies {
namespace {

using vocabulary::InputError;
using vocabulary::SourcePosition;

const SourcePosition& place_in(const std::vector<SourcePosition>& places, std::size_t entry, const SourcePosition& otherwise) {
    return entry < places.size() ? places[entry] : otherwise;
}

// Parts of the boards looked at so far, by name.
class Taken {
public:
    explicit Taken(const char* what) : what_(what) {}
    void take(const std::string& part, const std::string& board, const SourcePosition& where) {
        const auto [earlier, is_new] = board_of_.emplace(part, board);
        if (is_new) return;
        throw InputError(where, fmt::format("{} '{}' is on board '{}' already; name it once", what_, part, earlier->second));
    }

private:
    const char* what_;
    std::map<std::string, std::string> board_of_;
};

class BoardChecks {
public:
    BoardChecks(const MachineDescription& machine, const SourcePosition& file) : machine_(machine), file_(file) {}

    void look_at(const BoardDescription& board, const BoardPlaces* places) {
        const SourcePosition where = places != nullptr ? places->name : file_;
        if (!is_machine_name(board.name)) {
            throw InputError(where, fmt::format("'{}' cannot name a board; begin with a letter and use letters, digits, _, . "
                                                "and -",
                                                board.name));
        }
        if (!names_.insert(board.name).second)
            throw InputError(where, fmt::format("two boards are called '{}'; give each its own name", board.name));
        const bool holds_a_node = std::any_of(board.slots.begin(), board.slots.end(), [](const auto& slot) { return slot; });
        if (!holds_a_node && board.switches.empty())
            throw InputError(where, fmt::format("board '{}' holds nothing; name nodes in 'slots' or switches in 'switches', or "
                                                "remove it",
                                                board.name));
        for (std::size_t slot = 0; slot < board.slots.size(); ++slot) {
            if (!board.slots[slot]) continue;
            const SourcePosition at = places != nullptr ? place_in(places->slots, slot, where) : where;
            if (board.slots[slot]->value() >= machine_.nodes.size())
                throw InputError(at, "a board has a node that the machine does not have; remove it");
            nodes_.take(node_name(*board.slots[slot]), board.name, at);
        }
        for (std::size_t i = 0; i < board.switches.size(); ++i) {
            const SourcePosition at = places != nullptr ? place_in(places->switches, i, where) : where;
            if (board.switches[i].value() >= machine_.switches.size())
                throw InputError(at, "a board has a switch that the machine does not have; remove it");
            switches_.take(machine_.switches[board.switches[i].value()].name, board.name, at);
        }
    }

private:
    const MachineDescription& machine_;
    const SourcePosition& file_;
    std::set<std::string> names_;
    Taken nodes_{"node"}, switches_{"switch"};
};

}  // namespace

void check_speeds(const MachineDescription& machine, const SourcePosition& where) {
    check_link_speed(machine.link_bits_per_second, where);
    for (const NodeDescription& node : machine.nodes) {
        for (const std::int64_t speed : node.link_bits_per_second) {
            if (speed != 0) check_link_speed(speed, where);
        }
    }
    for (const SwitchDescription& one : machine.switches) {
        if (one.link_bits_per_second != 0) check_link_speed(one.link_bits_per_second, where);
    }
}

void check_wire_speeds(const MachineDescription& machine, const MachinePlaces& places) {
    for (std::size_t w = 0; w < machine.wires.size(); ++w) {
        const auto& [a, b] = machine.wires[w];
        if (std::holds_alternative<HostEnd>(a) || std::holds_alternative<HostEnd>(b)) continue;  // the adaptor takes any speed
        const std::int64_t speed_a = link_speed(machine, a), speed_b = link_speed(machine, b);
        if (speed_a == speed_b) continue;
        throw InputError(
            w < places.wires.size() ? places.wires[w].second : places.file,
            fmt::format("'{}' runs at {}, but '{}' at the other end of this wire at {}; give both ends the same "
                        "'link_speed'",
                        end_name(machine, b), bit_rate_text(speed_b), end_name(machine, a), bit_rate_text(speed_a)));
    }
}

void check_boards(const MachineDescription& machine, const MachinePlaces& places) {
    BoardChecks checks(machine, places.file);
    for (std::size_t i = 0; i < machine.boards.size(); ++i)
        checks.look_at(machine.boards[i], i < places.boards.size() ? &places.boards[i] : nullptr);
}

}  // namespace topologies
