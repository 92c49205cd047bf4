// Programs: the programs in C or C++ that a user runs on the nodes of a machine. Each has a main() and calls Trollius by
// trollius.h. A loaded program is a trollius_os::Program, as loadd and kenyad know them. docs/formats/trollius_program.md is
// the page for users.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <node_programs/process_logs.hpp>
#include <trollius_os/programs.hpp>
#include <user_programs/diagnosis.hpp>
#include <user_programs/loaded_program.hpp>
#include <user_programs/process_image.hpp>
#include <user_programs/program_process.hpp>
#include <vocabulary/ids.hpp>

namespace node_programs {

// Errors that are found in the programs while they run.
struct Report {
    user_programs::Diagnoses diagnoses;  // of all programs
    // Called at each diagnosis, on the stack of the process; may be empty.
    std::function<void(const user_programs::Diagnosis&)> tell = {};
    // The processes and threads that run now. A light thread has the number of its process.
    struct Running {
        vocabulary::NodeId node;
        vocabulary::ProcessId pid;
        user_programs::ProgramProcess* process;
    };
    std::vector<Running> running = {};
    // Gets the records that a library in a program hands over by program_note(). It runs on the stack of the process and takes
    // no modelled time. May be empty.
    std::function<void(const Running& by, int what, std::span<const std::byte> record)> note = {};
    // Asked when a process begins: the image that it goes on from. Null, or empty: it begins with main().
    std::function<std::shared_ptr<const user_programs::ProcessImage>(vocabulary::NodeId node)> begins_from = {};
    ProcessLogs* logs = nullptr;  // for processes of a program's logging version; null: none is kept
};
// The present computation of a process or its light threads; of several the longest. Empty: none computes.
std::optional<user_programs::ProgramProcess::Computation> computation_of(const Report& report, vocabulary::NodeId node,
                                                                         vocabulary::ProcessId pid);

struct LoadOptions {
    user_programs::ProgramCosts costs = {};  // user_programs::program_costs()
    std::uint64_t stack_bytes = 16'384;      // modelled stack of a process
    // Processes that have the module to themselves, so that no globals are swapped: each has a copy of it in the host's memory.
    // The others share one.
    std::size_t copies = 1;
    std::string name = {};  // for diagnoses; empty: that of the file
};

// A word of the command that begins so is no argument, but a text of the environment: NAME=VALUE follows.
inline constexpr char environment_mark = '\1';
inline constexpr std::int32_t faulty_status = 255;  // exit status of a process that was ended by an error of the program
inline constexpr std::size_t most_processes = 48;   // of a node at a time, over all programs

class Programs {
public:
    // Both it and `report` must outlive the machine. Throws vocabulary::RequestError when three loaders of programs exist.
    explicit Programs(Report& report, user_programs::Heaps heaps = user_programs::Heaps::Fenced);
    // `most_ram`: bytes of the node that has most. Without it a program has 128 MiB of a node at most.
    Programs(Report& report, user_programs::Heaps heaps, std::uint64_t most_ram);
    ~Programs();
    Programs(const Programs&) = delete;
    Programs& operator=(const Programs&) = delete;

    // Loads a module that `magicwire cc` has built; its static constructors run now. The program has `bytes`: its code and
    // initial data. A process has `stack_bytes`: the modelled stack, and globals of its own. argv[0] is the name under which
    // the machine's registry has the program.
    //
    // A path that is loaded already gives the same program again, or the new one if the file has changed. Processes of the old
    // one go on; the lines in their diagnoses may be those of the new one. Throws vocabulary::RequestError when the module
    // cannot be loaded, has no main(), or was built for another version.
    trollius_os::Program load(const std::string& path, const LoadOptions& options = {});
    // The copies of the module that load() gave last for this path. Empty: it is not loaded.
    std::vector<user_programs::LoadedProgram*> copies_of(const std::string& path) const;

private:
    struct Loaded;
    Loaded& find_or_load(const std::string& path, const LoadOptions& options);
    user_programs::SharedMemory memory_;
    Report& report_;
    std::vector<std::unique_ptr<Loaded>> loaded_;
};

}  // namespace node_programs
