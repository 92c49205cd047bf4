// Parses the lines of `magicwire shell`, without the machine. Errors are vocabulary::RequestError; the message says what to
// write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <vocabulary/sim_time.hpp>

namespace cli {

// The line without surrounding spaces and without a comment, which begins with '#' at the start of a word. Where addresses
// are written #80000070, it begins the line, or a space follows.
enum class Hash : std::uint8_t { Comment, Address };
std::string without_comment(const std::string& line, Hash hash = Hash::Comment);
// The name of the command, and its arguments.
std::pair<std::string, std::string> command_and_arguments(const std::string& line);
std::vector<std::string> words_of(const std::string& text);  // quotes hold a word together
std::string without_quotes(const std::string& text);

// The end of "until 12.4ms", "for 0.2ms" or "+0.2ms" given at `now`; empty: the end of the run.
std::optional<vocabulary::SimTime> run_until(const std::string& arguments, vocabulary::SimTime now);
std::string time_word(vocabulary::SimTime time);  // "12.4ms", exact
// The sets of changes of `what-if`, separated by semicolons. The first is empty: the unchanged run.
std::vector<std::string> branches_of(const std::string& arguments);

}  // namespace cli
