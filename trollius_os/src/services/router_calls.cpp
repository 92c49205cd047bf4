// The clients of router.
#include <algorithm>
#include <cstring>

#include <trollius_os/services/router.hpp>

namespace trollius_os {

using services::RouteAnswer;
using services::RouteQuestion;
using services::RouterCall;

namespace {

ErrorNumber order(Api& api, NodeId at, const services::RouterOrder& what, std::span<std::byte> body = {}) {
    if (at == api.node()) {
        const RouteQuestion question{.node = what.node, .call = what.call, .type = what.smart};
        return services::ask_router(api.calls(), question, body).get().error;
    }
    const Conversation undisturbed(api.calls());
    services::RouterOrder words = what;
    words.caller = services::caller(api);
    Message request = services::request_to(at, events::route_orders, words, body);
    api.nsend(request);
    return decode<services::RouterOrderAnswer>(services::await_answer(api)).error;
}

}  // namespace

NodeKind getrent(Api& api, NodeId node) {
    const RouteAnswer answer = services::ask_router(api.calls(), {.node = node, .call = RouterCall::Type}).get();
    return {answer.error, answer.next, answer.type};
}

std::uint32_t getntype(Api& api, std::int32_t type, std::int32_t mask) {
    return services::ask_router(api.calls(), {.call = RouterCall::Count, .type = type, .mask = mask}).get().count;
}

std::vector<NodeId> getnodes(Api& api, std::int32_t type, std::int32_t mask) {
    std::vector<NodeId> nodes;
    std::uint32_t all = 0;
    do {
        std::vector<std::byte> room;
        const RouteQuestion question{
            .call = RouterCall::List, .type = type, .mask = mask, .first = static_cast<std::uint32_t>(nodes.size())};
        all = services::ask_router(api.calls(), question, {}, &room).get().count;
        std::vector<services::NodeWord> words(room.size() / sizeof(services::NodeWord));
        if (words.empty()) break;  // the table has changed meanwhile
        std::memcpy(words.data(), room.data(), words.size() * sizeof words[0]);
        for (const services::NodeWord word : words) nodes.push_back(word.id());
    } while (nodes.size() < all);
    return nodes;
}

void getsmart(Api& api) {
    services::ask_router(api.calls(), {.call = RouterCall::AwaitSmart}).get();
}

ErrorNumber rrsetrents(Api& api, NodeId at, std::span<const services::RouteEntry> entries) {
    const std::size_t most = api.kernel().costs().most_packet / sizeof(services::RouteEntry);
    ErrorNumber error = 0;
    for (std::size_t done = 0; done < entries.size() && error == 0; done += most) {
        const auto part = std::as_bytes(entries.subspan(done, std::min(most, entries.size() - done)));
        std::vector<std::byte> body(part.begin(), part.end());
        error = order(api, at, {.call = RouterCall::SetEntries}, body);
    }
    return error;
}

ErrorNumber rremrent(Api& api, NodeId at, NodeId node) {
    return order(api, at, {.call = RouterCall::Remove, .node = node});
}

ErrorNumber rrsetsmart(Api& api, NodeId at, bool smart) {
    return order(api, at, {.call = RouterCall::SetSmart, .smart = smart ? 1 : 0});
}

}  // namespace trollius_os
