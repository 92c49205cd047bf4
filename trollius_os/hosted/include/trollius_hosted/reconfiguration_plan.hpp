// A change of the switches before it is ordered: the work for the control connections, and the messages that it would meet now.
// Cost: a look at each link that changes, and the calculation of control_time.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hw_model/control_time.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/rewiring.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <vocabulary/account.hpp>
#include <vocabulary/sim_time.hpp>

namespace trollius_hosted {

// The first message at an end of a link, and those behind it.
struct LinkUse {
    std::string from, to;  // link ends; `to` is empty where the link leads nowhere
    bool moves = false;    // its bytes are under way; else it waits for its receiver
    vocabulary::SimTime since;
    std::uint32_t bytes = 0;
    vocabulary::Account account{};
    std::vector<std::byte> header;  // header of a message over a circuit, as its sender wrote it; else empty
    std::size_t behind = 0;         // messages that wait behind it
};
// The use of this end by its sender now; empty: it is idle.
std::optional<LinkUse> use_of(Multicomputer& box, const topologies::WireEnd& end);

struct ReconfigurationPlan {
    topologies::Rewiring change;
    hw_model::ControlTime control;
    // At links that end or get other switches. Messages under way are lost unless they arrive before. Those that wait go to
    // whatever the link leads to next.
    std::vector<LinkUse> under_way, waiting;
};
ReconfigurationPlan plan_of(Multicomputer& box, const topologies::CostTable& costs, topologies::Rewiring change);

}  // namespace trollius_hosted
