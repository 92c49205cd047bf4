// Words shared by the reports of stories and chains. Private.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tmon_stories/stories.hpp>

namespace tmon_stories {

// "task 51", "tasks 48-51", "part 0010 of task 51". `node`: where it is; next to node 0 it is the whole.
std::string what_text(const Stories& stories, std::uint32_t task, SubTaskId subtask, std::uint16_t node);
// "on n4, or on its link to n2; n4 fell silent"
std::string place_text(const Stories& stories, const Place& place, StopKind kind);
// "n3:17 n4:2"; most of them.
std::string records_text(const std::vector<RecordId>& records);
// Folded into lines of at most 128 columns, each but the first indented by `indent`; with a line feed at the end.
std::string folded(std::string_view text, std::size_t indent);
std::string joined(const std::vector<std::string>& list, const char* between);

}  // namespace tmon_stories
