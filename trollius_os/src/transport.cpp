// The calls of Calls that do not wait, and the transport layer. Both are made of the network layer's calls.
#include <trollius_os/calls.hpp>
#include <trollius_os/services/bufferd.hpp>
#include <trollius_os/services/request.hpp>

namespace trollius_os {
namespace {

// The first message of a transport: the sender's place. Its answer goes there.
struct Ready {
    services::Caller sender{};
    constexpr bool sound() const { return sender.node.fits() && sender.reply.value() < 0 && !is_internal(sender.reply); }
};
// The second: the receiver's own event, where the message itself goes.
struct Clear {
    EventNo receiver{};
    constexpr bool sound() const { return receiver.value() < 0 && !is_internal(receiver); }
};

}  // namespace

Task<std::optional<Probed>> Calls::nprobe(EventNo event, std::int32_t type) {
    const services::BufferAnswer answer =
        co_await services::ask_buffers(*this, {.call = services::BufferCall::Probe, .event = event, .type = type});
    if (answer.packets == 0) co_return std::nullopt;
    co_return Probed{answer.type, answer.length, answer.more != 0};
}

Task<Outcome> Calls::ntry_recv(Message& message) {
    if (!kernel_.is_offered(message.event, message.type)) {
        if ((message.flags & flags::no_buffer) != 0) co_return co_await krecv(message, false);  // WouldBlock, at its cost
        const auto probed = co_await nprobe(message.event, message.type);
        if (!probed) co_return Outcome::WouldBlock;
    }
    co_return co_await nrecv(message);
}

Task<Outcome> Calls::tsend(Message& message) {
    Message ready{.node = message.node,
                  .event = message.event,
                  .type = message.type,
                  .flags = message.flags,
                  .data = encode(Ready{{node(), process_.reply_event()}})};
    const Outcome begun = co_await nsend(ready);
    if (begun == Outcome::Interrupted) co_return begun;
    std::optional<Clear> clear;
    while (!clear) {
        Message answer{.event = process_.reply_event()};
        const Outcome got = co_await nrecv(answer);
        if (got == Outcome::Interrupted) continue;
        clear = decode<Clear>(answer);
        if (!clear) kernel_.drop("tsend", "an answer without the receiver's event");
    }
    Message whole = message;
    whole.event = clear->receiver;
    Outcome sent = Outcome::Interrupted;
    while (sent == Outcome::Interrupted) sent = co_await nsend(whole);
    co_return Outcome::Done;
}

Task<Outcome> Calls::trecv(Message& message) {
    bool cleared = false;
    while (!cleared) {
        Message first{.event = message.event, .type = message.type, .flags = message.flags};
        const Outcome got = co_await nrecv(first);
        if (got == Outcome::Interrupted) co_return got;
        const auto ready = decode<Ready>(first);
        if (!ready) {
            kernel_.drop("trecv", "a message that does not name its sender");
            continue;
        }
        Message clear{
            .node = ready->sender.node.id(), .event = ready->sender.reply, .data = encode(Clear{process_.reply_event()})};
        cleared = co_await answer(clear);  // false: the sender's node cannot be reached
    }
    const EventNo event = message.event;
    message.event = process_.reply_event();
    Outcome got = Outcome::Interrupted;
    while (got == Outcome::Interrupted) got = co_await nrecv(message);
    message.event = event;
    co_return got;
}

}  // namespace trollius_os
