// LineInput: the lines that a person or a script gives on standard input. At a terminal with editing and history (libedit),
// else as they come and without a prompt.
#pragma once

#include <optional>
#include <string>

namespace cli {

class LineInput {
public:
    LineInput();
    bool interactive() const { return interactive_; }
    // Empty at the end of the input.
    std::optional<std::string> next(const std::string& prompt);
    int line() const { return line_; }  // number of the last line, from 1

private:
    bool interactive_;
    int line_ = 0;
};

}  // namespace cli
