#include <trollius_os/services/router.hpp>

namespace trollius_os {

namespace services {

Task<> router(Calls& calls, const RouteTable& routes) {
    while (true) {
        Message message{.event = events::router};
        co_await calls.krecv(message);
        const auto question = decode<RouteQuestion>(message);
        if (!question) {
            calls.kernel().drop("router", "an unreadable question");
            continue;
        }
        const std::size_t node = question->node.id().value();
        EventNo next = nowhere;
        if (node < routes.size()) {
            if (const auto link = routes[node]) next = datalink_event(*link);
        }
        Message answer{.event = EventNo(-static_cast<std::int32_t>(question->asker.value())),
                       .data = encode(RouteAnswer{next})};
        co_await calls.kernel().send_to_asker(calls.process(), answer.event, answer.type, answer, {question->asker, 0});
    }
}

}  // namespace services

Task<EventNo> ask_router(Calls& calls, NodeId node) {
    const Conversation undisturbed(calls);
    Message question{.event = events::router, .data = encode(services::RouteQuestion{node, calls.pid()})};
    co_await calls.ksend(question);
    Message answer{.event = calls.process().reply_event()};
    co_await calls.krecv(answer);
    co_return decode<services::RouteAnswer>(answer).next;
}

}  // namespace trollius_os
