#include <algorithm>

#include <fmt/format.h>

#include <trollius_commands/command_words.hpp>
#include <trollius_os/services.hpp>

#include "commands.hpp"

namespace trollius_commands {
namespace {

using trollius_os::Doomed;

const char* why(Doomed outcome) {
    switch (outcome) {
        case Doomed::NoProcess:
            return "not a process";
        case Doomed::Service:
            return "a system process";
        case Doomed::NoSignal:
            return "no such signal";
        case Doomed::Done:
            break;
    }
    return "";
}

// -4 is the signal, not an option's letter.
bool is_signal(const std::string& word) {
    return word.size() > 1 && word[0] == '-' &&
           std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

class Doom final : public NodesCommand {
public:
    Doom(Words words, const Site& site) : site_(site) {
        std::erase_if(words, [&](const std::string& word) {
            if (!is_signal(word) || word.size() > 4) return false;
            signal_ = std::stoi(word.substr(1));
            return true;
        });
        CommandWords given(words, site, "", "", doom_usage);
        nodes_ = given.take_nodes(false);
        choice_ = given.take_processes();
        given.end();
    }
    const char* name() const override { return "doom"; }

    // Processes named by pid need no list. Otherwise the node is asked for its processes first.
    bool step(std::size_t number, trollius_os::Api& api, std::string& text) override {
        const NodeId node = asks(number);
        bool done = true;
        for (const std::uint32_t pid : choice_.pids) done &= signal(api, node, vocabulary::ProcessId(pid), text);
        if (!choice_.pids.empty() && choice_.indexes.empty()) return done;
        const auto lines = trollius_os::state(api, node);
        for (const trollius_os::ProcessLine& line : lines) {
            const bool user = choice_.empty() && line.priority == 0;
            if (user || is_in(choice_.indexes, line.index)) done &= signal(api, node, line.pid, text);
        }
        for (const std::uint32_t index : choice_.indexes) {
            if (std::any_of(lines.begin(), lines.end(), [index](const auto& line) { return line.index == index; })) continue;
            text += fmt::format("{} %{}: not a process\n", node_text(node, site_), index);
            done = false;
        }
        return done;
    }

private:
    static bool is_in(const std::vector<std::uint32_t>& list, std::uint32_t number) {
        return std::find(list.begin(), list.end(), number) != list.end();
    }
    bool signal(trollius_os::Api& api, NodeId node, vocabulary::ProcessId pid, std::string& text) const {
        const Doomed outcome = trollius_os::doom(api, node, pid, signal_);
        if (outcome == Doomed::Done) return true;
        text += fmt::format("{} p{}: {}\n", node_text(node, site_), pid.value(), why(outcome));
        return false;
    }
    const Site site_;
    std::int32_t signal_ = trollius_os::signal_die;
    ProcessChoice choice_;
};

}  // namespace

std::unique_ptr<Command> make_doom(const Words& words, const Site& site) {
    return std::make_unique<Doom>(words, site);
}

}  // namespace trollius_commands
