// echod returns what it gets; filed prints on the host for programs that run on a node.
#include <algorithm>
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

void filed(Api& api, const NodeServices& services) {
    std::vector<std::byte> room(api.kernel().costs().most_packet);
    while (true) {
        Message request{.event = events::filed, .body = room};
        api.nrecv(request);
        const NodeId from(static_cast<NodeId::value_type>(request.data[1]));
        if (services.print) services.print(from, std::string(reinterpret_cast<const char*>(room.data()), request.length));
        Message answer{.node = from, .event = EventNo(request.data[2]), .data = {static_cast<std::int32_t>(request.length)}};
        api.answer(answer);
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

void print(Api& api, NodeId host, const std::string& text) {
    std::vector<std::byte> body(text.size());
    std::transform(text.begin(), text.end(), body.begin(), [](char c) { return static_cast<std::byte>(c); });
    const std::size_t most = api.kernel().costs().most_packet;
    for (std::size_t at = 0; at < body.size(); at += most) {
        const auto part = std::span(body).subspan(at, std::min(most, body.size() - at));
        Message request{.node = host,
                        .event = events::filed,
                        .data = {0, api.node().value(), api.process().reply_event().value()},
                        .length = static_cast<std::uint32_t>(part.size()),
                        .body = part};
        api.nsend(request);
        Message answer{.event = api.process().reply_event()};
        api.nrecv(answer);
    }
}

}  // namespace trollius_os
