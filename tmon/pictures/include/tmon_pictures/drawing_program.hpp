// Pictures are drawn by programs of the Debian packages graphviz (dot) and gnuplot-nox (gnuplot). Everything except pictures
// works without them.
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
// the error quotes the last one. Deterministic if the program is. Cost: a process. Throws vocabulary::InputError when the
// program is missing or fails, or when the host has no room for its files. `what`: the option or file that asked for the
// picture, as the place of the error.
std::string drawn_by(const DrawingProgram& program, const std::vector<std::string>& arguments, const std::string& input,
                     const std::string& what);

}  // namespace tmon_pictures
