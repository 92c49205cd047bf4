// LiveSample: the state of a running session so far, read at one moment (SessionHooks::at_moment). All figures count from
// power-up. So the difference of two samples is what happened between them, and the sample at the end agrees with the summary.
// Looking takes no modelled time. Cost: linear in nodes and links; about 2 us for eight nodes.
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
    vocabulary::SimTime busy;      // of both priorities
    vocabulary::SimTime overhead;  // the part of it that is the monitor's: probe, meter, manager, kernel for its messages. It
                                   // is counted when it is charged, which may be a moment before it is used
    std::uint64_t recorded = 0, lost = 0;  // records made; those that the full buffers could not keep
    std::size_t buffered = 0, room = 0;    // records in both buffers now, and at most; 0: not monitored
    bool stopped = false;                  // it is dead, or has halted
};

// The outgoing direction of a link end. A message counts as a whole when it has arrived. So between two samples close together
// a link may have been busy for longer than that.
struct LiveLink {
    vocabulary::NodeId node;
    vocabulary::LinkNo link;
    std::optional<topologies::Neighbour> to;               // as the switches stand now; empty: nowhere
    vocabulary::SimTime busy, monitor_busy;                // bytes were on the wire; the monitor's part of it
    std::uint64_t bytes = 0, monitor_bytes = 0, lost = 0;  // lost: transfers
};

struct LiveSample {
    vocabulary::SimTime time;                 // since power-up
    std::string phase;                        // "boot", "load", "run", "quit", "state"
    std::uint64_t tasks_done = 0, tasks = 0;  // results at the manager; 0 tasks: the program alone knows how many
    std::uint64_t moved = 0;                  // sends and receives of tasks and results
    std::vector<LiveNode> nodes;              // of the farm, by id
    std::vector<LiveLink> links;  // every wired link of the machine, by node and link, the host's last; the same in each sample
};

LiveSample live_sample(LiveSession& session);
// The same machine when it was switched on, to compare the first sample with.
LiveSample at_power_up(const LiveSample& sample);

}  // namespace session
