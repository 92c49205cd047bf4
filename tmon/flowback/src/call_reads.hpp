// The memory that a call of a library function reads through its pointers. The table of effects says what it writes.
#pragma once

#include <string>
#include <vector>

#include <tmon_flowback/recorded_run.hpp>

namespace tmon_flowback {

struct CallReads {
    std::vector<flowback_log::Range> places;  // it reads nothing of the program's elsewhere
    std::string doubt;                        // why it may read less than that, or more; empty: that is all
};

// `call`: of a function that is not prepared, and whose effects are known.
CallReads reads_of(RecordedRun& run, const EventId& call);

}  // namespace tmon_flowback
