// LineInput: reads lines from standard input: at a terminal with prompt, editing, history and completion (libedit), else
// plainly.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cli {

class LineInput {
public:
    // `commands`: for completion, as next_words() takes them.
    explicit LineInput(std::vector<std::string> commands);
    bool interactive() const { return interactive_; }
    // The next line; empty at the end of the input.
    std::optional<std::string> next(const std::string& prompt);
    int line() const { return line_; }  // number of the last line, from 1

private:
    bool interactive_;
    int line_ = 0;
};

}  // namespace cli
