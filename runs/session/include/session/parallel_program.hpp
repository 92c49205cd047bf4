// ParallelProgram: what a session loads onto the nodes of a tree and runs to its final report: a farm (TrEK), or a halo. The
// session asks for nothing else of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <trek_kernel/farm.hpp>
#include <trollius_os/programs.hpp>
#include <vocabulary/ids.hpp>

namespace session {

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

    // For observers of the simulation. Only a farm has tasks.
    virtual std::vector<trek_kernel::Standing> standing() const { return {}; }
    virtual trek_kernel::ResultQueue result_queue(vocabulary::NodeId) const { return {}; }
    virtual trek_kernel::TaskAccount account() const { return {}; }
};

}  // namespace session
