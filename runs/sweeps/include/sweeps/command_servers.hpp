// Commands of a study that stay: one process looks at many points, one after the other. A program's start costs more than many
// a judge does. What a point gets is the same (docs/formats/study_file.md#commands-that-stay).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <forks/channel.hpp>

#include <sweeps/point_command.hpp>
#include <sweeps/study.hpp>

namespace sweeps {

// An engine runs points at several places at a time, and each place has a process for each of these commands.
class CommandServers {
public:
    // For the study's commands that stay; none is started yet. `program`: as for run_command(). Keeps a reference to the study.
    CommandServers(const Study& study, std::size_t places, std::string program);
    CommandServers(const CommandServers&) = delete;
    CommandServers& operator=(const CommandServers&) = delete;
    ~CommandServers();  // ends them

    // In the process of the engine, before the fork of a point. Starts the processes that are not there at this place. A
    // process that has had many points is started anew, and so is one in the middle of a request: its last point was killed.
    // Throws vocabulary::HostError when the host has no room for a process. Cost beside the starts: some microseconds.
    void prepare(std::size_t place);
    void drop(std::size_t place);  // ends them
    std::vector<pid_t> processes(std::size_t place) const;

    // In the process of the point.
    void take(std::size_t place) { place_ = place; }
    bool serves(const Command& command) const { return !command.serve.empty(); }
    // As run_command(), and with the same end. `used`: gets the processor time that it took, in seconds. A process that has
    // ended, or is ended by a limit, is told as a command that did.
    CommandEnd ask(const Command& command, const std::vector<std::string>& words, double seconds, double& used);

private:
    struct Server {
        pid_t process = -1;  // -1: none
        forks::ChannelEnd channel;
        int said = -1;  // file of its standard error
    };
    // In memory that all processes see: a point that is killed cannot say what it leaves.
    struct Use {
        bool is_asked = false;
        bool is_in_line = false;  // a line that belongs to no point has come in part
        std::uint32_t requests = 0;
    };
    std::size_t index_of(std::size_t place, std::size_t command) const { return place * commands_.size() + command; }
    void start(const Command& command, Server& server, Use& use);
    void end(Server& server);

    std::vector<const Command*> commands_;
    std::string program_;
    std::vector<Server> servers_;  // place by place
    Use* uses_ = nullptr;          // of each server
    std::size_t place_ = 0;
};

}  // namespace sweeps
