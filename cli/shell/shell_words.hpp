// The words that may stand next on a line of the shell, for completion at a terminal.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct NextWords {
    std::vector<std::string> all;  // sorted
    bool or_file = false;          // a file's name may stand here
};
// `before`: the line up to the word under the cursor. `commands`: their names and, behind a space, their arguments as help has
// them.
NextWords next_words(const std::string& before, const std::vector<std::string>& commands);

}  // namespace cli
