// Pictures are made by programs of the Debian packages graphviz (dot) and gnuplot-nox (gnuplot). They are looked for only when
// needed, so everything but pictures works without them.
#pragma once

#include <string>
#include <vector>

namespace tmon_pictures {

struct DrawingProgram {
    std::string name;     // as the shell would find it: "dot"
    std::string package;  // the package that has it: "graphviz"
    std::string instead;  // what to do without it, a clause: "take --format dot"
};

// Runs the program with `arguments` and returns what it writes into a new file. "{in}" in `arguments` stands for a file that
// holds `input`; "{out}", there and in `input`, stands for the new file. The program's messages are not shown; when it fails,
// the last of them stands in the error. Deterministic when the program is. Cost: a process. Throws vocabulary::InputError, at
// `what` (the option or the file that asked for the picture). It does so when the program is not there, when it fails, or when
// the host has no room for its files.
std::string drawn_by(const DrawingProgram& program, const std::vector<std::string>& arguments, const std::string& input,
                     const std::string& what);

}  // namespace tmon_pictures
