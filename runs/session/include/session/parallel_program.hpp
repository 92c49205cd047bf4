// ParallelProgram: what a session loads onto the nodes of a tree and runs to its final report: a farm (TrEK), or a halo. An
// MPI program has no tree, and is a HostedJob. The
// session asks for nothing else of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mpi_runs/mpi_end.hpp>
#include <trek_kernel/farm.hpp>
#include <trollius_os/programs.hpp>
#include <user_programs/diagnosis.hpp>
#include <user_programs/loaded_program.hpp>
#include <user_programs/program_process.hpp>
#include <vocabulary/ids.hpp>

namespace session {

// A rank of an MPI program at the moment.
struct RankLine {
    std::size_t rank = 0;
    vocabulary::NodeId node;
    std::optional<vocabulary::ProcessId> pid;  // empty: not loaded yet
    std::string state;                         // "computes", "in MPI_Recv() for a message of rank 1, tag 0", "ended with 0"
};

// A program that loads and starts itself, by processes of the host, which see its end, too.
class HostedJob {
public:
    virtual void start() = 0;                      // by a process of the host. Throws vocabulary::RequestError
    virtual bool started() = 0;                    // all of it runs
    virtual bool over() const = 0;                 // it has ended, or its failure() is known
    virtual std::string failure() const = 0;       // why a part could not be loaded; empty: all are
    virtual std::string loads() const = 0;         // the part that is being loaded: "rank 3 on n3"
    virtual std::uint64_t steps() const = 0;       // sends, receives, starts and ends so far
    virtual bool all_wait() const = 0;             // each process waits for another, or its node has stopped; none for a time
    virtual void note_end(mpi_runs::End how) = 0;  // of the session: how it ended if the program did not
    virtual const mpi_runs::Result& ended() const = 0;
    virtual void let_go() = 0;  // before the machine goes: ends its processes on the host
    virtual const user_programs::Diagnoses& diagnoses() const = 0;

protected:
    ~HostedJob() = default;
};

class ParallelProgram {
public:
    virtual ~ParallelProgram() = default;

    // For loadgo: its programs by name, and the name of the one for a node.
    virtual trollius_os::ProgramRegistry programs() = 0;
    virtual const char* program_of(vocabulary::NodeId node) const = 0;

    virtual const trek_kernel::FarmResult& result() const = 0;
    virtual std::string failure() const { return {}; }  // reason why it cannot run on this machine; empty if it can
    virtual std::size_t started_nodes() const = 0;
    // The nodes on the machine's links. Index: NodeId.
    virtual const std::vector<trek_kernel::TreePlace>& places() const = 0;
    // Other links for its tree. Before any of its programs has started.
    virtual void place(std::vector<trek_kernel::TreePlace> places) = 0;

    // Null: the session loads its programs, and the printed report shows its end.
    virtual HostedJob* job() { return nullptr; }

    // For observers of the simulation. Only a farm has tasks.
    virtual std::vector<trek_kernel::Standing> standing() const { return {}; }
    virtual trek_kernel::ResultQueue result_queue(vocabulary::NodeId) const { return {}; }
    virtual trek_kernel::TaskAccount account() const { return {}; }
    virtual std::vector<RankLine> ranks() const { return {}; }  // of an MPI program

    // For a debugger of an MPI program: the copies of its module, each for one rank, and the processes of the ranks. Null: the
    // rank does not run. In the order of the ranks.
    virtual std::vector<user_programs::LoadedProgram*> modules() const { return {}; }
    virtual std::vector<const user_programs::ProgramProcess*> processes() const { return {}; }
};

}  // namespace session
