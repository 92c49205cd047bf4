// The calls of processes that use casts.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <trollius_os/services/castd.hpp>

#include "../packet_number.hpp"
#include "cast_rounds.hpp"
#include "cast_words.hpp"

namespace trollius_os {

using services::CastAnswer;
using services::CastCall;
using services::CastHead;
using services::CastPacket;
using services::CastRequest;
using services::NodeWord;

namespace {

CastAnswer ask_castd(Api& api, NodeId node, CastRequest request, std::span<std::byte> body, std::vector<std::byte>* room) {
    const Conversation undisturbed(api.calls(), Conversation::With::Users);
    request.caller = services::caller(api);
    Message message = services::request_to(node, events::castd, request, body);
    api.nsend(message);
    Message answer{.event = api.process().reply_event(), .any_body = room};
    api.nrecv(answer);
    return decode<CastAnswer>(answer);
}

// Begins and ends are counted apart, since two processes of a node may overtake each other. Round n is over only when n calls
// have begun on each node. The n-th call that ends on a node has seen n rounds. So each begin n precedes each end n.
void tell_of_round(Api& api, KernelAct act, NodeId cast) {
    Kernel::CastUse* const use = api.kernel().cast_use(cast);
    if (use == nullptr) return;
    const std::uint32_t number = ++(act == KernelAct::CollectiveBegin ? use->begun : use->ended);
    api.kernel().tell({.act = act, .peer = cast, .event = all_to_all, .bytes = number}, api.calls()).get();
}

}  // namespace

CastCreated rcast(Api& api, std::span<const NodeId> nodes) {
    std::vector<NodeWord> words(nodes.begin(), nodes.end());
    const auto body = std::as_writable_bytes(std::span(words));
    if (body.size() > api.kernel().costs().most_packet) return {errors::message_length, {}};
    const CastAnswer answer = ask_castd(api, api.kernel().host(), {.call = CastCall::Create}, body, nullptr);
    return {answer.error, answer.cast.id()};
}

CastNodes rcask(Api& api, NodeId cast) {
    std::vector<std::byte> room;
    const CastAnswer answer = ask_castd(api, api.kernel().host(), {.call = CastCall::Ask, .cast = cast}, {}, &room);
    return {answer.error, services::ids(services::words_of<NodeWord>(room))};
}

std::vector<CastState> cast_state(Api& api, NodeId node) {
    std::vector<std::byte> room;
    const CastAnswer answer = ask_castd(api, node, {.call = CastCall::List}, {}, &room);
    std::vector<CastState> casts;
    std::span<const std::byte> rest = room;
    for (std::uint32_t i = 0; i < answer.count && rest.size() >= sizeof(services::CastLine); ++i) {
        services::CastLine line;
        std::memcpy(&line, rest.data(), sizeof line);
        rest = rest.subspan(sizeof line);
        const std::size_t bytes = std::min(rest.size(), line.nodes * sizeof(NodeWord));
        casts.push_back(
            {line.cast.id(), line.sent, line.received, services::ids(services::words_of<NodeWord>(rest.first(bytes)))});
        rest = rest.subspan(bytes);
    }
    return casts;
}

ErrorNumber ncombine(Api& api, NodeId cast, Reduction how, WordKind kind, std::span<std::int32_t> words) {
    if (words.size_bytes() > api.kernel().costs().most_packet) return errors::message_length;
    std::vector<std::byte> room;
    const CastRequest request{.call = CastCall::Combine, .cast = cast, .two = services::how_word(how, kind)};
    tell_of_round(api, KernelAct::CollectiveBegin, cast);
    const CastAnswer answer = ask_castd(api, api.node(), request, std::as_writable_bytes(words), &room);
    if (answer.error != errors::bad_node) tell_of_round(api, KernelAct::CollectiveEnd, cast);
    if (answer.error == 0 && room.size() == words.size_bytes() && !room.empty())
        std::memcpy(words.data(), room.data(), room.size());
    return answer.error;
}

std::optional<services::CastContent> services::cast_in(const Message& packet) {
    if (packet.event != events::castd || packet.type != cast_packet || packet.length < sizeof(CastHead)) return {};
    const auto name = decode<CastPacket>(packet);
    if (!name) return {};
    CastHead head;
    std::memcpy(&head, packet.body.data(), sizeof head);
    return CastContent{name->cast.id(), head.event, head.type, head.flags,
                       packet.length - static_cast<std::uint32_t>(sizeof head)};
}

// Each packet goes to the castd of this node, with its own header at the beginning of the body.
Task<Calls::Left> Calls::send_to_cast(const Message& message, SendMode mode) {
    const std::uint32_t most = kernel_.costs().most_packet - sizeof(CastHead);
    std::vector<std::byte> content;
    std::uint32_t sent = 0;
    do {
        const std::uint32_t length = std::min(message.length - sent, most);
        CastHead head{message.event, message.type, message.flags & ~flags::no_buffer, message.data};
        if (sent > 0) head.flags |= flags::second;
        if ((message.flags & flags::numbered) != 0) head.data[packet_number_word] = static_cast<std::int32_t>(sent / most);
        if (sent + length < message.length) head.flags |= flags::more;
        content.resize(sizeof head + length);
        std::memcpy(content.data(), &head, sizeof head);
        if (length > 0) std::memcpy(content.data() + sizeof head, message.body.data() + sent, length);
        sent += length;
        const std::uint32_t number = mode.tag && !mode.begun ? mode.tag->number : 0;
        Message packet = services::request_to(node(), events::castd, CastPacket{message.node, node(), number}, content);
        packet.type = cast_packet;
        packet.flags = message.flags & flags::account;
        Left left = Left::Interrupted;
        do {
            left = co_await send_packet(packet, mode);
        } while (left == Left::Interrupted && mode.begun);
        if (left != Left::Sent) co_return left;
        mode.wait = mode.begun = true;
    } while (sent < message.length);
    co_return Left::Sent;
}

}  // namespace trollius_os
