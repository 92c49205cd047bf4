// BootShell: the machine's side of `magicwire boot --shell`: breakpoints, single steps, looks, snapshots. A snapshot is a
// process that waits (shell/held_process.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <boot_runs/boot_run.hpp>
#include <boot_runs/live_run.hpp>
#include <t800_assembly/assembler.hpp>

#include "boot/core_looks.hpp"
#include "shell/shell_wire.hpp"

namespace cli {

class BootShell {
public:
    // All outlive it.
    BootShell(const boot_runs::Plan& plan, const std::optional<t800_assembly::Program>& program, ShellWire& wire);
    [[noreturn]] void serve();
    static std::vector<std::string> commands_with_arguments();

private:
    using SimTime = vocabulary::SimTime;
    using NodeId = vocabulary::NodeId;
    using Words = std::vector<std::string>;
    struct Entry {
        const char *name, *arguments, *help;
        ShellAnswer (BootShell::*obey)(Words& words);
    };
    struct Breakpoint {
        std::size_t number = 0;
        NodeId node{0};
        std::uint32_t address = 0;
        std::string word;  // as it was given
    };
    struct Snapshot {
        std::string name;
        SimTime at;
    };

    static const std::vector<Entry>& commands();
    ShellAnswer obey(const std::string& line);
    // Takes the first word when it names a node; else the node that stopped last.
    NodeId node_of(Words& words) const;
    t800_core::Core& core_of(NodeId node);
    std::size_t count_of(Words& words, std::size_t otherwise, std::size_t most) const;  // takes the last word
    static std::string taken(Words& words);                                             // the first
    void at_end_of(const Words& words, const char* usage) const;
    ShellAnswer stopped(boot_runs::LiveRun::Stop stop);
    void not_over() const;
    void needs_memory(NodeId node, std::uint32_t address) const;
    std::string where(NodeId node);
    std::string data_of(NodeId node, const char* stopped_at) const;
    static std::string text_of(const Breakpoint& one);

    ShellAnswer help(Words& words);
    ShellAnswer run(Words& words);
    ShellAnswer step(Words& words);
    ShellAnswer break_at(Words& words);
    ShellAnswer delete_breakpoint(Words& words);
    ShellAnswer registers(Words& words);
    ShellAnswer memory(Words& words);
    ShellAnswer code(Words& words);
    ShellAnswer set(Words& words);
    ShellAnswer processes(Words& words);
    ShellAnswer waits(Words& words);
    ShellAnswer nodes(Words& words);
    ShellAnswer snapshot(Words& words);
    ShellAnswer snapshots(Words& words);
    ShellAnswer back(Words& words);
    ShellAnswer quit(Words& words);

    const boot_runs::Plan& plan_;
    CoreLabels labels_;
    ShellWire& wire_;
    boot_runs::LiveRun live_;
    NodeId node_{0};  // that commands mean
    std::vector<Breakpoint> breakpoints_;
    std::size_t last_number_ = 0;
    std::vector<Snapshot> snapshots_;  // ancestors of this process, the oldest first
    std::string end_;                  // why the run is over; empty: it is not
};

}  // namespace cli
