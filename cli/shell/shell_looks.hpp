// Views of a session held at a moment, for `magicwire shell`. They take no modelled time and no message.
#pragma once

#include <string>
#include <vector>

#include <session/live_session.hpp>

namespace cli {

struct LiveStatus {
    vocabulary::SimTime now;
    std::string phase;
    std::uint64_t results = 0, tasks = 0;
    std::uint64_t made = 0, received = 0, lost = 0;  // records; lost: known losses so far
    bool monitored = false;
    bool mpi = false;                           // `results` are ranks that have ended, and `tasks` all ranks
    std::vector<vocabulary::NodeId> stopped{};  // of the farm: dead, or halted
    std::size_t nodes = 0;                      // of the farm
};

LiveStatus live_status(session::LiveSession& session);
std::string status_text(const LiveStatus& status);
std::string status_json(const LiveStatus& status);

// Trollius' `state`: columns as the thesis prints them. `nodes`: n3, n0-7 or n0,n4-7; empty: those of the farm. `all`: system
// processes too. Throws vocabulary::RequestError for nodes that do not exist.
// The processes of nodes as the simulator has them, with the columns of the command `state`.
struct StateLook {
    std::vector<vocabulary::NodeId> nodes;
    bool all = false, system = false;  // -g, -t
};
std::string state_text(session::LiveSession& session, const StateLook& look);
// hostmon's view: events of each node, the time stamp of the last one, and the losses known so far.
std::string received_text(session::LiveSession& session);
bool all_monitors_on(session::LiveSession& session);

}  // namespace cli
