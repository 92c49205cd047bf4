// The outcome of changes to the switches in mid-run (reconfigurer.hpp). Plain values, without SystemC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <vocabulary/account.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace trollius_hosted {

// A link whose first message no process takes, so all messages behind it wait too.
struct PluggedLink {
    std::string from, to;  // link ends; `to` is empty where the link leads nowhere
    vocabulary::SimTime since;
    std::uint32_t bytes = 0;  // length of that message
    vocabulary::Account account{};
    std::vector<std::byte> header;  // header of a message over a circuit, as its sender wrote it; else empty
    std::size_t behind = 0;         // messages that wait behind it
};

// The outcome of one order.
struct Reconfigured {
    vocabulary::SimTime at, began;
    std::optional<vocabulary::SimTime> switched,
        routed;                // the last switch has answered; the last node, or it is not waited for
    std::size_t switches = 0;  // number of changed switches
    std::uint64_t configuration_bytes = 0;
    std::vector<std::string> differences;  // between the ordered setting and the one read back
    std::size_t told = 0, silent = 0;      // nodes that have their new route table; nodes that did not answer
    std::vector<vocabulary::NodeId> silent_nodes;
    std::vector<PluggedLink> plugged;  // state at the timeout of the silent nodes; empty if there are none
};

// A transfer that was under way when its path was removed.
struct LostTransfer {
    vocabulary::SimTime when;
    std::string which;     // the switch
    std::string from, to;  // link ends: "n1.2", "host"
    std::uint32_t bytes = 0;
    vocabulary::Account account{};
    std::vector<std::byte> header;  // header of a message over a circuit, as its sender wrote it; else empty
    std::optional<std::pair<vocabulary::NodeId, vocabulary::NodeId>> between;  // both neighbours, if both ends are nodes
    std::optional<vocabulary::SimTime> ordered;  // time of the reconfiguration that lost it; empty: a defect of the switch did
};

}  // namespace trollius_hosted
