// flatd keeps load modules in the node's memory, each under a tag. Every packet of a module is a request of its own, so flatd
// needs no long conversation.
#pragma once

#include <cstdint>

#include <trollius_os/services/request.hpp>

namespace trollius_os {

namespace services {

enum class FlatCall : std::int32_t { Begin = 1, Chunk = 2, Forget = 3 };

// Begin takes the memory and is answered. A Chunk, with its bytes as body, is answered when it is the last. Forget gives the
// memory back and is not answered.
struct FlatRequest {
    FlatCall call = FlatCall::Begin;
    Caller caller{};
    std::int32_t tag = 0;
    std::uint32_t bytes = 0;  // of the whole module
    constexpr bool sound() const { return call == FlatCall::Begin || call == FlatCall::Chunk || call == FlatCall::Forget; }
};
static_assert(sizeof(FlatRequest) == 20);

struct FlatAnswer {
    std::int32_t done = 0;  // 1: there was room, or the module is complete
};
static_assert(sizeof(FlatAnswer) == 4);

void flatd(Api& api);  // the process; for ever

}  // namespace services

// Ships `bytes` of a module, packet by packet, and waits until the last has been taken.
enum class Shipped { Whole, NoRoom, NoWay };  // NoRoom: the node lacks memory, or has the tag; NoWay: no way leads to it
Shipped ship_module(Api& api, NodeId node, std::int32_t tag, std::uint32_t bytes);
void forget_module(Api& api, NodeId node, std::int32_t tag);  // does not wait

}  // namespace trollius_os
