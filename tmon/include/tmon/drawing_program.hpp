// Pictures are made by programs of the Debian packages graphviz (dot) and gnuplot-nox (gnuplot), found when they are needed, so
// that nothing but a picture needs them.
#pragma once

#include <string>
#include <vector>

namespace tmon {

struct DrawingProgram {
    std::string name;     // as the shell would find it: "dot"
    std::string package;  // that has it: "graphviz"
    std::string instead;  // what to do without it, a clause: "take --format dot"
};

// What the program writes into a new file when it is run with `arguments`, in which "{in}" stands for a file that holds `input`
// and "{out}", there and in `input`, for the new file. What it says on its way is not shown; the last of it stands in the
// message when it fails. Deterministic when the program is. Cost: a process. Throws vocabulary::InputError, at `what` (the
// option or the file that asked for the picture), when the program is not there, when it fails, or when the host has no room
// for its files.
std::string drawn_by(const DrawingProgram& program, const std::vector<std::string>& arguments, const std::string& input,
                     const std::string& what);

}  // namespace tmon
