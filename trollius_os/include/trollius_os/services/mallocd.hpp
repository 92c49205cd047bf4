// mallocd gives memory of its node to processes of any node, which read and write it by messages. It begins with the first
// request for it. Addresses are those of the modelled memory: they begin at 0x80000000, and the system's memory comes first.
// The memory stays allocated until somebody frees it. The host has no mallocd.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <trollius_os/error_numbers.hpp>
#include <trollius_os/services/request.hpp>

namespace trollius_os {

namespace services {

enum class MemoryCall : std::int32_t { Allocate = 1, Free = 2, Read = 3, Write = 4, Regions = 5 };

// Write carries its bytes as body, and Read's answer has them: one packet at most.
struct MemoryRequest {
    MemoryCall call = MemoryCall::Allocate;
    Caller caller{};
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    std::uint32_t first = 0;  // Regions: number of the first to list
    constexpr bool sound() const {
        return call >= MemoryCall::Allocate && call <= MemoryCall::Regions && caller.node.fits() && caller.reply.value() < 0 &&
               !is_internal(caller.reply);
    }
};
static_assert(sizeof(MemoryRequest) == 24);

// Body: Read's bytes; for Regions a MemoryRegion each.
struct MemoryAnswer {
    ErrorNumber error = 0;
    std::uint32_t address = 0;  // Allocate
    std::uint32_t count = 0;    // Regions: of all
};
static_assert(sizeof(MemoryAnswer) == 12);

// Part of a node's memory. Only a block has an address.
enum class MemoryUse : std::int32_t {
    System = 0,     // kernel and tables
    Processes = 1,  // stacks and programs
    Other = 2,      // blocks of flatd, heaps of programs, traces
    Block = 3,      // of mallocd
    Free = 4
};
struct MemoryRegion {
    MemoryUse use = MemoryUse::Free;
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
};
static_assert(sizeof(MemoryRegion) == 12 && std::has_unique_object_representations_v<MemoryRegion>);

Task<> mallocd(Calls& calls);  // the process; never returns

}  // namespace services

// These calls block until the node has answered, without a time-out. A request costs mallocd.request there, and copying. Of the
// host: errors::service.
struct Allocated {
    ErrorNumber error = 0;  // EINVAL: 0 bytes; ENOMEM: the node has no such piece of memory
    std::uint32_t address = 0;
};
Allocated rmalloc(Api& api, NodeId node, std::uint32_t bytes);    // multiples of 4 bytes
ErrorNumber rfree(Api& api, NodeId node, std::uint32_t address);  // errors::not_malloced: no block begins there
// The bytes lie within one block, else errors::not_malloced; of several packets the first ones may be done then. Each packet is
// a request of its own. Memory that nobody has written is 0.
ErrorNumber rmread(Api& api, NodeId node, std::uint32_t address, std::span<std::byte> room);
ErrorNumber rmwrite(Api& api, NodeId node, std::uint32_t address, std::span<const std::byte> bytes);
// The uses of the node's memory: blocks by address, the free rest last. Empty for the host.
std::vector<services::MemoryRegion> memory_regions(Api& api, NodeId node);

}  // namespace trollius_os
