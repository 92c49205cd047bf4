// The sentence of a verdict. Private: verdict.cpp decides, this file puts it into words.
#pragma once

#include <string>
#include <vector>

#include <tmon_detrek/verdict.hpp>

namespace tmon_detrek {

// "node 3", "nodes 3 and 4", "nodes 3, 4 and 5"
std::string nodes_text(const std::vector<std::uint16_t>& nodes);
std::string tasks_words(const farm_spec::FarmSpec& spec, std::uint32_t task);  // "task 48", or "tasks 48-51" for a bundle
// "task 17, sub-task 0010, in comp_fn() on node 1"
std::string possible_text(const PossiblePlace& place, const farm_spec::FarmSpec& spec);
const char* was_word(const farm_spec::FarmSpec& spec, std::uint32_t task);  // "was" or "were", after it

// Sets verdict.sentence from everything else in it. remark: an addition of the decision, without a full stop; may be empty.
void say(Verdict& verdict, const farm_spec::FarmSpec& spec, const std::string& remark);

}  // namespace tmon_detrek
