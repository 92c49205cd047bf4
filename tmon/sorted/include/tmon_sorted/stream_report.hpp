// How the streams stand, for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tmon_order/stream_states.hpp>

namespace tmon_sorted {

std::vector<tmon_order::StreamStanding> standings_of(const tmon_order::StreamStates& states);
// The end of a run or file is no news about a stream, but a word that somebody gives then is. So the states are those before
// it, with such words, and the figures those after it.
std::vector<tmon_order::StreamStanding> with_words(std::vector<tmon_order::StreamStanding> before,
                                                   const tmon_order::StreamStates& after);
// A line with the number of streams in each state. Then a line for each of the first eight that have not finished or lost
// records. `margin`: spaces before a line. At most 128 columns; ends with a new line.
std::string streams_text(const std::vector<tmon_order::StreamStanding>& standings, std::size_t margin);
// An array, by node.
nlohmann::ordered_json streams_json(const std::vector<tmon_order::StreamStanding>& standings);

}  // namespace tmon_sorted
