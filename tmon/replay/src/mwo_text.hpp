// The lines of a file *.mwo.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tmon_replay/delivery_order.hpp>

namespace tmon_replay {

inline constexpr const char *known_word = "upto", *ended_word = "end", *clock_word = "clock";

std::string quoted(const std::string& text);
// Each with its line feed.
std::string header_text(const RunIdentity& run);
std::string outcome_text(std::size_t rank, const CallOutcome& its);
std::string clock_text(std::size_t rank, const std::vector<std::int32_t>& clock);
std::string counters_text(std::size_t rank, const char* word, const Counters& counters);

}  // namespace tmon_replay
