// Where a message about an input file points, and the exceptions for a bad request and for bad input. The command line turns
// both into exit code 3. errors.hpp has the other kinds.
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

// A request that cannot be met, with no place in a file to point at. what() says what is wrong and what to do.
class RequestError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// what() reads "FILE:LINE:COLUMN: what is wrong; what to do". The message says both, without a final full stop.
class InputError : public RequestError {
public:
    InputError(SourcePosition where, const std::string& message)
        : RequestError(where.text() + ": " + message), where_(std::move(where)), message_(message) {}
    const SourcePosition& where() const { return where_; }
    const std::string& message() const { return message_; }

private:
    SourcePosition where_;
    std::string message_;
};

}  // namespace vocabulary
