// Changes of the network in mid-run, ordered by hand (live_session.hpp).
#include <algorithm>

#include <scenario/virtual_branches.hpp>
#include <trek_hosted/farm_on_machine.hpp>

#include "session_run.hpp"

namespace session {

std::size_t SessionRun::reconfigure(const std::vector<topologies::SwitchSetting>& settings) {
    if (farm_ && farm_->started_nodes() > 0)
        scenario::refuse_virtual_branches(scenario_, "a running farm whose switches are set anew",
                                          "a packet may be on a way that ends");
    topologies::Reconfiguration order{.at = now(), .settings = settings};
    const std::size_t number = reconfigurer_.order(order);
    scenario_.reconfigurations.insert(scenario_.reconfigurations.begin() + static_cast<std::ptrdiff_t>(number),
                                      std::move(order));
    return number;
}

void SessionRun::place_farm() {
    if (farm_ && farm_->started_nodes() > 0) return;
    if (farm_) farm_->place(trek_hosted::farm_places(box_, scenario_.farm));
    for (std::size_t i = 0; i < scenario_.machine.switches.size(); ++i)
        scenario_.machine.switches[i].connections = box_.description().switches[i].connections;
}

}  // namespace session
