// SessionMachine: the machine of a run, and the host's orders for its switches. The phases of a scenario have it one after the
// other.
#pragma once

#include <functional>
#include <string>

#include <scenario/scenario.hpp>
#include <session/session.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <trollius_hosted/reconfigurer.hpp>

namespace session {

struct SessionMachine {
    SessionMachine(const scenario::Scenario& scenario, const SessionHooks& hooks);

    std::function<void(vocabulary::NodeId from, const std::string& text)> print;  // of the session that has the machine
    trollius_hosted::Multicomputer box;
    trollius_hosted::Reconfigurer reconfigurer;
};

}  // namespace session
