// FindingReader: hears what the MPI library in each rank tells, and makes findings of it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <lam_mpi/job.hpp>
#include <mpi_runs/findings.hpp>
#include <node_programs/programs.hpp>
#include <vocabulary/ids.hpp>

namespace mpi_runs {

class FindingReader {
public:
    // `tell` gets each finding as it is made; may be empty. `places`: node of each rank; they outlive it.
    FindingReader(std::function<void(const Finding&)> tell, const std::vector<vocabulary::NodeId>& places)
        : tell_(std::move(tell)), places_(places) {}
    // The processes of the ranks, as the job comes to know them; the list outlives it.
    void know(const std::vector<lam_mpi::RankEnd>& ranks) { ranks_ = &ranks; }

    // node_programs::Report::note
    void note(const node_programs::Report::Running& by, int what, std::span<const std::byte> record);
    void add(Finding finding);
    // Adds the ranks that ended with status 0 between MPI_Init() and MPI_Finalize().
    void look_for_missing_ends();
    const std::vector<Finding>& all() const { return all_; }

private:
    struct Life {
        std::string function;  // MPI_Init(), and the call of it
        const void* call = nullptr;
        const user_programs::LoadedProgram* program = nullptr;
        bool ended = false;  // MPI_Finalize() is over
    };
    std::optional<std::size_t> rank_of(vocabulary::NodeId node, vocabulary::ProcessId pid) const;
    void take(const node_programs::Report::Running& by, std::span<const std::byte> record);

    std::function<void(const Finding&)> tell_;
    const std::vector<vocabulary::NodeId>& places_;
    const std::vector<lam_mpi::RankEnd>* ranks_ = nullptr;
    std::vector<Finding> all_;
    std::map<std::pair<vocabulary::NodeId, vocabulary::ProcessId>, Life> lives_;
};

}  // namespace mpi_runs
