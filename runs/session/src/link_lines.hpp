// The traffic of every link end, for the totals table and the JSON.
#pragma once

#include <vector>

#include <hw_model/machine.hpp>
#include <session/session.hpp>
#include <trollius_hosted/reconfiguration.hpp>

namespace session {

// One line a link end that has or had a partner. First come the ends connected at boot in the order of Network::paths(), each
// path's lower end first. Then come ends connected by the orders, order by order. Last come, by node, wired ends that had
// traffic to send and never had a partner. `to` is the partner after the last completed order, else the last partner before,
// or "-". `done[i]` belongs to `orders[i]`; an incomplete order has connected nothing.
std::vector<LinkLine> link_lines(const hw_model::Machine& machine, const std::vector<topologies::Reconfiguration>& orders,
                                 const std::vector<trollius_hosted::Reconfigured>& done);

}  // namespace session
