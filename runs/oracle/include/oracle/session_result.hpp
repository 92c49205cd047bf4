// SessionResult: all values of one run, separated into observed, simulated and true ones. A verdict takes `observed` alone.
// run_session() runs a session with the truth observer attached. The observer costs no modelled time and the session never
// reads it, so a run without it is the same run.
#pragma once

#include <optional>
#include <string>

#include <ground_truth/truth.hpp>
#include <session/session.hpp>

namespace oracle {

struct SessionResult {
    session::Observed observed;
    session::Simulated simulated;
    ground_truth::Truth truth;  // true events and run hash; empty without the observer
    bool has_truth = true;      // the observer was attached
    std::optional<std::string> run_hash() const { return has_truth ? std::optional(truth.run_hash()) : std::nullopt; }
};

struct Observers {
    bool truth = true;
};

// Runs session::run_session() with the truth observer. With SessionHooks::stream the truth keeps only counts and the hash.
void run_session(const scenario::Scenario& scenario, SessionResult& result, session::SessionHooks hooks = {},
                 Observers observers = {});

}  // namespace oracle
