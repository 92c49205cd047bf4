// A study's command, run for one point in the process of that point.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <sweeps/study.hpp>

namespace sweeps {

// Places in the words of a command. The run's files are in the folder {out}, and its scenario is the file {scenario}. The word
// {settings} stands alone, and becomes --set NAME=VALUE for each setting. The value of number_axis is {number}. The place
// {folder} is a folder of the point, which is there.
inline constexpr const char* command_places[] = {"{out}", "{scenario}", "{settings}", "{number}", "{folder}"};

// The words with these places filled in.
std::vector<std::string> words_of(const Command& command, const Point& point, const std::string& out);

struct CommandEnd {
    nlohmann::ordered_json document;                                       // what it printed
    std::string failure;                                                   // why there is none; empty: it is there
    enum class Why : std::uint8_t { None, Itself, Host } why = Why::None;  // Host: a limit
    int exit_code = 0;  // of the command; 128 and the signal's number if one ended it
};

// Runs it and waits for it. `seconds`: of processor time that it may take, from 0. An alarm of this process (alarm(2)) is the
// time of the host that it may take. All that it has started is ended with it. Its memory is that of the point, which the
// engine looks at. `program`: a link to this program. The word `magicwire` and the variable MAGICWIRE of the environment stand
// for it.
// Throws vocabulary::HostError when the host has no room for another process.
// Cost beside the command's: one process, and a look at the files of /proc for it.
CommandEnd run_command(const Command& command, const std::vector<std::string>& words, const std::string& program,
                       double seconds);

}  // namespace sweeps
