#include "buffer_queries.hpp"

#include <cstring>
#include <span>

namespace trollius_os {

namespace services {
namespace {

bool is_of_user(const Message& m) {
    return m.event.value() >= 0;
}

void describe(const Message* packet, BufferAnswer& answer) {
    answer.packets = packet == nullptr ? 0 : 1;
    if (packet == nullptr) return;
    answer.type = packet->type;
    answer.length = packet->length;
    answer.more = (packet->flags & flags::more) != 0 ? 1 : 0;
}

}  // namespace

BufferAnswer obey(const BufferQuery& query, BufferPool& pool, std::vector<std::byte>& body) {
    BufferAnswer answer;
    switch (query.call) {
        case BufferCall::Wipe:
            answer.packets = pool.sweep([](const Message&) { return true; });
            break;
        case BufferCall::Sweep:
            answer.packets = pool.sweep(is_of_user);
            break;
        case BufferCall::SweepOne:
            answer.packets = pool.sweep([&](const Message& m) { return m.event == query.event; });
            break;
        case BufferCall::SetSpace:
            answer.packets = pool.set_space(query.space, query.user_space) ? 1 : 0;
            break;
        case BufferCall::Probe:
            describe(pool.oldest(query.event, query.type), answer);
            break;
        case BufferCall::Look: {
            const Message* packet = pool.look(query.first);
            describe(packet, answer);
            if (packet != nullptr) body.assign(packet->body.begin(), packet->body.end());
            break;
        }
        case BufferCall::State: {
            answer.packets = pool.packets();
            const auto records = pool.records(query.first);
            const auto bytes = std::as_bytes(std::span(records));
            body.assign(bytes.begin(), bytes.end());
            break;
        }
        case BufferCall::Receive:
            break;  // no query (BufferQuery::sound())
    }
    answer.used = pool.used();
    answer.space = pool.space();
    answer.user_space = pool.user_space();
    return answer;
}

Task<BufferAnswer> ask_buffers(Calls& calls, BufferQuery query, std::vector<std::byte>* room) {
    query.caller = {calls.node(), calls.process().reply_event()};
    const Conversation undisturbed(calls);
    Message request = request_to(calls.node(), events::bufferd, query);
    request.type = classes::control;
    Message answer{.event = calls.process().reply_event(), .any_body = room};
    co_await calls.ksr(request, answer);
    co_return decode<BufferAnswer>(answer);
}

}  // namespace services

namespace {

using services::BufferAnswer;
using services::BufferCall;
using services::BufferQuery;

// Asks the bufferd of any node. `room` takes the answer's body and is cut to it.
BufferAnswer ask(Api& api, NodeId node, BufferQuery query, std::vector<std::byte>* room = nullptr) {
    if (node == api.node()) return services::ask_buffers(api.calls(), query, room).get();
    const Conversation undisturbed(api.calls());
    query.caller = services::caller(api);
    Message request = services::request_to(node, events::bufferd, query);
    request.type = classes::control;
    api.nsend(request);
    Message answer{.event = api.process().reply_event(), .any_body = room};
    api.nrecv(answer);
    return decode<BufferAnswer>(answer);
}

}  // namespace

BufferState buffer_state(Api& api, NodeId node) {
    BufferState state;
    std::uint32_t stored = 0;
    do {
        std::vector<std::byte> room;
        const BufferAnswer answer =
            ask(api, node, {.call = BufferCall::State, .first = static_cast<std::uint32_t>(state.packets.size())}, &room);
        state.used = answer.used;
        state.space = answer.space;
        state.user_space = answer.user_space;
        stored = answer.packets;
        const std::size_t listed = room.size() / sizeof(services::BufferedPacket);
        if (listed == 0) break;  // the pool has shrunk meanwhile
        state.packets.resize(state.packets.size() + listed);
        std::memcpy(state.packets.data() + state.packets.size() - listed, room.data(), listed * sizeof state.packets[0]);
    } while (state.packets.size() < stored);
    return state;
}

std::uint32_t sweep_buffers(Api& api, NodeId node, std::optional<EventNo> only) {
    if (!only) return ask(api, node, {.call = BufferCall::Sweep}).packets;
    return ask(api, node, {.call = BufferCall::SweepOne, .event = *only}).packets;
}

std::uint32_t wipe_buffers(Api& api, NodeId node) {
    return ask(api, node, {.call = BufferCall::Wipe}).packets;
}

bool set_buffer_space(Api& api, NodeId node, std::uint32_t space, std::uint32_t user_space) {
    return ask(api, node, {.call = BufferCall::SetSpace, .space = space, .user_space = user_space}).packets == 1;
}

std::optional<std::vector<std::byte>> look_into_buffers(Api& api, NodeId node, std::uint32_t number) {
    std::vector<std::byte> body;
    if (ask(api, node, {.call = BufferCall::Look, .first = number}, &body).packets == 0) return std::nullopt;
    return body;
}

}  // namespace trollius_os
