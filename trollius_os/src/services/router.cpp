#include <trollius_os/services/router.hpp>

namespace trollius_os {

namespace services {

void router(Api& api, const RouteTable& routes) {
    while (true) {
        Message message{.event = events::router};
        api.krecv(message);
        const auto question = decode<RouteQuestion>(message);
        if (!question) {
            api.kernel().drop("router", "an unreadable question");
            continue;
        }
        const std::size_t node = question->node.id().value();
        EventNo next = nowhere;
        if (node < routes.size() && routes[node]) next = datalink_event(*routes[node]);
        Message answer{.event = EventNo(-static_cast<std::int32_t>(question->asker.value())),
                       .data = encode(RouteAnswer{next})};
        api.ksend(answer);
    }
}

}  // namespace services

EventNo ask_router(Api& api, NodeId node) {
    Message question{.event = events::router, .data = encode(services::RouteQuestion{node, api.pid()})};
    api.ksend(question);
    Message answer{.event = api.process().reply_event()};
    api.krecv(answer);
    return decode<services::RouteAnswer>(answer).next;
}

}  // namespace trollius_os
