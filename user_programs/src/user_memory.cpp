#include "user_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string>

#include <vocabulary/contract.hpp>
#include <vocabulary/errors.hpp>

#include "protect.hpp"

namespace user_programs {
namespace {

// Above the arenas of hw_model (0x2000'0000'0000), and outside the ranges that AddressSanitizer keeps for itself. These are its
// shadow below 0x1001'0000'0000, and its heap in the 4 TiB from 0x6000'0000'0000 on. A second program loaded at the same time
// takes the next bank.
constexpr std::size_t banks = 3;
// A node's heap has room for all of its memory and for gaps, the rest is for messages and stacks.
struct Layout {
    std::uintptr_t first_address;
    std::size_t stride, nodes, heap_bytes;
    std::uint64_t most_ram;
};
constexpr std::size_t mib = std::size_t{1} << 20;
constexpr Layout usual{0x3000'0000'0000, 512 * mib, 16384, 128 * mib, 64 * mib};
constexpr Layout large{0x6410'0000'0000, 4096 * mib, 2048, 3072 * mib, 2048 * mib};
static_assert(usual.first_address + banks * usual.nodes * usual.stride <= large.first_address);
constexpr std::size_t most_message_bytes = 96 * mib;

const Layout& layout_for(std::uint64_t most_ram) {
    EXPECTS(most_ram <= large.most_ram, "user_memory.most_ram");
    return most_ram <= usual.most_ram ? usual : large;
}

constexpr std::size_t granule = 16;  // unit of addresses and sizes
constexpr std::size_t tail = 16;     // bytes behind a block that nobody may write
constexpr std::byte tail_mark{0xa5};
constexpr std::size_t step = std::size_t{256} << 10;  // the heap becomes accessible in such pieces

std::array<bool, banks> bank_taken{};

std::size_t round_up(std::size_t value, std::size_t to) {
    return (value + to - 1) / to * to;
}

}  // namespace

// Takes the smallest gap that fits, and among equals the lowest. Gaps merge again when their neighbours are freed. So a program
// that keeps asking for different sizes uses little more than it holds.
std::byte* NodeHeap::allocate(std::size_t bytes, std::size_t alignment, std::uint32_t owner) {
    if (bytes > most_ || alignment > most_) return nullptr;
    const auto room = static_cast<std::uint32_t>(round_up(bytes + tail, granule));
    alignment = std::max(alignment, granule);
    for (auto it = by_room_.lower_bound({room, 0}); it != by_room_.end(); ++it) {
        const auto [gap_room, gap_at] = *it;
        const auto at = static_cast<std::uint32_t>(round_up(gap_at, alignment));
        if (at - gap_at + std::size_t{room} > gap_room) continue;
        remove_gap(gap_at, gap_room);
        if (at > gap_at) add_gap(gap_at, at - gap_at);
        if (at + room < gap_at + gap_room) add_gap(at + room, gap_at + gap_room - at - room);
        make_accessible(at + room);
        blocks_[at] = {static_cast<std::uint32_t>(bytes), room, true, owner};
        std::memset(base_ + at + bytes, static_cast<int>(tail_mark), tail);
        return base_ + at;
    }
    return nullptr;
}

void NodeHeap::make_accessible(std::size_t end) {
    if (end <= mapped_) return;
    mapped_ = std::min(round_up(end, step), most_);
    if (open_) protect(base_, mapped_, Access::ReadWrite);
}

void NodeHeap::add_gap(std::uint32_t at, std::uint32_t room) {
    gaps_[at] = room;
    by_room_.insert({room, at});
}

void NodeHeap::remove_gap(std::uint32_t at, std::uint32_t room) {
    gaps_.erase(at);
    by_room_.erase({room, at});
}

void NodeHeap::give_back(std::uint32_t at, std::uint32_t room) {
    const auto after = gaps_.lower_bound(at);
    std::uint32_t begin = at, end = at + room;
    if (after != gaps_.begin()) {
        const auto [before_at, before_room] = *std::prev(after);
        if (before_at + before_room == at) begin = before_at;
    }
    if (after != gaps_.end() && after->first == end) end += after->second;
    if (end != at + room) remove_gap(at + room, end - at - room);
    if (begin != at) remove_gap(begin, at - begin);
    add_gap(begin, end - begin);
}

NodeHeap::Freed NodeHeap::release(void* block, std::size_t& bytes) {
    bytes = 0;
    if (block < base_ || block >= base_ + most_) return Freed::NeverAllocated;
    const auto found = blocks_.find(static_cast<std::uint32_t>(static_cast<std::byte*>(block) - base_));
    if (found == blocks_.end()) return Freed::NeverAllocated;
    Block& it = found->second;
    if (!it.live) return Freed::Twice;
    it.live = false;
    bytes = it.bytes;
    std::byte* const behind = base_ + found->first + it.bytes;
    const bool whole = std::all_of(behind, behind + tail, [](std::byte b) { return b == tail_mark; });
    give_back(found->first, it.room);
    return whole ? Freed::Yes : Freed::Overrun;
}

NodeHeap::Sum NodeHeap::release_all_of(std::uint32_t owner) {
    Sum sum;
    for (auto& [at, block] : blocks_) {
        if (!block.live || block.owner != owner) continue;
        block.live = false;
        give_back(at, block.room);
        ++sum.blocks;
        sum.bytes += block.bytes;
    }
    return sum;
}

std::vector<NodeHeap::Live> NodeHeap::live_blocks() const {
    std::vector<Live> all;
    for (const auto& [at, block] : blocks_)
        if (block.live) all.push_back({base_ + at, block.bytes, block.bytes + tail, block.owner});
    std::sort(all.begin(), all.end(), [](const Live& one, const Live& other) { return one.at < other.at; });
    return all;
}

std::vector<std::span<const std::byte>> NodeHeap::old_bytes() const {
    std::vector<std::span<const std::byte>> all;
    for (const auto& [at, room] : gaps_) {
        if (at >= mapped_) break;
        const std::span<const std::byte> gap(base_ + at, std::min<std::size_t>(room, mapped_ - at));
        if (std::any_of(gap.begin(), gap.end(), [](std::byte b) { return b != std::byte{}; })) all.push_back(gap);
    }
    return all;
}

bool NodeHeap::put_old_bytes(std::uintptr_t at, std::span<const std::byte> bytes) {
    const auto base = reinterpret_cast<std::uintptr_t>(base_);
    if (at < base || at - base > most_ || bytes.size() > most_ - (at - base)) return false;
    make_accessible(at - base + bytes.size());
    std::memcpy(base_ + (at - base), bytes.data(), bytes.size());
    return true;
}

bool NodeHeap::place(std::uintptr_t at, std::size_t bytes, std::span<const std::byte> content, std::uint32_t owner) {
    const auto base = reinterpret_cast<std::uintptr_t>(base_);
    if (content.size() != bytes + tail || at < base || at - base > most_ || content.size() > most_ - (at - base)) return false;
    const auto offset = static_cast<std::uint32_t>(at - base);
    const auto room = static_cast<std::uint32_t>(round_up(content.size(), granule));
    auto gap = gaps_.upper_bound(offset);
    if (offset % granule != 0 || gap == gaps_.begin()) return false;
    const auto [gap_at, gap_room] = *--gap;
    if (offset + std::size_t{room} > gap_at + std::size_t{gap_room}) return false;
    remove_gap(gap_at, gap_room);
    if (offset > gap_at) add_gap(gap_at, offset - gap_at);
    if (offset + room < gap_at + gap_room) add_gap(offset + room, gap_at + gap_room - offset - room);
    make_accessible(offset + room);
    blocks_[offset] = {static_cast<std::uint32_t>(bytes), room, true, owner};
    std::memcpy(base_ + offset, content.data(), content.size());
    return true;
}

const NodeHeap::Block* NodeHeap::live(const void* block) const {
    if (block < base_ || block >= base_ + most_) return nullptr;
    const auto found = blocks_.find(static_cast<std::uint32_t>(static_cast<const std::byte*>(block) - base_));
    return found == blocks_.end() || !found->second.live ? nullptr : &found->second;
}

std::size_t NodeHeap::block_bytes(const void* block) const {
    const Block* it = live(block);
    return it == nullptr ? 0 : it->bytes;
}
bool NodeHeap::is_block(const void* block) const {
    return live(block) != nullptr;
}
void NodeHeap::open() {
    open_ = true;
    if (mapped_ > 0) protect(base_, mapped_, Access::ReadWrite);
}

void NodeHeap::close() {
    open_ = false;
    if (mapped_ > 0) protect(base_, mapped_, Access::None);
}

UserMemory::UserMemory(std::size_t most_stacks, Heaps heaps, std::uint64_t most_ram)
    : bank_(static_cast<std::size_t>(std::find(bank_taken.begin(), bank_taken.end(), false) - bank_taken.begin())),
      most_stacks_(most_stacks),
      heaps_(heaps),
      stride_(layout_for(most_ram).stride),
      nodes_(layout_for(most_ram).nodes),
      heap_bytes_(layout_for(most_ram).heap_bytes),
      begin_(layout_for(most_ram).first_address + bank_ * stride_ * nodes_) {
    EXPECTS(most_stacks * stack_bytes < stride_ - heap_bytes_, "user_memory.most_stacks");
    if (bank_ == banks)
        throw vocabulary::RequestError("more than " + std::to_string(banks) + " programs are loaded at the same time");
    bank_taken[bank_] = true;
}

UserMemory::~UserMemory() {
    for (const Part& part : parts_) {
        if (part.base != nullptr) munmap(part.base, stride_);
    }
    bank_taken[bank_] = false;
}

UserMemory::Part& UserMemory::part(vocabulary::NodeId node) {
    EXPECTS(node.value() < nodes_, "user_memory.node");
    if (parts_.size() <= node.value()) parts_.resize(node.value() + 1U);
    Part& part = parts_[node.value()];
    if (part.base != nullptr) return part;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a fixed address
    void* wanted = reinterpret_cast<void*>(begin_ + node.value() * stride_);
    void* got = mmap(wanted, stride_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != wanted) {
        throw vocabulary::HostError("memory for the program of node n" + std::to_string(node.value()) +
                                    " cannot be reserved at its fixed address: " + std::strerror(errno) +
                                    "; is `ulimit -v` set?");
    }
    part.base = static_cast<std::byte*>(got);
    part.heap = std::make_unique<NodeHeap>(part.base, heap_bytes_);
    part.messages =
        std::make_unique<NodeHeap>(part.base + heap_bytes_, std::min(stacks_at() - heap_bytes_, most_message_bytes));
    part.messages->open();
    return part;
}

std::size_t UserMemory::stacks_at() const {
    return stride_ - stack_bytes * most_stacks_;
}

bool UserMemory::has_stack(vocabulary::NodeId node) {
    const Part& its = part(node);
    return !its.free_stacks.empty() || its.stacks < most_stacks_;
}

std::byte* UserMemory::take_stack(vocabulary::NodeId node) {
    EXPECTS(has_stack(node), "user_memory.stacks");
    Part& its = part(node);
    if (!its.free_stacks.empty()) {
        std::byte* const stack = its.free_stacks.back();
        its.free_stacks.pop_back();
        return stack;
    }
    std::byte* stack = its.base + stacks_at() + stack_bytes * its.stacks++;
    protect(stack, stack_bytes, Access::ReadWrite);
    return stack;
}

void UserMemory::give_back_stack(vocabulary::NodeId node, std::byte* stack) {
    part(node).free_stacks.push_back(stack);
}

void UserMemory::open_only(vocabulary::NodeId node) {
    NodeHeap& its = heap(node);
    if (open_ == &its || (heaps_ == Heaps::Open && its.is_open())) return;
    if (open_ != nullptr && heaps_ == Heaps::Fenced) open_->close();
    its.open();
    open_ = &its;
}

std::optional<Place> UserMemory::place_of(std::uintptr_t address) const {
    if (address < begin_ || address >= begin_ + parts_.size() * stride_) return std::nullopt;
    const std::size_t node = (address - begin_) / stride_;
    if (parts_[node].base == nullptr) return std::nullopt;
    return Place{vocabulary::NodeId(static_cast<vocabulary::NodeId::value_type>(node)),
                 (address - begin_) % stride_ >= stacks_at()};
}

}  // namespace user_programs
