#include "draw_boards.hpp"

#include <fmt/format.h>

#include <topologies/end_names.hpp>

namespace topologies {

std::string boards_dot(const MachineDescription& machine,
                       const std::function<std::vector<std::string>(std::size_t which)>& boxes_of) {
    std::string text;
    for (const BoardDescription& board : machine.boards) {
        text += fmt::format(
            "  subgraph \"cluster_{0}\" {{\n    graph [label=\"{0}\", labelloc=t, style=\"rounded,filled\", color=\"#BBBBBB\", "
            "fillcolor=\"#F7F7F7\", margin=12];\n",
            board.name);
        for (std::size_t slot = 0; slot < board.slots.size(); ++slot) {
            if (board.slots[slot])
                text += fmt::format("    \"{}\" [xlabel=\"slot {}\"];\n", node_name(*board.slots[slot]), slot);
        }
        for (const SwitchId which : board.switches) {
            for (const std::string& box : boxes_of(which.value())) text += fmt::format("    \"{}\";\n", box);
        }
        text += "  }\n";
    }
    return text;
}

}  // namespace topologies
