// loadd, on the host, ships a program's module to flatd on the destination node.
#pragma once

#include <cstdint>
#include <string>

#include <trollius_os/services/kenyad.hpp>
#include <trollius_os/services/request.hpp>

namespace trollius_os {

struct NodeServices;

namespace services {

// Body: the program's name.
struct LoadRequest {
    std::int32_t unused = 0;
    Caller caller{};
    NodeWord destination{};
};
static_assert(sizeof(LoadRequest) == 16);

struct LoadAnswer {
    std::int32_t tag = 0;  // flatd's tag on the destination, owned by the answering node; 0: `error` says why
    CreateError error = CreateError::None;
};
static_assert(sizeof(LoadAnswer) == 8);

void loadd(Api& api, const NodeServices& services);  // the process; never returns

}  // namespace services

// Loads a program into `node` and starts it there: loadd ships the module to flatd, kenyad creates the process. `flags`: as for
// create_process().
Created loadgo(Api& api, NodeId node, NodeId host, const std::string& program, const Arguments& arguments = {},
               std::int32_t flags = 0);

}  // namespace trollius_os
