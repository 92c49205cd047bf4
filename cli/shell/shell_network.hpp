// The network of a running machine in `magicwire shell`: where each link leads, and what a change of the switches would do.
#pragma once

#include <string>
#include <vector>

#include <session/live_session.hpp>
#include <topologies/rewiring.hpp>
#include <trollius_hosted/reconfiguration_plan.hpp>

namespace cli {

// The links of these nodes, the host where it is named: the other end, the switches on the way, and the state now. `all`: also
// links that lead nowhere and are idle.
std::string links_text(session::LiveSession& session, const std::vector<vocabulary::NodeId>& nodes, bool all);
std::string links_json(session::LiveSession& session, const std::vector<vocabulary::NodeId>& nodes, bool all);

// The change before it is done: settings, control connections, messages that it meets, the farm's tree.
std::string plan_text(session::LiveSession& session, const trollius_hosted::ReconfigurationPlan& plan);
std::string plan_json(session::LiveSession& session, const trollius_hosted::ReconfigurationPlan& plan);

// The effect of an order, once nothing of it is pending. `lost_before`: transfers that had been lost before it.
std::string outcome_text(session::LiveSession& session, std::size_t order, std::size_t lost_before);

// Throws vocabulary::RequestError, with the reason, when the host cannot set switches now.
void check_reconfigurable(session::LiveSession& session);

}  // namespace cli
