// The sub-task numbers that can occur in a farm, and their places. A task is split once a level, and part j goes to child j
// modulo the children. Each split adds a hexadecimal digit, the lowest being none. Where idle nodes steal, or a farm survives,
// a part may go to any child.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <farm_spec/farm_spec.hpp>
#include <vocabulary/source_position.hpp>

namespace scenario {

struct SubtaskPlace {
    vocabulary::NodeId node;
    bool split = false;  // may be split there
};
// Places where a sub-task of this number can come, some possibly twice; empty when the number cannot occur.
std::vector<SubtaskPlace> places_of_subtask(const farm_spec::FarmSpec& farm, std::uint32_t subtask);
// Why no task or sub-task of the farm has that number, and a number to write instead; empty when one can have it. `tree_known`
// false: only the kind of farm is known, whether it divides or not.
std::string why_no_subtask(const farm_spec::FarmSpec& farm, std::uint32_t subtask, bool tree_known);
// Position of the key `subtask` in an entry of a bug list or a fault plan, for a message. It is the entry's own position when
// the file cannot be read again. `list`: the key that holds the entries.
vocabulary::SourcePosition subtask_key(const vocabulary::SourcePosition& entry, const std::string& list);
// "0000, 0010, 0110"; a long list ends with the number of the others.
std::string subtasks_text(const farm_spec::FarmSpec& farm);

}  // namespace scenario
