// cast and cstate: lists of nodes that one message goes to. The host makes them; each node's castd is asked for those it knows.
#include <utility>

#include <fmt/format.h>

#include <trollius_commands/command_words.hpp>
#include <trollius_os/services.hpp>

#include "commands.hpp"

namespace trollius_commands {
namespace {

std::string node_list(const std::vector<NodeId>& nodes, const Site& site) {
    std::string text;
    for (const NodeId node : nodes) text += (text.empty() ? "" : ",") + node_text(node, site);
    return text;
}

// One step, which the host answers when all nodes of the cast have.
class Cast final : public Command {
public:
    Cast(const Words& words, const Site& site) : site_(site) {
        CommandWords given(words, site, "", "", cast_usage);
        members_ = given.take_nodes(false);
        given.end();
    }
    const char* name() const override { return "cast"; }
    std::size_t steps() const override { return 1; }
    NodeId asks(std::size_t) const override { return site_.host; }
    bool step(std::size_t, trollius_os::Api& api, std::string& text) override {
        const trollius_os::CastCreated created = trollius_os::rcast(api, members_);
        text += created.error == 0
                    ? fmt::format("cast {}: {}\n", created.cast.value(), node_list(members_, site_))
                    : fmt::format("{}: {}\n", node_list(members_, site_), trollius_os::error_text(created.error));
        return created.error == 0;
    }

private:
    const Site site_;
    std::vector<NodeId> members_;
};

class Cstate final : public NodesCommand {
public:
    Cstate(const Words& words, const Site& site) : site_(site) {
        CommandWords given(words, site, "", "", cstate_usage);
        nodes_ = given.take_nodes(true);
        given.end();
    }
    const char* name() const override { return "cstate"; }
    std::string head() const override {
        return fmt::format("{:<6} {:<6} {:>8} {:>8} {}\n", "NODE", "CAST", "SENT", "RECEIVED", "NODES");
    }
    bool step(std::size_t number, trollius_os::Api& api, std::string& text) override {
        for (const trollius_os::CastState& cast : trollius_os::cast_state(api, asks(number)))
            text += fmt::format("{:<6} {:<6} {:>8} {:>8} {}\n", node_text(asks(number), site_), cast.cast.value(), cast.sent,
                                cast.received, node_list(cast.nodes, site_));
        return true;
    }

private:
    const Site site_;
};

}  // namespace

std::unique_ptr<Command> make_cast(const Words& words, const Site& site) {
    return std::make_unique<Cast>(words, site);
}
std::unique_ptr<Command> make_cstate(const Words& words, const Site& site) {
    return std::make_unique<Cstate>(words, site);
}

}  // namespace trollius_commands
