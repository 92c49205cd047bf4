// State: the variables of a process as one of its statements begins (PPD's restoration, Miller and Choi 1988, section 5.7).
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tmon_flowback/recorded_run.hpp>

namespace tmon_flowback {

struct StateVariable {
    std::string name, value;  // value: empty when the logs do not tell it
    std::string id;           // of the event that set it last; empty: none is known
};

struct StateFrame {
    std::string function, place, text;
    std::vector<StateVariable> variables;  // those that the statement sees
};

struct State {
    EventId at;
    std::vector<StateFrame> frames;  // innermost first
    std::vector<StateVariable> globals;
    std::string doubt;  // why the process need not have come there; empty: it did
    std::vector<std::string> damaged, differences;
};

// Cost: a search for the origin of each variable (origins.hpp).
State state_before(RecordedRun& run, const EventId& event);

std::string text_of(const RecordedRun& run, const State& state);
nlohmann::ordered_json json_of(const RecordedRun& run, const State& state);

}  // namespace tmon_flowback
