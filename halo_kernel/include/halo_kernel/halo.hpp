// Halo: one run of the virtual machine "SPMD with halo exchange" over the nodes of a tree (docs/model/halo.md). Every node runs
// the same program: it exchanges its cells with its neighbours in the tree, then computes a step, and so on. The messages go
// over the network layer, which buffers them, so no send waits for the step of a neighbour.
//
// Witnesses and probe points get each message as a farm's TaskMoved. `task` is the number of the exchange. `result` is true
// from child to parent.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <farm_spec/farm_spec.hpp>
#include <halo_kernel/halo_settings.hpp>
#include <trek_kernel/farm.hpp>
#include <trek_kernel/probe_point.hpp>
#include <trek_kernel/witness.hpp>
#include <trollius_os/programs.hpp>

namespace halo_kernel {

class HaloNode;

struct HaloSetup {
    farm_spec::FarmSpec config;  // its tree; tasks = steps + 1
    HaloSettings settings;
    std::uint64_t seed = 1;           // of the first values
    std::uint32_t program_bytes = 0;  // size of the load module
    std::uint64_t process_stack = 0;  // modelled bytes
    std::vector<trek_kernel::Witness*> witnesses;
    std::vector<trek_kernel::ProbePoint*> probes = {};
    vocabulary::NodeId host;
};

// The value of a cell after initial_fn(): from 0 to below 1, the same on every host.
double initial_value(std::uint64_t seed, vocabulary::NodeId node, std::uint32_t cell);
// Part of a difference that a step moves over an edge of the tree. With at most four neighbours the sum is stable.
inline constexpr double diffusion = 0.125;
// Sum over all cells of a node. It does not depend on the order in which nodes are added up.
std::uint64_t checksum(vocabulary::NodeId node, std::span<const double> cells);

class Halo {
public:
    explicit Halo(HaloSetup setup);
    ~Halo();
    Halo(const Halo&) = delete;
    Halo& operator=(const Halo&) = delete;

    // The program of n0, which prints the final report when every node is done, and that of all others.
    trollius_os::Program first();
    trollius_os::Program others();
    // `finished`: n0 has printed its report. A halo has no distribution and no results taken.
    const trek_kernel::FarmResult& result() const { return result_; }
    std::size_t started_nodes() const { return started_; }
    // The cells of a node as they are now, for observers; none before it has started.
    std::span<const double> cells(vocabulary::NodeId node) const;

private:
    std::uint64_t stack_bytes() const;
    HaloNode* begin(trollius_os::Calls& calls, bool is_first);
    void run_first(trollius_os::Api& api);
    coroutines::Task<> run_other(trollius_os::Calls& calls);
    std::string final_report(std::uint64_t checksum) const;

    HaloSetup setup_;
    std::vector<std::unique_ptr<HaloNode>> nodes_;  // index: NodeId
    trek_kernel::FarmResult result_;
    std::size_t started_ = 0;
};

}  // namespace halo_kernel
