// RankWatch: what the ranks of an MPI program do, told as steps of a farm: a rank is a task that its node computes. A message
// is a task in the numbers of the ranks: task TO, sub-task FROM. So the run hash, the spans of a bill and the counts of a run
// come by the same ways. It takes no modelled time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <scenario/scenario.hpp>
#include <trek_kernel/witness.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <trollius_os/witness.hpp>

namespace session {

class RankWatch {
public:
    // Adds itself to the kernels of the nodes with ranks, so it outlives the machine. So do the witnesses.
    RankWatch(trollius_hosted::Multicomputer& box, const scenario::MpiSettings& mpi,
              std::vector<trek_kernel::Witness*> witnesses);
    ~RankWatch();
    RankWatch(const RankWatch&) = delete;
    RankWatch& operator=(const RankWatch&) = delete;

    std::uint64_t steps() const { return steps_; }                         // sends, receives, starts and ends so far
    vocabulary::SimTime first() const { return std::min(first_, last_); }  // a rank has begun; of the last step if none has
    vocabulary::SimTime last() const { return last_; }
    std::size_t started_nodes() const;
    // The rank of a process that has begun, also before the host knows its number.
    std::optional<std::uint32_t> rank_of(vocabulary::NodeId node, std::uint32_t pid) const;

private:
    class OfNode;

    const std::vector<vocabulary::NodeId> places_;
    const std::string program_;
    const std::vector<trek_kernel::Witness*> witnesses_;
    std::vector<std::unique_ptr<OfNode>> nodes_;
    std::unordered_map<std::uint64_t, std::uint32_t> ranks_;  // by node and process
    std::uint64_t steps_ = 0;
    vocabulary::SimTime first_ = vocabulary::SimTime::never(), last_;
};

}  // namespace session
