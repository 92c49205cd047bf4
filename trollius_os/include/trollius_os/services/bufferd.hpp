// bufferd keeps the node's messages that nobody has taken yet. A request to it is a message of class control from a process of
// the node; the message asked for is the answer. A worker for each link fetches what is stored for that link.
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

void bufferd(Api& api);                     // the process; for ever
void buffer_worker(Api& api, LinkNo link);  // likewise

}  // namespace services

// Half of a buffered receive: tells bufferd that the caller waits for a message of this event and type. A process asks as
// number `asker.request`. A link's worker, which gets nothing from any other sender, asks as number 0.
void request_from_buffers(Api& api, EventNo event, std::int32_t type, const BufferAsker& asker);

}  // namespace trollius_os
