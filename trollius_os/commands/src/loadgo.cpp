#include <algorithm>

#include <fmt/format.h>

#include <trollius_commands/command_words.hpp>
#include <trollius_os/services.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include "commands.hpp"

namespace trollius_commands {
namespace {

using trollius_os::CreateError;

const char* why(CreateError error) {
    switch (error) {
        case CreateError::UnknownProgram:
            return "there is no such program";
        case CreateError::NoMemory:
            return "the node has too little memory for it";
        case CreateError::NoBlock:
            return "its module did not arrive whole";
        case CreateError::Damaged:
            return "its module came damaged: bad magic number";
        case CreateError::TableFull:
            return "the node's process table is full";
        case CreateError::None:
            break;
    }
    return "";
}

// Programs on nodes, node by node. With -w a last step waits for their ends.
class Loadgo final : public Command {
public:
    Loadgo(const Words& words, const Site& site) : site_(site) {
        CommandWords given(words, site, "vw", "", loadgo_usage);
        says_ = given.has('v');
        waits_ = given.has('w');
        nodes_ = given.take_nodes(false);
        programs_ = given.take_rest();
        if (programs_.empty()) given.fail("no program is named");
        for (const std::string& program : programs_) {
            if (std::find(site.programs.begin(), site.programs.end(), program) != site.programs.end()) continue;
            throw vocabulary::RequestError(
                fmt::format("there is no program '{}'{}", program, vocabulary::did_you_mean(program, site.programs)));
        }
        arguments_ = given.arguments();
    }
    const char* name() const override { return "loadgo"; }
    std::size_t steps() const override { return loads() + (waits_ ? loads() : 0); }
    NodeId asks(std::size_t step) const override { return nodes_[step % loads() / programs_.size()]; }
    // A module takes its time over the links: some 2 us a byte on a long way.
    SimTime takes(std::size_t step) const override { return step < loads() ? SimTime::s(10) : SimTime::never(); }

    bool step(std::size_t number, trollius_os::Api& api, std::string& text) override {
        if (number >= loads()) return wait(api, text);
        const std::string& program = programs_[number % programs_.size()];
        const std::string node = node_text(asks(number), site_);
        const std::int32_t flags = waits_ ? trollius_os::services::rtf_wait : 0;
        const auto created = trollius_os::loadgo(api, asks(number), site_.host, program, arguments_, flags);
        if (!created) {
            text += fmt::format("{}: {} is not loaded: {}\n", node, program, why(created.error));
            return false;
        }
        ++running_;
        if (says_) text += fmt::format("[{}] p{} {} running on {}\n", created.index, created.pid.value(), program, node);
        return true;
    }

private:
    std::size_t loads() const { return nodes_.size() * programs_.size(); }
    bool wait(trollius_os::Api& api, std::string& text) {
        if (running_ == 0) return true;
        const trollius_os::ChildEnd end = trollius_os::wait_for_child(api);
        --running_;
        if (end.status == 0) return true;
        text += fmt::format("{} on {} exited with status {}\n", end.pid.value(), node_text(end.node, site_), end.status);
        return true;
    }
    const Site site_;
    bool says_ = false, waits_ = false;
    std::vector<NodeId> nodes_;
    std::vector<std::string> programs_;
    trollius_os::Arguments arguments_;
    std::size_t running_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_loadgo(const Words& words, const Site& site) {
    return std::make_unique<Loadgo>(words, site);
}

}  // namespace trollius_commands
