// flatd keeps load modules in the node's memory, each under a tag. Every packet of a module is a separate request, so flatd
// needs no long conversation.
#pragma once

#include <cstdint>

#include <trollius_os/services/request.hpp>

namespace trollius_os {

namespace services {

enum class FlatCall : std::int32_t { Begin = 1, Chunk = 2, Forget = 3 };

// Begin allocates the memory and gets an answer. A Chunk carries its bytes as body; the last one gets an answer. Forget frees
// the memory and gets none.
struct FlatRequest {
    FlatCall call = FlatCall::Begin;
    Caller caller{};
    std::int32_t tag = 0;
    std::uint32_t bytes = 0;  // size of the whole module
    constexpr bool sound() const { return call == FlatCall::Begin || call == FlatCall::Chunk || call == FlatCall::Forget; }
};
static_assert(sizeof(FlatRequest) == 20);

struct FlatAnswer {
    std::int32_t done = 0;  // 1: memory allocated, or module complete
};
static_assert(sizeof(FlatAnswer) == 4);

Task<> flatd(Calls& calls);  // the process; never returns

}  // namespace services

// NoRoom: the node lacks memory or has the tag already. NoWay: it is unreachable.
enum class Shipped { Whole, NoRoom, NoWay };
// Ships a module of `bytes`, packet by packet, and waits for the last answer.
Shipped ship_module(Api& api, NodeId node, std::int32_t tag, std::uint32_t bytes);
void forget_module(Api& api, NodeId node, std::int32_t tag);  // does not wait

}  // namespace trollius_os
