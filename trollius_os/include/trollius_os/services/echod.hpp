// echod returns every message unchanged, words and body.
#pragma once

#include <cstdint>

#include <trollius_os/services/request.hpp>

namespace trollius_os {

namespace services {

struct EchoRequest {
    std::int32_t unused = 0;
    Caller caller{};
};
static_assert(sizeof(EchoRequest) == 12);

Task<> echod(Calls& calls);  // the process; never returns

}  // namespace services

// Sends one echo of `bytes`. Returns the true time of the round trip.
SimTime echo(Api& api, NodeId node, std::uint32_t bytes);

}  // namespace trollius_os
