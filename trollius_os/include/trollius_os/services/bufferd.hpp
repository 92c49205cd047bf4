// bufferd stores the node's messages until a process takes them. A request is a message of class control from a process of the
// node; the answer is the requested message. A worker for each link fetches the messages for that link.
#pragma once

#include <cstdint>

#include <trollius_os/services/request.hpp>

namespace trollius_os {

namespace services {

enum class BufferCall : std::int32_t { Receive = 1 };

struct BufferRequest {
    BufferCall call = BufferCall::Receive;
    EventNo event{};
    std::int32_t type = 0;
    BufferAsker asker{};
    constexpr bool sound() const { return call == BufferCall::Receive; }
};
static_assert(sizeof(BufferRequest) == 20);

Task<> bufferd(Calls& calls);                     // the process; never returns
Task<> buffer_worker(Calls& calls, LinkNo link);  // likewise

}  // namespace services

// First half of a buffered receive: asks bufferd for a message of this event and type. A process passes its request's number in
// `asker.request`. A link's worker receives from bufferd only and passes 0.
Task<> request_from_buffers(Calls& calls, EventNo event, std::int32_t type, const BufferAsker& asker);

}  // namespace trollius_os
