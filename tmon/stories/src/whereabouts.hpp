// Where an open part is, and how certain that is. Private.
#pragma once

#include "farm_state.hpp"

namespace tmon_stories {

Place place_of(const Stories::State& state, const TaskStory& story, const Stop& stop);
// The same for a whole of which parts are elsewhere: where it was split, and waits for them.
Place place_of_whole(const Stories::State& state, const TaskStory& story, std::size_t part);

}  // namespace tmon_stories
