// Where a message about an input file points, and the exception every reader of a file throws. Used by all parsers; the command
// line turns an InputError into exit code 3.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace vocabulary {

struct SourcePosition {
    std::string file;
    int line = 0;    // from 1; 0 when the message is about the whole file
    int column = 0;  // from 1; 0 when the message is about the whole line

    std::string text() const {
        std::string result = file;
        if (line > 0) result.append(":").append(std::to_string(line));
        if (line > 0 && column > 0) result.append(":").append(std::to_string(column));
        return result;
    }
};

// what() reads "FILE:LINE:COLUMN: what is wrong; what to do". The message says both, without a final full stop.
class InputError : public std::runtime_error {
public:
    InputError(SourcePosition where, const std::string& message)
        : std::runtime_error(where.text() + ": " + message), where_(std::move(where)), message_(message) {}
    const SourcePosition& where() const { return where_; }
    const std::string& message() const { return message_; }

private:
    SourcePosition where_;
    std::string message_;
};

}  // namespace vocabulary
