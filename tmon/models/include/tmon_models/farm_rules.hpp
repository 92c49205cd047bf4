// FarmRules: what a fault model says about the messages over one link of the tree, as answers to the questions of the event
// graphs. A model with choice must be a farm: tasks go down to one child each, whole or in parts, and results come back.
#pragma once

#include <string>

#include <tmon_models/fault_model.hpp>

namespace tmon_models {

struct FarmRules {
    bool goes_down = false, goes_up = false;  // messages may go this way
    bool up_answers_down = false;             // only what came down goes up
    bool to_one_child = false;                // a unit, or a part of it, is with one child at a time
    bool divides = false;                     // an inner node sends parts
    // The process or message that is blamed:
    std::string source;       // the root has not sent it
    std::string down, up;     // sent and not received
    std::string inner, leaf;  // received, and nothing sent
    std::string unsent_part;  // some parts were sent, this one was not
    std::string join;         // answers came back, and nothing was sent up; empty: `up` is
};

// Throws vocabulary::RequestError for a model with choice that is no farm. For one without choice only the first four fields
// are set, and the third and fourth are false.
FarmRules farm_rules(const FaultModel& model);

}  // namespace tmon_models
