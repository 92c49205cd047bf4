// bfstate, buffer and sweep: the pools of bufferd.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <trollius_commands/command_words.hpp>
#include <trollius_os/services.hpp>

#include "commands.hpp"

namespace trollius_commands {
namespace {

using trollius_os::BufferState;
using trollius_os::services::BufferedPacket;

class Bfstate final : public NodesCommand {
public:
    Bfstate(const Words& words, const Site& site) : site_(site) {
        CommandWords given(words, site, "glp", "B", bfstate_usage);
        system_ = given.has('g');
        limits_ = given.has('l');
        packets_ = given.has('p');
        most_ = given.number('B', UINT32_MAX, 1, UINT32_MAX);
        nodes_ = given.take_nodes(true);
        given.end();
    }
    const char* name() const override { return "bfstate"; }
    std::string head() const override {
        return limits_ ? "" : fmt::format("{:<9} {:<9} {:<11} {:<8} {}\n", "NODE", "DEST", "EVENT", "TYPE", "LENGTH");
    }
    bool step(std::size_t number, trollius_os::Api& api, std::string& text) override {
        const std::string node = node_text(asks(number), site_);
        const BufferState state = trollius_os::buffer_state(api, asks(number));
        if (limits_) {
            text += fmt::format("{:<9} max space = {}, used space = {}, user space = {}\n", node, state.space, state.used,
                                state.user_space);
            return true;
        }
        std::uint32_t lines = 0;
        for (const BufferedPacket& message : packets_ ? state.packets : messages_in(state.packets)) {
            if (!system_ && message.event.value() < 0) continue;
            if (++lines > most_) {
                text += fmt::format("{:<9} ...and more buffered messages...\n", node);
                break;
            }
            text += fmt::format("{:<9} {:<9} {:<11} {:<8x} {}\n", node, node_text(message.node.id(), site_),
                                message.event.value(), message.type, message.length);
        }
        return true;
    }

private:
    // Packets of one message as one. A packet that is not the first continues the last message of its destination that has more
    // packets.
    static std::vector<BufferedPacket> messages_in(const std::vector<BufferedPacket>& packets) {
        std::vector<BufferedPacket> messages;
        for (const BufferedPacket& packet : packets) {
            const auto continued = std::find_if(messages.begin(), messages.end(), [&](const BufferedPacket& m) {
                return m.node == packet.node && m.event == packet.event && m.type == packet.type &&
                       (m.flags & trollius_os::flags::more) != 0;
            });
            if ((packet.flags & trollius_os::flags::second) == 0 || continued == messages.end()) {
                messages.push_back(packet);
                continue;
            }
            continued->length += packet.length;
            continued->flags = packet.flags;
        }
        return messages;
    }
    const Site site_;
    bool system_ = false, limits_ = false, packets_ = false;
    std::uint32_t most_ = 0;
};

class Buffer final : public NodesCommand {
public:
    Buffer(const Words& words, const Site& site) : site_(site) {
        CommandWords given(words, site, "R", "seu", buffer_usage);
        sweep_ = given.has('R') || given.has('e');
        if (const auto event = given.value('e')) event_ = event_in(*event, given);
        if (given.has('s')) space_ = given.number('s', 0, 1, UINT32_MAX);
        if (given.has('u')) user_space_ = given.number('u', 0, 1, UINT32_MAX);
        if (!sweep_ && !space_ && !user_space_) given.fail("nothing to do");
        nodes_ = given.take_nodes(false);
        given.end();
    }
    Buffer(std::vector<NodeId> nodes, const Site& site) : site_(site), sweep_(true) { nodes_ = std::move(nodes); }
    const char* name() const override { return "buffer"; }
    bool step(std::size_t number, trollius_os::Api& api, std::string& text) override {
        const NodeId node = asks(number);
        if (sweep_) trollius_os::sweep_buffers(api, node, event_);
        if (!space_ && !user_space_) return true;
        const BufferState now = trollius_os::buffer_state(api, node);
        const std::uint32_t space = space_.value_or(now.space);
        const std::uint32_t user_space = user_space_.value_or(std::min(now.user_space, space));
        if (trollius_os::set_buffer_space(api, node, space, user_space)) return true;
        text += fmt::format("{}: refused: a pool holds at least one packet, and the users' part is not larger than the pool\n",
                            node_text(node, site_));
        return false;
    }

private:
    static vocabulary::EventNo event_in(const std::string& text, const CommandWords& given) {
        const bool negative = text.starts_with('-');
        std::size_t end = 0;
        long value = 0;
        try {
            value = std::stol(text, &end, 0);
        } catch (const std::exception&) {
            end = 0;
        }
        if (end != text.size() || end <= (negative ? 1U : 0U) || value < INT32_MIN || value > INT32_MAX)
            given.fail(fmt::format("'-e {}': expected an event, a whole number of 32 bits", text));
        return vocabulary::EventNo(static_cast<std::int32_t>(value));
    }
    const Site site_;
    bool sweep_ = false;
    std::optional<vocabulary::EventNo> event_;
    std::optional<std::uint32_t> space_, user_space_;
};

}  // namespace

std::unique_ptr<Command> make_bfstate(const Words& words, const Site& site) {
    return std::make_unique<Bfstate>(words, site);
}
std::unique_ptr<Command> make_buffer(const Words& words, const Site& site) {
    return std::make_unique<Buffer>(words, site);
}
std::unique_ptr<Command> make_sweep(const Words& words, const Site& site) {
    CommandWords given(words, site, "", "", sweep_usage);
    auto nodes = given.take_nodes(false);
    given.end();
    return std::make_unique<Buffer>(std::move(nodes), site);
}

}  // namespace trollius_commands
