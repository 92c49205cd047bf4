// A run of machine code: the host sends a boot image to the first node, byte by byte, and then serves the program
// (docs/guide/t800_boot.md). One run a process, because SystemC elaborates once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boot_runs/profile.hpp>
#include <hw_model/fault_strike.hpp>
#include <iserver/server.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/fault_plan.hpp>
#include <topologies/link_level.hpp>
#include <topologies/machine_description.hpp>
#include <topologies/watch.hpp>
#include <trace_record/trace_file.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace boot_runs {

using vocabulary::NodeId;
using vocabulary::SimTime;

struct Plan {
    topologies::MachineDescription machine;  // with at least one core (with_cores())
    topologies::CostTable costs;
    std::uint64_t seed = 1;
    topologies::LinkLevel links = topologies::LinkLevel::Message;
    std::string image_name{};
    std::vector<std::byte> image{};
    iserver::Settings settings{};
    trollius_os::FileStore* files = nullptr;  // required
    iserver::Console* console = nullptr;      // required
    // The link carries plain bytes: the console's input behind the image, and to its output whatever comes.
    bool raw = false;
    SimTime limit{};
    topologies::FaultPlan faults{};  // without faults that wait for a step of a farm: run() refuses them
    std::string wave_file{};         // VCD of `watches`; empty: none
    std::vector<topologies::Watch> watches{};
    // Gets the records of all cores; nullptr: nobody looks. With each instruction a run is some ten times slower.
    trace_record::TraceFileWriter* trace = nullptr;
    bool trace_instructions = false, profile = false;
    std::function<bool()> goes_on{};  // false: stop soon; asked every millisecond of modelled time
};

// Somebody who cannot go on at the end of a run.
struct Wait {
    NodeId node{0};
    std::string text;  // a sentence without a full stop: "process #80000204 (low) waits to output at link 1, to n1.0, ..."
};

struct NodeEnd {
    std::string state;  // waits for its boot message, idle, runs, halted, analysed, stopped at stoperr
    bool error = false;
    std::uint64_t instructions = 0, process_starts = 0, preemptions = 0, timeslices = 0, messages = 0;
    SimTime busy;
    std::uint64_t bytes_sent = 0;                            // over all links
    std::optional<std::uint32_t> stray_address, stray_iptr;  // the first access beyond memory
    // The first operation that a T800 does not have, and where.
    std::optional<std::uint32_t> unknown_operation, unknown_iptr;
};

enum class End : std::uint8_t { Exit, Standstill, Limit, Stopped, NoPacket };

struct Result {
    End end = End::Standstill;
    std::int32_t status = 0;  // of Exit
    std::string broken_by;    // NoPacket: the sentence
    SimTime ended;
    std::uint64_t image_taken = 0;  // bytes of the image that the first node has taken
    std::uint64_t requests = 0;
    std::uint64_t run_hash = 0;  // of all that the host sent and got with its times, and of each node's end
    std::vector<NodeEnd> nodes;
    std::vector<Wait> waits;                   // Standstill only
    std::vector<hw_model::FaultTally> faults;  // in the order of the plan
    std::vector<ProfiledNode> profile;         // by node; empty without Plan::profile
};

// Throws vocabulary::InputError for an image that cannot boot, with the name of its file.
Result run(const Plan& plan);

// The same machine with a core in each node, unless some node of it has one.
topologies::MachineDescription with_cores(topologies::MachineDescription machine);

// Tells of an image, without a run, that it is empty or cut or has no boot message. Empty: nothing is wrong so far.
std::string complaint_about(const std::vector<std::byte>& image);

}  // namespace boot_runs
