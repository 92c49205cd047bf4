// Arena: a Node's memory (D3). One reserved mapping at a fixed address a node, touched on demand: first the stacks of its
// Processes, then the heap. Host-compiled code needs more stack than a transputer's did. So a stack's share of the modelled RAM
// is stated apart from its share of the mapping. Cost: no page is touched before it is used; a Fiber touches one.
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
    static constexpr std::size_t host_stack_bytes = 64 * 1024;
    static constexpr std::size_t most_stacks = 64;

    Arena(vocabulary::NodeId node, std::uint64_t ram_bytes);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    std::uint64_t ram_bytes() const { return ram_bytes_; }
    std::uint64_t used_bytes() const { return used_; }
    std::uint64_t high_water_bytes() const { return high_water_; }

    // Modelled memory without an address: code, tables, a stack's share. Returns false, and takes nothing, when the node has
    // too little left.
    bool take(std::uint64_t bytes);
    void give_back(std::uint64_t bytes);

    // Heap of the programs; nullptr when the modelled RAM is exhausted: an ordinary event of the model.
    void* allocate(std::size_t bytes);
    void release(void* block);  // of allocate(), or nullptr
    // The heap blocks in use, by address. Cost: sorts them.
    std::vector<std::span<std::byte>> allocated_blocks() const;

    // A host stack; nullptr when all are in use.
    std::byte* take_stack();
    void give_back_stack(std::byte* stack);
    // Bytes to leave unused at the top of a stack. Stacks lie at equal distances, so without it all their busy ends would share
    // a few sets of the host's caches. Measured: a third of the time of a 75-node farm.
    std::size_t stack_colour(const std::byte* stack) const;

private:
    class Heap;
    struct Header {  // in front of a heap block; as long as the alignment of blocks
        std::uint64_t charged;
        std::uint64_t index;  // in blocks_
    };
    static Header& header_of(std::byte* block) { return reinterpret_cast<Header*>(block)[-1]; }
    bool owns(const std::byte* block) const;

    vocabulary::NodeId node_;
    std::uint64_t ram_bytes_, used_ = 0, high_water_ = 0;
    std::byte* base_ = nullptr;
    std::size_t mapped_ = 0, stacks_made_ = 0;
    std::vector<std::byte*> free_stacks_;
    std::vector<std::byte*> blocks_;  // as allocate() gave them; no order, so that one leaves at no cost
    std::unique_ptr<Heap> heap_;
};

}  // namespace hw_model
