#include "shell/line_input.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include <editline/readline.h>

namespace cli {

LineInput::LineInput() : interactive_(isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) {
    if (interactive_) using_history();
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
