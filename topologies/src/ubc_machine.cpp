#include <topologies/ubc_machine.hpp>

#include <fmt/format.h>

#include <utility>

#include <topologies/machine_writer.hpp>

namespace topologies {
namespace {

constexpr std::size_t corners = 5;          // corners of the complete graph whose edges are the crossbars
constexpr std::size_t row = 5;              // crossbars in one of the two rows that wires join, and on one control connection
constexpr std::int64_t clock = 20'000'000;  // T800-20: R, the usual part of 1993; the thesis does not say

// Assumed: the thesis gives 1 to 16 MiB a node, without the distribution. A few nodes have more than most, a few less, so that
// a demand for memory makes a difference.
struct Share {
    std::size_t nodes;
    std::uint64_t ram_bytes;
};
constexpr Share memory[] = {{5, 16ULL << 20}, {10, 8ULL << 20}, {50, 4ULL << 20}, {5, 2ULL << 20}, {5, 1ULL << 20}};

// Edges of the complete graph in lexical order: 01, 02, 03, 04, 12, 13, 14, 23, 24, 34.
std::size_t edge_number(std::size_t a, std::size_t b) {
    if (b < a) std::swap(a, b);
    return a * (2 * corners - a - 1) / 2 + (b - a - 1);
}

// The 4-cycles: leave one corner out; of the other four p < q < r < s three cycles go round.
std::array<std::array<std::size_t, links_per_node>, ubc_blocks> four_cycles() {
    std::array<std::array<std::size_t, links_per_node>, ubc_blocks> blocks{};
    std::size_t count = 0;
    for (std::size_t out = 0; out < corners; ++out) {
        std::array<std::size_t, 4> c{};
        for (std::size_t corner = 0, i = 0; corner < corners; ++corner) {
            if (corner != out) c[i++] = corner;
        }
        const std::array<std::array<std::size_t, 4>, 3> cycles = {
            {{c[0], c[1], c[2], c[3]}, {c[0], c[1], c[3], c[2]}, {c[0], c[2], c[1], c[3]}}};
        for (const auto& cycle : cycles) {
            for (std::size_t i = 0; i < 4; ++i) blocks[count][i] = edge_number(cycle[i], cycle[(i + 1) % 4]);
            ++count;
        }
    }
    return blocks;
}

SwitchWay way(std::size_t crossbar, std::size_t number) {
    return {SwitchId(static_cast<SwitchId::value_type>(crossbar)), WayNo(static_cast<WayNo::value_type>(number))};
}

void add_nodes(MachineDescription& machine) {
    for (const Share& share : memory) machine.nodes.insert(machine.nodes.end(), share.nodes, {share.ram_bytes, clock});
}

void wire_nodes(MachineDescription& machine) {
    std::array<std::size_t, ubc_crossbars> next_way{};
    for (std::size_t n = 0; n < machine.nodes.size(); ++n) {
        const auto& block = ubc_design()[n % ubc_blocks];
        for (std::size_t l = 0; l < links_per_node; ++l) {
            const std::size_t crossbar = block[(l + n / ubc_blocks) % links_per_node];
            const NodeLink link{NodeId(static_cast<NodeId::value_type>(n)), LinkNo(static_cast<LinkNo::value_type>(l))};
            machine.wires.push_back({link, way(crossbar, next_way[crossbar]++)});
        }
    }
}

void wire_rows_and_host(MachineDescription& machine) {
    LinkNo::value_type connection = 0;
    for (std::size_t first = 0; first < ubc_crossbars; first += row) {
        const std::size_t last = first + row - 1;
        for (std::size_t x = first; x < last; ++x) machine.wires.push_back({way(x, 30), way(x + 1, 31)});
        machine.wires.push_back({HostEnd{LinkNo(connection++)}, way(first, 31)});
        machine.wires.push_back({HostEnd{LinkNo(connection++)}, way(last, 30)});
    }
}

}  // namespace

const std::array<std::array<std::size_t, links_per_node>, ubc_blocks>& ubc_design() {
    static const auto blocks = four_cycles();
    return blocks;
}

MachineDescription ubc_machine() {
    MachineDescription machine;
    machine.name = fmt::format("ubc_{}", ubc_nodes);
    add_nodes(machine);
    for (std::size_t x = 0; x < ubc_crossbars; ++x) {
        machine.switches.push_back({fmt::format("x{}", x), {}});
        if (x % row == 0) machine.control.emplace_back();
        machine.control.back().push_back(SwitchId(static_cast<SwitchId::value_type>(x)));
    }
    wire_nodes(machine);
    wire_rows_and_host(machine);
    machine.unreachable_allowed = true;  // until its crossbars are set
    return canonical_machine(std::move(machine));
}

}  // namespace topologies
