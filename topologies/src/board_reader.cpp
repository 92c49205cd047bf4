#include "board_reader.hpp"

#include <fmt/format.h>

#include <topologies/end_names.hpp>

namespace topologies {
namespace {

void read_board(const YamlValue& value, const KnownEnds& known, BoardDescription& board, BoardPlaces& places) {
    value.only_keys({"slots", "switches"});
    if (const auto slots = value.find("slots")) {
        for (const YamlValue& item : slots->items()) {
            const bool empty = item.is_null() || item.text() == "none";
            board.slots.push_back(empty ? std::nullopt : std::optional(parse_node(item.text(), known, item.where(0))));
            places.slots.push_back(item.where());
        }
    }
    if (const auto switches = value.find("switches")) {
        for (const YamlValue& item : switches->items()) {
            board.switches.push_back(parse_switch(item.text(), known, item.where(0)));
            places.switches.push_back(item.where(0));
        }
    }
}

}  // namespace

void read_boards(const YamlValue& value, const KnownEnds& known, MachineDescription& machine, MachinePlaces& places) {
    for (const auto& [name, settings] : value.entries()) {
        machine.boards.push_back({name, {}, {}});
        places.boards.push_back({value.where_key(name), {}, {}});
        read_board(settings, known, machine.boards.back(), places.boards.back());
    }
}

}  // namespace topologies
