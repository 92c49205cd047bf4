// The truth about a halo: how far each node came, and where the first fault is. It is made from the true events alone, which a
// streamed run does not have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <halo_kernel/halo_settings.hpp>
#include <nlohmann/json_fwd.hpp>
#include <oracle/session_result.hpp>

namespace oracle {

// A node's next step, which it has not done.
struct HaloProgress {
    enum class Next : std::uint8_t { Function, Send, Receive, Done };

    vocabulary::NodeId node;
    std::uint32_t exchanges = 0;  // whole ones
    Next next = Next::Function;
    halo_kernel::Process function = halo_kernel::Process::InitialFn;  // which it calls before this exchange
    // Nothing of this exchange was sent, so no message tells the function from its first send.
    bool first_send = false;
    vocabulary::NodeId peer;     // Send, Receive
    std::uint64_t since_us = 0;  // true time of its last message; 0: none
};

// A place as a verdict names it: no other node explains why this one stands. `task`: number of the exchange.
struct HaloPlace {
    vocabulary::NodeId node;
    std::uint32_t task = 0;
    halo_kernel::Process process = halo_kernel::Process::StepFn;
    std::uint64_t since_us = 0;
};

// By node, members only.
std::vector<HaloProgress> halo_progress(const scenario::Scenario& scenario, const SessionResult& result);
// By exchange, then by node: the first one is the first faulty place. None: every node is done.
std::vector<HaloPlace> halo_places(const scenario::Scenario& scenario, const std::vector<HaloProgress>& progress);

nlohmann::ordered_json halo_struck_json(const scenario::Scenario& scenario, const SessionResult& result);
nlohmann::ordered_json halo_json(const scenario::Scenario& scenario, const SessionResult& result);
// Planted bugs and the place of each node that is not done, for the summary; empty when there is nothing to say.
std::string halo_text(const scenario::Scenario& scenario, const SessionResult& result);

}  // namespace oracle
