// UserMemory: the memory that the programs of a machine's nodes may touch. Each node has a heap and the stacks of its user
// processes, in one range of addresses far from the host's own memory. The addresses are the same in every run. Only the heap
// of the running node is accessible. Access to another heap faults, and the diagnosis names it as foreign memory.
//
// Allocated memory counts in the modelled RAM of the node (Environment::take_memory). The allocator's tables lie outside the
// heap, so a program can overwrite its own data only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include <vocabulary/ids.hpp>

namespace farm_programs {

class NodeHeap {
public:
    enum class Freed : std::uint8_t { Yes, Twice, NeverAllocated, Overrun };

    NodeHeap(std::byte* base, std::size_t bytes) : base_(base), most_(bytes) { add_gap(0, static_cast<std::uint32_t>(bytes)); }
    NodeHeap(const NodeHeap&) = delete;
    NodeHeap& operator=(const NodeHeap&) = delete;

    // nullptr when the range is exhausted. The heap must be open.
    std::byte* allocate(std::size_t bytes, std::size_t alignment);
    // Sets `bytes` to the block's size.
    Freed release(void* block, std::size_t& bytes);
    std::size_t block_bytes(const void* block) const;  // 0: no block begins there
    bool is_block(const void* block) const;            // true for a live block
    void open();
    void close();

private:
    struct Block {
        std::uint32_t bytes = 0, room = 0;
        bool live = false;
    };
    const Block* live(const void* block) const;
    void make_accessible(std::size_t end);
    void add_gap(std::uint32_t at, std::uint32_t room);
    void remove_gap(std::uint32_t at, std::uint32_t room);
    void give_back(std::uint32_t at, std::uint32_t room);

    std::byte* base_;
    std::size_t most_;
    std::size_t mapped_ = 0;  // bytes made accessible
    bool open_ = false;
    std::unordered_map<std::uint32_t, Block> blocks_;  // by offset; a dead entry is the last block freed there
    // Gaps between blocks: size by offset, never two adjacent ones; and (size, offset), sorted by size.
    std::map<std::uint32_t, std::uint32_t> gaps_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> by_room_;
};

// The node and kind of memory of an address.
struct Place {
    vocabulary::NodeId node;
    bool stack = false;  // true: a stack; false: the heap
};

class UserMemory {
public:
    static constexpr std::size_t stack_bytes = std::size_t{2} << 20;
    static constexpr std::size_t most_stacks = 16;  // stacks of a node

    UserMemory();
    ~UserMemory();
    UserMemory(const UserMemory&) = delete;
    UserMemory& operator=(const UserMemory&) = delete;

    NodeHeap& heap(vocabulary::NodeId node) { return *part(node).heap; }
    // A heap for the tasks and results that the runtime gives to the node's functions. It does not count in the node's RAM. It
    // is always open, so a program without allocations needs no change of protection.
    NodeHeap& messages(vocabulary::NodeId node) { return *part(node).messages; }
    std::byte* take_stack(vocabulary::NodeId node);
    void open_only(vocabulary::NodeId node);  // closes the heaps of other nodes
    std::optional<Place> place_of(std::uintptr_t address) const;

private:
    struct Part {
        std::byte* base = nullptr;
        std::size_t stacks = 0;
        std::unique_ptr<NodeHeap> heap, messages;
    };
    Part& part(vocabulary::NodeId node);

    std::size_t bank_;
    std::vector<Part> parts_;  // index: NodeId
    NodeHeap* open_ = nullptr;
};

}  // namespace farm_programs
