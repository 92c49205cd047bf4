// The words of the column Type of .tvm and .all, in the order of EventKind; a .tvm has the first two.
#pragma once

#include <string>
#include <vector>

#include <tmon_streams/trace.hpp>
#include <trace_record/event_names.hpp>

namespace tmon_streams {

inline std::vector<std::string> columns_of_kinds(EventKind last) {
    std::vector<std::string> columns;
    for (std::size_t kind = 1; kind <= static_cast<std::size_t>(last); ++kind)
        columns.emplace_back(trace_record::kind_names(static_cast<EventKind>(kind)).column);
    return columns;
}
inline const std::vector<std::string> task_event_types = columns_of_kinds(EventKind::Receive);
inline const std::vector<std::string> event_types = columns_of_kinds(EventKind::CollectiveEnd);

inline const char* event_type_name(EventKind kind) {
    return trace_record::kind_names(kind).column;
}

}  // namespace tmon_streams
