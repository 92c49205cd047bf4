// HaloNode: the program of one node. It and its arguments outlive the process that runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <halo_kernel/halo.hpp>
#include <trollius_os/calls.hpp>

namespace halo_kernel {

using coroutines::Task;
using trollius_os::Calls;
using vocabulary::NodeId;

class HaloNode {
public:
    HaloNode(const HaloSetup& setup, NodeId node);

    // To the end: the sum of the checksums at and below this node. Empty: a bug has ended the program.
    Task<std::optional<std::uint64_t>> run(Calls& calls);
    const std::vector<double>& cells() const { return cells_; }

private:
    // False: a bug has ended the program.
    Task<bool> call(Calls& calls, Process process, std::uint32_t step);
    Task<bool> exchange(Calls& calls, std::uint32_t number);
    // A bug that hangs never comes back.
    Task<bool> survives(Calls& calls, Process process, std::uint32_t step);
    Task<> send(Calls& calls, std::uint32_t number, NodeId to);
    Task<> receive(Calls& calls, std::uint32_t number, NodeId from, std::vector<double>& into);
    Task<std::uint64_t> end(Calls& calls);
    Task<> tell_moved(Calls& calls, std::uint32_t number, NodeId peer, bool sent);
    Task<> tell_step(Calls& calls, Process process, std::uint32_t step, trek_kernel::Moment moment);
    const HaloBug* bug_at(Process process, std::uint32_t step, std::optional<NodeId> to) const;
    void tell_struck(Calls& calls, const HaloBug& bug) const;
    void initialise();
    void diffuse();
    std::uint32_t message_bytes() const { return static_cast<std::uint32_t>(cells_.size() * sizeof(double)); }

    const HaloSetup& setup_;
    NodeId node_;
    std::optional<NodeId> parent_;
    std::vector<NodeId> children_, neighbours_;  // ascending
    std::vector<double> cells_;
    std::vector<std::vector<double>> theirs_;  // as neighbours_
};

}  // namespace halo_kernel
