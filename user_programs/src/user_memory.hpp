// UserMemory: the memory that the programs of a machine's nodes may touch. Each node has a heap and the stacks of its user
// processes, in one range of addresses far from the host's own memory. The addresses are the same in every run. Only the heap
// of the running node is accessible, unless all stay open. Access to another heap then faults, and the diagnosis names it as
// foreign memory.
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
#include <span>
#include <unordered_map>
#include <vector>

#include <user_programs/loaded_program.hpp>
#include <vocabulary/ids.hpp>

namespace user_programs {

class NodeHeap {
public:
    enum class Freed : std::uint8_t { Yes, Twice, NeverAllocated, Overrun };

    NodeHeap(std::byte* base, std::size_t bytes) : base_(base), most_(bytes) { add_gap(0, static_cast<std::uint32_t>(bytes)); }
    NodeHeap(const NodeHeap&) = delete;
    NodeHeap& operator=(const NodeHeap&) = delete;

    // nullptr when the range is exhausted. The heap must be open.
    // `owner`: who has it; 0: nobody in particular.
    std::byte* allocate(std::size_t bytes, std::size_t alignment, std::uint32_t owner = 0);
    // Sets `bytes` to the block's size.
    Freed release(void* block, std::size_t& bytes);
    // Frees all blocks of an owner.
    struct Sum {
        std::size_t blocks = 0, bytes = 0;
    };
    Sum release_all_of(std::uint32_t owner);
    std::size_t block_bytes(const void* block) const;  // 0: no block begins there
    bool is_block(const void* block) const;            // true for a live block
    // The live blocks, ascending. A block's content has the mark behind its end, too.
    struct Live {
        std::byte* at = nullptr;
        std::size_t bytes = 0, content_bytes = 0;
        std::uint32_t owner = 0;
    };
    std::vector<Live> live_blocks() const;
    // The places between them that hold something, ascending.
    std::vector<std::span<const std::byte>> old_bytes() const;
    // Puts such bytes back, before any block of the heap is there. False: they lie outside of it.
    bool put_old_bytes(std::uintptr_t at, std::span<const std::byte> bytes);
    // A block at an address, as allocate() would have placed it. False: the place is not free, or no place of this heap.
    bool place(std::uintptr_t at, std::size_t bytes, std::span<const std::byte> content, std::uint32_t owner);
    // True: the bytes lie in its memory, which has been allocated at some time.
    bool covers(std::uintptr_t first, std::size_t bytes) const {
        const auto base = reinterpret_cast<std::uintptr_t>(base_);
        return first >= base && bytes <= mapped_ && first - base <= mapped_ - bytes;
    }
    std::pair<std::uintptr_t, std::size_t> range() const { return {reinterpret_cast<std::uintptr_t>(base_), most_}; }
    void open();
    void close();
    bool is_open() const { return open_; }

private:
    struct Block {
        std::uint32_t bytes = 0, room = 0;
        bool live = false;
        std::uint32_t owner = 0;
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
    static constexpr std::size_t stack_bytes = std::size_t{6} << 20;
    static constexpr std::size_t usual_stacks = 16;

    // `most_stacks`: stacks of a node. The messages' heap has the room that they leave. `most_ram`: bytes of the node that has
    // most, up to 2 GiB. Above 64 MiB the nodes are further apart, and there are at most 2048.
    explicit UserMemory(std::size_t most_stacks = usual_stacks, Heaps heaps = Heaps::Fenced, std::uint64_t most_ram = 0);
    ~UserMemory();
    UserMemory(const UserMemory&) = delete;
    UserMemory& operator=(const UserMemory&) = delete;

    NodeHeap& heap(vocabulary::NodeId node) { return *part(node).heap; }
    // A heap for the tasks and results that the runtime gives to the node's functions. It does not count in the node's RAM. It
    // is always open, so a program without allocations needs no change of protection.
    NodeHeap& messages(vocabulary::NodeId node) { return *part(node).messages; }
    bool has_stack(vocabulary::NodeId node);         // true: take_stack() finds one
    std::byte* take_stack(vocabulary::NodeId node);  // the one given back last, or a new one
    void give_back_stack(vocabulary::NodeId node, std::byte* stack);
    void open_only(vocabulary::NodeId node);  // closes the heaps of other nodes, if they are fenced
    std::optional<Place> place_of(std::uintptr_t address) const;
    std::uint32_t next_owner() { return ++owners_; }  // of blocks

private:
    struct Part {
        std::byte* base = nullptr;
        std::size_t stacks = 0;                    // taken so far
        std::vector<std::byte*> free_stacks = {};  // given back
        std::unique_ptr<NodeHeap> heap, messages;
    };
    Part& part(vocabulary::NodeId node);
    std::size_t stacks_at() const;  // where the stacks begin, in each node's range

    std::size_t bank_, most_stacks_;
    Heaps heaps_;
    std::size_t stride_, nodes_, heap_bytes_;  // of addresses a node, most nodes, of a heap
    std::uintptr_t begin_;                     // address of the first node
    std::uint32_t owners_ = 0;
    std::vector<Part> parts_;  // index: NodeId
    NodeHeap* open_ = nullptr;
};

}  // namespace user_programs
