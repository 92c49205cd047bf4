// LiveRun: a run of machine code in pieces, for a debugger. Breakpoints stop the whole machine at the instruction. Other cores
// may be ahead by what they ran alone, as CoreDriver has it (ahead()). They never pass anything that another node could see.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boot_runs/boot_run.hpp>
#include <t800_core/core.hpp>

namespace boot_runs {

class LiveRun {
public:
    enum class Stop : std::uint8_t { Over, Until, Breakpoint, Interrupted };  // Over: exit, standstill or the plan's limit

    // The plan outlives it. Throws as run().
    explicit LiveRun(const Plan& plan);
    ~LiveRun();
    LiveRun(const LiveRun&) = delete;
    LiveRun& operator=(const LiveRun&) = delete;

    // Nodes that come to breakpoints at the same moment are told one after the other.
    Stop go(SimTime until);
    // To the next instruction of the node, however long it waits before it.
    Stop step(NodeId node);
    SimTime now() const;
    std::size_t node_count() const;
    // nullptr: the node has a kernel. Changes of registers and memory are for a node at a breakpoint, or at rest.
    t800_core::Core* core(NodeId node) const;
    std::string state_of(NodeId node) const;
    SimTime ahead(NodeId node) const;     // of now(); for nodes with a core
    std::optional<NodeId> broke() const;  // whose breakpoint or step ended the last piece
    // For nodes with a core.
    void set_breakpoint(NodeId node, std::uint32_t address);
    void clear_breakpoint(NodeId node, std::uint32_t address);
    std::vector<Wait> waits() const;  // who waits where now
    Result result();                  // once, at the end

private:
    class Machinery;
    std::unique_ptr<Machinery> machinery_;
};

}  // namespace boot_runs
