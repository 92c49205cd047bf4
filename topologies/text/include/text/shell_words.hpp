// Words of a POSIX shell's command line.
#pragma once

#include <string>
#include <vector>

namespace text {

// A text as one word. Without quotes where the shell needs none.
std::string shell_word(const std::string& text);

// As a shell takes words apart: blanks between them; quotes and '\' keep what they stand before. Nothing is expanded. Boost's
// tokenizer takes either quote for the end of the other, and wordexp() refuses braces.
struct ShellWords {
    std::vector<std::string> all;
    char open_quote = '\0';  // that has no second one
};
ShellWords shell_words(const std::string& text);

}  // namespace text
