// router: answers "by which event does a message for node N leave here?"
#include <trollius_os/services.hpp>

namespace trollius_os::services {

void router(Api& api, const RouteTable& routes) {
    while (true) {
        Message question{.event = events::router};
        api.krecv(question);
        const auto node = static_cast<std::size_t>(question.data[0]);
        EventNo next = nowhere;
        if (node < routes.size() && routes[node]) next = datalink_event(*routes[node]);
        Message answer{.event = EventNo(-question.data[1]), .data = {next.value()}};
        api.ksend(answer);
    }
}

}  // namespace trollius_os::services
