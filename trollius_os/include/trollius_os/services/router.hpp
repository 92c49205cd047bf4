// router tells the processes of its node the event by which a message for another node leaves. Question and answer stay on the
// node.
#pragma once

#include <trollius_os/services/request.hpp>
#include <trollius_os/services/route_table.hpp>

namespace trollius_os {

namespace services {

struct RouteQuestion {
    NodeWord node{};
    vocabulary::ProcessId asker{};
    constexpr bool sound() const { return node.fits(); }
};
static_assert(sizeof(RouteQuestion) == 8);

struct RouteAnswer {
    EventNo next{};  // the output of a link, or `nowhere`
};
static_assert(sizeof(RouteAnswer) == 4);

Task<> router(Calls& calls, const RouteTable& routes);  // the process; never returns

}  // namespace services

// Asks the router of the caller's node; costs two rendez-vous.
Task<EventNo> ask_router(Calls& calls, NodeId node);

}  // namespace trollius_os
