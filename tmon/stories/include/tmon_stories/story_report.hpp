// Stories and chains of waits as text, at most 128 columns wide, and as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <tmon_stories/stories.hpp>

namespace tmon_stories {

std::string story_text(const Stories& stories, const TaskStory& story);
nlohmann::ordered_json story_json(const Stories& stories, const TaskStory& story);  // {"schema": "magicwire.story/1", ...}
std::string chain_text(const Stories& stories, const WaitChain& chain);
nlohmann::ordered_json chain_json(const Stories& stories, const WaitChain& chain);  // {"schema": "magicwire.why/1", ...}

}  // namespace tmon_stories
