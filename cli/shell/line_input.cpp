#include "shell/line_input.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include <editline/readline.h>

#include "shell/shell_words.hpp"

namespace cli {

namespace {

// libedit calls plain functions.
std::vector<std::string> all_commands;
NextWords words_now;
std::size_t next_word = 0;

char* word_that_begins(const char* text, int state) {
    if (state == 0) next_word = 0;
    while (next_word < words_now.all.size()) {
        const std::string& word = words_now.all[next_word++];
        if (word.starts_with(text)) return strdup(word.c_str());
    }
    return nullptr;
}

char** complete(const char* text, int start, int) {
    words_now = next_words(std::string(rl_line_buffer).substr(0, static_cast<std::size_t>(start)), all_commands);
    rl_attempted_completion_over = words_now.or_file ? 0 : 1;
    char** const words = rl_completion_matches(text, word_that_begins);
    // A value follows at once.
    const bool has_value = words != nullptr && std::strchr(words[0], '=') != nullptr;
    rl_completion_append_character = has_value ? 0 : ' ';
    return words;
}

}  // namespace

LineInput::LineInput(std::vector<std::string> commands)
    : interactive_(isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) {
    if (!interactive_) return;
    using_history();
    all_commands = std::move(commands);
    rl_attempted_completion_function = complete;
}

std::optional<std::string> LineInput::next(const std::string& prompt) {
    ++line_;
    std::string line;
    if (!interactive_) {
        if (!std::getline(std::cin, line)) return std::nullopt;
        return line;
    }
    char* typed = readline(prompt.c_str());
    if (typed == nullptr) return std::nullopt;
    line = typed;
    if (!line.empty()) add_history(typed);
    std::free(typed);  // NOLINT: readline's contract
    return line;
}

}  // namespace cli
