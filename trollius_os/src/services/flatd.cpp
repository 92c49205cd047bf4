#include <trollius_os/services/flatd.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace trollius_os {

namespace services {
namespace {

class Modules {
public:
    explicit Modules(Calls& calls) : calls_(calls) {}

    // False: a request that makes no sense now.
    Task<bool> serve(const FlatRequest& request, std::uint32_t body_bytes) {
        const auto known = stored_.find(request.tag);
        const bool is_new = known == stored_.end();
        if (request.call == FlatCall::Begin) {
            const bool room = is_new && calls_.port().take_memory(request.bytes);
            if (room) stored_[request.tag] = {request.bytes, 0};
            co_await answer(request.caller, room);
            co_return true;
        }
        if (is_new) co_return false;
        if (request.call == FlatCall::Chunk) co_return co_await take(known->second, request.caller, body_bytes);
        calls_.port().give_back_memory(known->second.expected);
        stored_.erase(known);
        co_return true;
    }

private:
    struct Module {
        std::uint32_t expected = 0, got = 0;  // bytes
    };

    Task<bool> take(Module& module, const Caller& from, std::uint32_t bytes) {
        if (module.got >= module.expected) co_return false;
        module.got += bytes;
        if (module.got >= module.expected) co_await answer(from, true);
        co_return true;
    }
    Task<bool> answer(const Caller& to, bool done) {
        Message answer = answer_to(to, FlatAnswer{done ? 1 : 0});
        co_return co_await calls_.answer(answer);
    }

    Calls& calls_;
    std::map<std::int32_t, Module> stored_;  // by tag
};

}  // namespace

Task<> flatd(Calls& calls) {
    Modules modules(calls);
    std::vector<std::byte> room;
    while (true) {
        Message message{.event = events::flatd, .any_body = &room};
        co_await calls.nrecv(message);
        const auto request = decode<FlatRequest>(message);
        bool served = false;
        if (request) served = co_await modules.serve(*request, message.length);
        if (!served) calls.kernel().drop("flatd", "an unreadable request");
    }
}

}  // namespace services

using services::FlatCall;
using services::FlatRequest;

Shipped ship_module(Api& api, NodeId node, std::int32_t tag, std::uint32_t bytes) {
    const auto request = [&](FlatCall call, std::span<std::byte> body = {}) {
        return services::request_to(node, events::flatd, FlatRequest{call, services::caller(api), tag, bytes}, body);
    };
    Message begin = request(FlatCall::Begin);
    if (!api.answer(begin)) return Shipped::NoWay;
    if (decode<services::FlatAnswer>(services::await_answer(api)).done != 1) return Shipped::NoRoom;
    const std::uint32_t most = api.kernel().costs().most_packet;
    std::vector<std::byte> content(std::min(bytes, most));  // the bytes of a module mean nothing in the model
    for (std::uint32_t at = 0; at < bytes; at += most) {
        Message chunk = request(FlatCall::Chunk, std::span(content).first(std::min(bytes - at, most)));
        api.nsend(chunk);
    }
    services::await_answer(api);
    return Shipped::Whole;
}

void forget_module(Api& api, NodeId node, std::int32_t tag) {
    Message request = services::request_to(node, events::flatd, FlatRequest{FlatCall::Forget, services::caller(api), tag});
    api.nsend(request);
}

}  // namespace trollius_os
