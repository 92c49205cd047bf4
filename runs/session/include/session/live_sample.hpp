// LiveSample: the state of a running session so far, read at one moment (SessionHooks::at_moment). All figures count from
// power-up, so the difference of two samples covers the time between them, and the last sample agrees with the summary. A
// sample takes no modelled time. Cost: linear in nodes and links; about 2 us for eight nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <session/live_session.hpp>
#include <topologies/network.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace session {

struct LiveNode {
    vocabulary::NodeId node;
    vocabulary::SimTime busy;  // of both priorities
    // The monitor's part of `busy`: probe, meter, manager, the kernel's work for its messages. It is counted when charged,
    // perhaps before it is used.
    vocabulary::SimTime overhead;
    std::uint64_t recorded = 0, lost = 0;  // records made; records lost to full buffers
    std::size_t buffered = 0, room = 0;    // records in both buffers, and their capacity; 0: not monitored
    bool stopped = false;                  // dead or halted
};

// The outgoing direction of a link end. A message counts whole when it has arrived, so the busy time between two samples can
// exceed the time between them.
struct LiveLink {
    vocabulary::NodeId node;
    vocabulary::LinkNo link;
    std::optional<topologies::Neighbour> to;               // as the switches stand now; empty: nowhere
    vocabulary::SimTime busy, monitor_busy;                // bytes on the wire; the monitor's part
    std::uint64_t bytes = 0, monitor_bytes = 0, lost = 0;  // lost: transfers
};

struct LiveSample {
    vocabulary::SimTime time;                 // since power-up
    std::string phase;                        // "boot", "load", "run", "quit", "state"
    std::uint64_t tasks_done = 0, tasks = 0;  // results at the manager; tasks of the farm, 0 if only the program knows
    std::uint64_t moved = 0;                  // sends and receives of tasks and results
    std::vector<LiveNode> nodes;              // of the farm, by id
    std::vector<LiveLink> links;              // every wired link, by node and link, the host's last; the same in each sample
};

LiveSample live_sample(LiveSession& session);
// The sample of the same machine at power-up, to compare the first sample with.
LiveSample at_power_up(const LiveSample& sample);

}  // namespace session
