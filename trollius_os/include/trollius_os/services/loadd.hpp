// loadd, on the host, ships a program's module to flatd on the destination node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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
    std::int32_t tag = 0;  // flatd's tag on the destination; 0: unknown program, or no memory for it
};
static_assert(sizeof(LoadAnswer) == 4);

void loadd(Api& api, const NodeServices& services);  // the process; never returns

}  // namespace services

// Loads a program into `node` and starts it there: loadd ships the module to flatd, kenyad creates the process. Empty: the node
// lacks memory for it. `flags`: as for create_process().
std::optional<vocabulary::ProcessId> loadgo(Api& api, NodeId node, NodeId host, const std::string& program,
                                            std::int32_t argument, std::int32_t flags = 0);

}  // namespace trollius_os
