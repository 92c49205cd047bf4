// How a command of a study ended. It is the same whether a process was started for the point or one that stays did it.
#pragma once

#include <string>
#include <vector>

#include <sweeps/point_command.hpp>

namespace sweeps {

inline constexpr std::size_t most_output = std::size_t{16} << 20;  // bytes that a command may print for a point
inline constexpr int look_ms = 100, of_signal = 128;

// In a new process: becomes the program. Standard output and standard error are its own by then. If that fails, says why on
// standard error and ends.
[[noreturn]] void become_program(const std::vector<std::string>& words, const std::string& program);

// The end of a command that was killed for `reason`.
CommandEnd ended_by_limit(const Command& command, const std::string& reason);
// `how`: as "exit code 3". `printed` and `said` are its standard output and standard error.
CommandEnd ended_by_itself(const Command& command, int exit_code, const std::string& how, const std::string& printed,
                           const std::string& said);

std::string too_long_for_host(unsigned seconds);  // reasons
std::string too_much_printed();
// No number: what is left of the point's time differs from run to run.
inline constexpr const char* too_much_processor_time = "took more processor time than its point had left; raise limits.time";

}  // namespace sweeps
