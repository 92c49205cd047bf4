// flatd keeps load modules and argument blocks in the node's memory, each under a name. Every packet is a separate request:
// there is no long conversation. kenyad takes blocks from flatd's table, which lies in the memory of their node. That costs no
// message: kernel.create_process covers it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include <trollius_os/services/request.hpp>

namespace trollius_os {

namespace services {

// The name of a block on a node: a tag, and the node that shipped the block. Tag 0: no block.
struct FlatTag {
    NodeWord owner{};
    std::int32_t tag = 0;
    friend constexpr auto operator<=>(const FlatTag&, const FlatTag&) = default;
};
static_assert(sizeof(FlatTag) == 8);

// A block. Zeros at its end are not in `content`. Until it is whole, only the process that ships it may add to it, or forget
// it.
struct FlatBlock {
    std::uint32_t bytes = 0, got = 0;  // its size; what has come so far
    std::vector<std::byte> content = {};
    Caller shipper = {};
    bool whole() const { return got >= bytes; }
};
using FlatTable = std::map<FlatTag, FlatBlock>;
// Takes a block with its memory. Empty: there is none of that name, or it is not whole.
std::optional<FlatBlock> take_block(FlatTable& table, FlatTag name);

enum class FlatCall : std::int32_t { Begin = 1, Chunk = 2, Forget = 3 };

// Begin allocates the memory and gets an answer. A Chunk carries its bytes as body; the last one gets an answer. Forget frees
// the memory and gets none.
struct FlatRequest {
    FlatCall call = FlatCall::Begin;
    Caller caller{};
    FlatTag name{};
    std::uint32_t bytes = 0;  // size of the whole block
    constexpr bool sound() const { return call == FlatCall::Begin || call == FlatCall::Chunk || call == FlatCall::Forget; }
};
static_assert(sizeof(FlatRequest) == 24);

struct FlatAnswer {
    std::int32_t done = 0;  // 1: memory allocated, or block complete
};
static_assert(sizeof(FlatAnswer) == 4);

Task<> flatd(Calls& calls, FlatTable& table);  // the process; never returns

}  // namespace services

// NoRoom: the node lacks memory or has the tag already. NoWay: it is unreachable.
enum class Shipped { Whole, NoRoom, NoWay };
// Ships a block of `bytes`, packet by packet, and waits for the last answer. Bytes beyond `content` are zeros. The caller's
// node owns the block.
Shipped ship_block(Api& api, NodeId node, std::int32_t tag, std::uint32_t bytes, std::span<const std::byte> content = {});
void forget_block(Api& api, NodeId node, services::FlatTag name);  // does not wait

}  // namespace trollius_os
