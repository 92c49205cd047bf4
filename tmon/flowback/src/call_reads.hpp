// The memory that a call of a library function reads through its pointers. The table of effects says what it writes.
#pragma once

#include <cstdint>
#include <optional>
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
// From an address to the end of the variable, message or allocated memory that it lies in. None: it is not known.
std::optional<flowback_log::Range> rest_of_object(RecordedRun& run, const EventId& before, std::uint64_t address);

}  // namespace tmon_flowback
