// TaskView: the trace as the task analyses see it. Records of other classes are left out, and so are losses that can hide only
// those classes. The remaining records keep their sequence numbers, so the numbers of a part can have gaps.
#pragma once

#include <string>

#include <tmon_streams/trace.hpp>
#include <trace_record/event_names.hpp>

namespace tmon_streams {

bool is_task_event(const Event& event);

// Copies nothing when every record belongs to a task. Cost: one pass over the records.
Trace task_view(const Trace& trace);

using trace_record::classes_text;
// "3-17 (buffer-full), 20-20 (thinned, message only), and 4 more with 31 records"; empty when there are none.
std::string losses_text(const std::vector<LossRange>& losses, std::size_t most);

}  // namespace tmon_streams
