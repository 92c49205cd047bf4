// The lines of `magicwire shell` taken apart, without the machine. Errors are vocabulary::RequestError; the
// text says what to write.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace cli {

// The line without a comment, which begins with a '#' at the beginning of a word, and without spaces around it.
std::string without_comment(const std::string& line);
// The name of the command, and what stands behind it.
std::pair<std::string, std::string> command_and_arguments(const std::string& line);
std::vector<std::string> words_of(const std::string& text);
std::string without_quotes(const std::string& text);

// The moment that "until 12.4ms", "for 0.2ms" or "+0.2ms" means at `now`; empty: to the end.
std::optional<vocabulary::SimTime> run_until(const std::string& arguments, vocabulary::SimTime now);
// The sets of changes of `what-if`, between semicolons; the first is empty, since the unchanged run comes first.
std::vector<std::string> branches_of(const std::string& arguments);
// "n3", "n0-7" or "n0,n4-7", in the order in which they are named. `nodes`: of the machine.
std::vector<vocabulary::NodeId> node_list(const std::string& text, std::size_t nodes);

}  // namespace cli
