// Pictures of one task, in the language of graphviz' dot (thesis, Lin 1993, section 4.2). Complete, incomplete, frontier and
// lost are told by shape and line; colour repeats that. Every picture has a legend.
#pragma once

#include <cstdint>
#include <string>

#include <tmon_stories/stories.hpp>

namespace tmon_stories {

enum class Picture : std::uint8_t {
    Events,     // the event graph: a vertex for each event, source and sink; an arc for each message and within each process
    Coalesced,  // the coalesced event graph: a vertex for each process on a node
    Tree,       // the farm's tree, with the way of the task and its frontier
};

// Cost: linear in the parts of the task, and for Tree in the nodes. Two arcs that follow from others are left out: those
// between the sends of one split, and between the receives of one join.
std::string picture_dot(const Stories& stories, const TaskStory& story, Picture picture);
// The number of vertices without the legend.
std::size_t picture_size(const Stories& stories, const TaskStory& story, Picture picture);

}  // namespace tmon_stories
