#include <halo_kernel/halo.hpp>

#include <bit>
#include <cstdio>

#include <trollius_os/services.hpp>
#include <vocabulary/split_mix.hpp>

#include "halo_node.hpp"

namespace halo_kernel {

using trollius_os::Api;
using trollius_os::Priority;

double initial_value(std::uint64_t seed, NodeId node, std::uint32_t cell) {
    const std::uint64_t random = vocabulary::split_mix(vocabulary::split_mix(seed, node.value()), cell);
    return static_cast<double>(random >> 11U) * 0x1p-53;  // the upper 53 bits
}

std::uint64_t checksum(NodeId node, std::span<const double> cells) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < cells.size(); ++i)
        sum += vocabulary::split_mix(std::bit_cast<std::uint64_t>(cells[i]), (std::uint64_t{node.value()} << 32U) + i);
    return sum;
}

Halo::Halo(HaloSetup setup) : setup_(std::move(setup)), nodes_(setup_.config.nodes) {}
Halo::~Halo() = default;

// The node's own cells, and those of four neighbours.
std::uint64_t Halo::stack_bytes() const {
    return setup_.process_stack + std::uint64_t{5} * setup_.settings.cells * sizeof(double);
}

trollius_os::Program Halo::first() {
    return {setup_.program_bytes, stack_bytes(), [this](Api& api, const trollius_os::Arguments&) { run_first(api); }};
}

trollius_os::Program Halo::others() {
    return {setup_.program_bytes, stack_bytes(),
            [this](Calls& calls, const trollius_os::Arguments&) { return run_other(calls); }};
}

// nullptr: a damaged request has started the program where it does not belong, or a second time (as Farm::belongs_here()).
HaloNode* Halo::begin(Calls& calls, bool is_first) {
    const std::size_t number = calls.node().value();
    if (!setup_.config.has(calls.node()) || nodes_[number] || (number == 0) != is_first) {
        calls.kernel().drop("halo", "a program that does not belong on this node, or a second one");
        return nullptr;
    }
    ++started_;
    nodes_[number] = std::make_unique<HaloNode>(setup_, calls.node());
    return nodes_[number].get();
}

Task<> Halo::run_other(Calls& calls) {
    HaloNode* node = begin(calls, false);
    if (node == nullptr) co_return;
    const auto sum = co_await node->run(calls);
    if (!sum) co_return;
    while (true) co_await calls.wait();  // `state` shows it alive
}

void Halo::run_first(Api& api) {
    HaloNode* node = begin(api.calls(), true);
    if (node == nullptr) return;
    const std::uint64_t began = api.port().clock_us(Priority::Low);
    const auto sum = node->run(api.calls()).get();
    if (!sum) return;
    result_.returned = api.port().now();
    result_.execution_us = api.port().clock_us(Priority::Low) - began;
    result_.report = final_report(*sum);
    trollius_os::print(api, setup_.host, result_.report);
    result_.finished = true;
    while (true) api.wait();
}

std::span<const double> Halo::cells(NodeId node) const {
    if (node.value() >= nodes_.size() || !nodes_[node.value()]) return {};
    return nodes_[node.value()]->cells();
}

std::string Halo::final_report(std::uint64_t checksum) const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(checksum));
    return "Execution time = " + std::to_string(result_.execution_us) +
           " microseconds\n***** Final Report*****\nProgram : halo exchange\nTotal Nodes = " +
           std::to_string(setup_.config.members().size()) + "\nSteps = " + std::to_string(setup_.settings.steps) +
           "\nCells = " + std::to_string(setup_.settings.cells) + "\nChecksum = " + digits + "\n";
}

}  // namespace halo_kernel
