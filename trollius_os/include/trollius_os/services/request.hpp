// The frame of requests and answers. A network request begins with the kind of request and the caller who waits for the answer.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include <trollius_os/api.hpp>
#include <trollius_os/services/pouch_codec.hpp>

namespace trollius_os::services {

// A node in a word. Ids have 16 bits. id() ignores the upper half of the word, so a request damaged there is still served.
struct NodeWord {
    std::int32_t word = 0;

    constexpr NodeWord() = default;
    constexpr NodeWord(NodeId node) : word(node.value()) {}
    constexpr NodeId id() const { return NodeId(static_cast<NodeId::value_type>(word)); }
    constexpr bool fits() const { return word == id().value(); }  // the upper half is empty
    friend constexpr auto operator<=>(NodeWord, NodeWord) = default;
};
static_assert(sizeof(NodeWord) == 4);

// The process that waits for the answer.
struct Caller {
    NodeWord node{};
    EventNo reply{};
    friend constexpr auto operator<=>(const Caller&, const Caller&) = default;
};
static_assert(sizeof(Caller) == 8);

inline Caller caller(Api& api) {
    return {api.node(), api.process().reply_event()};
}

// The words that all requests share.
struct RequestHead {
    std::int32_t what = 0;
    Caller caller{};
};
static_assert(sizeof(RequestHead) == 12);

template <InPouch Request>
Message request_to(NodeId node, EventNo service, const Request& request, std::span<std::byte> body = {}) {
    return {.node = node,
            .event = service,
            .data = encode(request),
            .length = static_cast<std::uint32_t>(body.size()),
            .body = body};
}

template <InPouch Answer>
Message answer_to(const Caller& caller, const Answer& answer, std::span<std::byte> body = {}) {
    return request_to(caller.node.id(), caller.reply, answer, body);
}

// Blocks until the answer arrives; its body goes into `room`.
inline Message await_answer(Api& api, std::span<std::byte> room = {}) {
    const Conversation undisturbed(api.calls());
    Message answer{.event = api.process().reply_event(), .body = room};
    api.nrecv(answer);
    return answer;
}

}  // namespace trollius_os::services
