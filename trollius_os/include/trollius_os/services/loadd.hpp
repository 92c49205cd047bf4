// loadd, on the host, ships a program's module to flatd of the node where it shall run.
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
    std::int32_t tag = 0;  // flatd's on the destination; 0: there is no such program, or no memory for it
};
static_assert(sizeof(LoadAnswer) == 4);

void loadd(Api& api, const NodeServices& services);  // the process; for ever

}  // namespace services

// Loads a program into `node` and starts it there: loadd ships the module to flatd, kenyad creates the process. Nothing: the
// node has no memory for it.
std::optional<vocabulary::ProcessId> loadgo(Api& api, NodeId node, NodeId host, const std::string& program,
                                            std::int32_t argument);

}  // namespace trollius_os
