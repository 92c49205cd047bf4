// Arena: a Node's memory (docs/decisions/0002-fibers-in-arenas.md). Each node has one reserved mapping at a fixed address:
// first the stacks of its Processes, then the heap. Host-compiled code needs more stack than transputer code did, so a stack
// has one size in modelled RAM and another in the mapping. Cost: no page is touched before it is used; a Fiber touches one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <vocabulary/ids.hpp>

namespace hw_model {

class Arena {
public:
#if defined(__SANITIZE_ADDRESS__)
    static constexpr std::size_t host_stack_bytes = 128 * 1024;  // its frames are larger
#else
    static constexpr std::size_t host_stack_bytes = 64 * 1024;
#endif
    // Processes of a node at a time, with a stack of their own or without. The host is a UNIX machine and has more.
    static constexpr std::size_t most_places = 64, most_places_of_host = 288;

    Arena(vocabulary::NodeId node, std::uint64_t ram_bytes, std::size_t places = most_places);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    std::uint64_t ram_bytes() const {
        return ram_bytes_;
    }
    std::uint64_t used_bytes() const {
        return used_;
    }
    std::uint64_t high_water_bytes() const {
        return high_water_;
    }

    // All of the modelled memory as one span, for a node whose code addresses it by itself. Nothing else may be taken from it
    // then.
    std::span<std::byte> memory() {
        return {base_ + stack_area_, ram_bytes_};
    }

    // Modelled memory without an address: code, tables, a stack's share. Takes nothing and returns false when too little is
    // left.
    bool take(std::uint64_t bytes);
    void give_back(std::uint64_t bytes);

    // Allocates from the programs' heap. nullptr when the modelled RAM is exhausted, an ordinary event of the model. Owner 0:
    // nobody.
    void* allocate(std::size_t bytes, std::uint32_t owner = 0);
    void release(void* block);                 // from allocate(), or nullptr
    void release_all_of(std::uint32_t owner);  // cost: a look at every block
    // The heap blocks in use, by address. Cost: sorts them.
    std::vector<std::span<std::byte>> allocated_blocks() const;

    // A place for a process. False: all are in use.
    bool take_place();
    void give_back_place() {
        --places_;
    }
    // A place with a host stack; nullptr when all places are in use.
    std::byte* take_stack();
    void give_back_stack(std::byte* stack);
    // Bytes to leave unused at the top of a stack. Stacks lie at equal distances, so without it their busy ends would share a
    // few sets of the host's caches. Measured cost of that: a third of the time of a 75-node farm.
    std::size_t stack_colour(const std::byte* stack) const;

private:
    class Heap;
    struct Header {  // in front of a heap block; as long as the alignment of blocks
        std::uint64_t charged;
        std::uint32_t index;  // in blocks_
        std::uint32_t owner;
    };
    static Header& header_of(std::byte* block) {
        return reinterpret_cast<Header*>(block)[-1];
    }
    bool owns(const std::byte* block) const;

    vocabulary::NodeId node_;
    std::uint64_t ram_bytes_, used_ = 0, high_water_ = 0;
    std::byte* base_ = nullptr;
    std::size_t most_, stack_area_;
    std::size_t mapped_ = 0, stacks_made_ = 0, places_ = 0;
    std::vector<std::byte*> free_stacks_;
    std::vector<std::byte*> blocks_;  // unordered, so removal is cheap
    std::unique_ptr<Heap> heap_;
};

}  // namespace hw_model
