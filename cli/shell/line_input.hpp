// LineInput: reads lines from standard input: at a terminal with prompt, editing and history (libedit), else plainly.
#pragma once

#include <optional>
#include <string>

namespace cli {

class LineInput {
public:
    LineInput();
    bool interactive() const { return interactive_; }
    // The next line; empty at the end of the input.
    std::optional<std::string> next(const std::string& prompt);
    int line() const { return line_; }  // number of the last line, from 1

private:
    bool interactive_;
    int line_ = 0;
};

}  // namespace cli
