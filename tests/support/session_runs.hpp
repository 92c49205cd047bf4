// Sessions for tests: one in this process, or one in a child of its own with the figures that are compared.
#pragma once

#include <optional>
#include <string>

#include <child_process.hpp>
#include <oracle/session_result.hpp>

namespace session_test {

struct Figures {
    char run_hash[17] = {};
    std::uint64_t results = 0, events = 0;
    std::int64_t modelled_ps = 0;
    bool finished = false;
    std::string hash() const { return run_hash; }
};

inline Figures figures(const oracle::SessionResult& result) {
    Figures f;
    const std::string hash = result.truth.run_hash();
    hash.copy(f.run_hash, 16);
    f.results = result.truth.results_at_manager();
    f.events = result.truth.moved();
    f.modelled_ps = result.observed.modelled.in_ps();
    f.finished = result.simulated.farm.finished;
    return f;
}

inline std::optional<Figures> run_apart(const scenario::Scenario& scenario, const session::SessionHooks& hooks = {}) {
    return test_support::in_child([&] {
        oracle::SessionResult result;
        oracle::run_session(scenario, result, hooks);
        return figures(result);
    });
}

}  // namespace session_test
