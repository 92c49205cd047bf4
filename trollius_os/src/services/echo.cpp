// echod returns every message it gets.
#include <vector>

#include <trollius_os/services.hpp>

namespace trollius_os {

namespace services {

void echod(Api& api) {
    std::vector<std::byte> room;
    while (true) {
        Message message{.event = events::echod, .any_body = &room};
        api.nrecv(message);
        message.any_body = nullptr;
        message.node = NodeId(static_cast<NodeId::value_type>(message.data[1]));
        message.event = EventNo(message.data[2]);
        message.type = 0;
        api.answer(message);
    }
}

}  // namespace services

SimTime echo(Api& api, NodeId node, std::uint32_t bytes) {
    std::vector<std::byte> body(bytes);
    const SimTime began = api.port().now();
    Message message{.node = node,
                    .event = events::echod,
                    .data = {0, api.node().value(), api.process().reply_event().value()},
                    .length = bytes,
                    .body = body};
    api.nsend(message);
    Message answer{.event = api.process().reply_event(), .body = body};
    api.nrecv(answer);
    api.port().settle();
    return api.port().now() - began;
}

}  // namespace trollius_os
