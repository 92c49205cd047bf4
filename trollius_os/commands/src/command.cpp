#include <trollius_commands/command.hpp>

#include "commands.hpp"

namespace trollius_commands {
namespace {

struct Known {
    CommandHelp help;
    std::unique_ptr<Command> (*make)(const Words& words, const Site& site);
};

// The usage without the command's name.
constexpr const char* arguments_in(const char* usage) {
    while (*usage != ' ') ++usage;
    return usage + 1;
}

const std::vector<Known>& known() {
    static const std::vector<Known> all = {
        {{"loadgo", arguments_in(loadgo_usage),
          "loads programs into nodes and starts them; -v: says so, -w: waits for their end"},
         make_loadgo},
        {{"state", arguments_in(state_usage),
          "asks nodes for their processes; -g: all, -t: of the system only, -l: pending signals"},
         make_state},
        {{"doom", arguments_in(doom_usage), "signals processes, without any named all of users; SIGNAL is 4, the end"},
         make_doom},
        {{"tping", arguments_in(tping_usage), "measures round trips; -v: the figures at the end only"}, make_tping},
        {{"bfstate", arguments_in(bfstate_usage), "lists stored messages; -g: of the system too, -l: limits, -p: packets"},
         make_bfstate},
        {{"buffer", arguments_in(buffer_usage), "-s, -u: sets the space of a pool, and the users' part; -R: as sweep"},
         make_buffer},
        {{"sweep", arguments_in(sweep_usage), "discards stored messages of users"}, make_sweep},
        {{"mstate", arguments_in(mstate_usage), "lists what the memory of nodes is used for"}, make_mstate},
        {{"fstate", arguments_in(fstate_usage), "lists the file server's descriptors; -a: those whose real file is open"},
         make_fstate},
        {{"tfile", arguments_in(tfile_usage),
          "prints or sets the file server's working directory; -S, -s: closes all descriptors, or one"},
         make_tfile},
        {{"cast", arguments_in(cast_usage), "makes a cast of nodes: what is sent to its number goes to all of them"},
         make_cast},
        {{"cstate", arguments_in(cstate_usage), "lists the casts that nodes belong or send to"}, make_cstate}};
    return all;
}

}  // namespace

std::unique_ptr<Command> parse_command(const std::vector<std::string>& words, const Site& site) {
    for (const Known& one : known()) {
        if (!words.empty() && words[0] == one.help.name) return one.make(words, site);
    }
    return nullptr;
}

const std::vector<CommandHelp>& command_helps() {
    static const std::vector<CommandHelp> helps = [] {
        std::vector<CommandHelp> all;
        for (const Known& one : known()) all.push_back(one.help);
        return all;
    }();
    return helps;
}

}  // namespace trollius_commands
