// The commands of Trollius that a person types on the host: state, doom, tping, bfstate, buffer, sweep, mstate, fstate, tfile,
// loadgo, cast, cstate. A command asks nodes one after the other, by messages from a process of the host. So a dead node does
// not answer (command_run.hpp). Names, options and columns: LAM 7.1.4 and the thesis of Lin (1993), section 6.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <trollius_os/api.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace trollius_commands {

using vocabulary::NodeId;
using vocabulary::SimTime;

// The machine that the commands are for.
struct Site {
    std::size_t nodes = 0;  // without the host
    NodeId host;
    std::vector<NodeId> usual;          // the nodes of a command that names none
    std::uint32_t most_packet = 0;      // bytes
    std::vector<std::string> programs;  // that can be loaded
};

class Command {
public:
    virtual ~Command() = default;
    virtual const char* name() const = 0;
    // A step asks one node. It runs in a process of the host, and appends lines to `text`. False: it has failed, and says why.
    virtual std::size_t steps() const = 0;
    virtual NodeId asks(std::size_t step) const = 0;
    virtual bool step(std::size_t number, trollius_os::Api& api, std::string& text) = 0;
    virtual SimTime takes(std::size_t) const { return {}; }  // what a step may take beside the answer's time; never(): any time
    virtual std::string head() const { return {}; }          // before the first step
    virtual std::string tail() { return {}; }                // after the last
};

// `words`: the name and what follows it. Throws vocabulary::RequestError, with the way to write it, for wrong options, nodes or
// processes. Null: no command of that name.
std::unique_ptr<Command> parse_command(const std::vector<std::string>& words, const Site& site);

struct CommandHelp {
    const char *name, *arguments, *help;
};
const std::vector<CommandHelp>& command_helps();

}  // namespace trollius_commands
