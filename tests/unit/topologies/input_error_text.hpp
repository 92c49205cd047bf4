// The whole text of the InputError that a piece of code throws, so that a test can state position, reason and remedy in one
// line.
#pragma once

#include <string>

#include <vocabulary/source_position.hpp>

template <class Code>
std::string input_error_text(Code code) {
    try {
        code();
    } catch (const vocabulary::InputError& error) {
        return error.what();
    }
    return "no InputError was thrown";
}
