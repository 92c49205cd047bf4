#include <trollius_os/services/echod.hpp>

#include <vector>

namespace trollius_os {

namespace services {

Task<> echod(Calls& calls) {
    std::vector<std::byte> room;
    while (true) {
        Message message{.event = events::echod, .any_body = &room};
        co_await calls.nrecv(message);
        const Caller caller = decode<EchoRequest>(message).caller;
        message.any_body = nullptr;
        message.node = caller.node.id();
        message.event = caller.reply;
        message.type = 0;
        co_await calls.answer(message);
    }
}

}  // namespace services

SimTime echo(Api& api, NodeId node, std::uint32_t bytes) {
    std::vector<std::byte> body(bytes);
    const SimTime began = api.port().now();
    const Conversation undisturbed(api.calls());
    Message message = services::request_to(node, events::echod, services::EchoRequest{.caller = services::caller(api)}, body);
    api.nsend(message);
    services::await_answer(api, body);
    api.settle();
    return api.port().now() - began;
}

}  // namespace trollius_os
