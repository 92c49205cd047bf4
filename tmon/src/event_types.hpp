// The words of the column Type of .tvm and .all, in the order of EventKind; a .tvm has the first two.
#pragma once

#include <string>
#include <vector>

#include "tmon/trace.hpp"

namespace tmon {

inline const std::vector<std::string> task_event_types = {"send", "recv"};
inline const std::vector<std::string> event_types = {"send",   "recv", "msend", "mrecv", "rcall",
                                                     "pstart", "pend", "usage", "sync",  "user"};

inline const char* event_type_name(EventKind kind) {
    const std::size_t index = static_cast<std::size_t>(kind) - 1;
    return index < event_types.size() ? event_types[index].c_str() : "unknown";  // of a trace that is not ours
}

}  // namespace tmon
