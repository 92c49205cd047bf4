// traced keeps traces for processes of any node: buffers of bytes in lists with numbers. It begins with the first request for
// it. Lists with positive numbers belong to users. All lists of a node share traced.space, and the node's memory; when a buffer
// finds no room, the oldest ones of positive lists go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <trollius_os/error_numbers.hpp>
#include <trollius_os/services/request.hpp>

namespace trollius_os {

namespace services {

enum class TraceCall : std::int32_t { Store = 0, Get = 1, Forget = 2, Sweep = 3, Udie = 4, Wipe = 5 };

inline constexpr std::uint32_t trace_header = 16;  // bytes that a buffer takes beside its content: owner, list, length

// Store carries the buffer as body. Udie is for the process `pid` of `node`.
struct TraceRequest {
    TraceCall call = TraceCall::Store;
    Caller caller{};
    std::int32_t list = 0;
    NodeWord node{};
    vocabulary::ProcessId pid{};
    std::uint32_t from = 0;  // Get: place of the first byte wanted
    constexpr bool sound() const {
        return call >= TraceCall::Store && call <= TraceCall::Wipe && caller.node.fits() && node.fits() &&
               caller.reply.value() < 0 && !is_internal(caller.reply);
    }
};
static_assert(sizeof(TraceRequest) == 28);

// Body, for Get: bytes of the list, one packet at most.
struct TraceAnswer {
    ErrorNumber error = 0;
    std::uint32_t count = 0;  // Get: bytes of the whole list; Store: buffers that had to go; others: buffers discarded
};
static_assert(sizeof(TraceAnswer) == 8);

Task<> traced(Calls& calls);  // the process; never returns

}  // namespace services

// These calls block until the node has answered, without a time-out. A request costs traced.request there.
struct Traces {
    ErrorNumber error = 0;
    std::uint32_t count = 0;  // buffers that went
};
// Appends a buffer to a list. errors::message_length: it is longer than the space; errors::full: there is no room, and nothing
// may go. Its owner is the calling process.
Traces rtrstore(Api& api, NodeId node, std::int32_t list, std::span<const std::byte> bytes);
// The buffers of a list, the oldest first, one behind the other. They stay. Empty: there is no such list.
std::vector<std::byte> rtrget(Api& api, NodeId node, std::int32_t list);
Traces rtrforget(Api& api, NodeId node, std::int32_t list);                            // discards a list
Traces rtrsweep(Api& api, NodeId node);                                                // discards all positive lists
Traces rtrudie(Api& api, NodeId node, NodeId owners_node, vocabulary::ProcessId pid);  // discards what that process has stored
Traces rtrwipe(Api& api, NodeId node, std::int32_t list = 0);                          // discards a list, or with 0 all lists

}  // namespace trollius_os
