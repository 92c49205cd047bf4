// The events of a trace with their logical times (thesis, Lin 1993, section 5.4.1), as text.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <tmon_detrek/detrek.hpp>

namespace tmon_detrek {

enum class StampForm : std::uint8_t { Text, JsonLines };

// A line for each event of a task, after the lines of all events that happened before it. Text has a title line and the columns
// `ID PTIME TYPE PEER KIND TASK SUBTASK LTIME`. LTIME has the number of events of n0, n1, ... that happened before this one,
// which is counted too. JSON Lines begin with a line of the schema, magicwire.stamps/1. `write` gets some lines at a time.
// Cost: one replay; a line is about 40 bytes, and three more for each node.
void list_stamps(const DetrekInput& input, StampForm form, const std::function<void(std::string_view)>& write);

}  // namespace tmon_detrek
