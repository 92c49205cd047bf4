#include <hw_model/arena.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <boost/interprocess/managed_external_buffer.hpp>
#include <cerrno>
#include <cstring>
#include <string>

#include <vocabulary/contract.hpp>
#include <vocabulary/errors.hpp>

namespace hw_model {
namespace {

// The same addresses in every run, so that a result computed from an address is reproducible. They are far from the addresses
// that the host's loader, heap and sanitizers use on x86-64 Linux.
constexpr std::uintptr_t first_address = 0x2000'0000'0000;
constexpr std::size_t stride = std::size_t{128} << 20;
// Nodes that have more memory than that. They lie behind the addresses of all others.
constexpr std::uintptr_t first_large_address = 0x2800'0000'0000;
constexpr std::size_t large_stride = std::size_t{4} << 30, large_nodes = 2048;
constexpr std::size_t heap_overhead = 4096;  // the allocator's own tables are not part of the modelled memory

}  // namespace

class Arena::Heap {
public:
    Heap(std::byte* memory, std::size_t bytes) : buffer_(boost::interprocess::create_only, memory, bytes) {}
    void* allocate(std::size_t bytes) { return buffer_.allocate(bytes, std::nothrow); }
    void release(void* block) { buffer_.deallocate(block); }

private:
    boost::interprocess::managed_external_buffer buffer_;
};

Arena::Arena(vocabulary::NodeId node, std::uint64_t ram_bytes, std::size_t places)
    : node_(node), ram_bytes_(ram_bytes), most_(places), stack_area_(host_stack_bytes * places) {
    mapped_ = stack_area_ + ram_bytes + heap_overhead;
    const bool is_large = mapped_ > stride;
    EXPECTS(!is_large || (mapped_ <= large_stride && node.value() < large_nodes), "arena.ram");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): fixed address
    void* wanted = reinterpret_cast<void*>(is_large ? first_large_address + node.value() * large_stride
                                                    : first_address + node.value() * stride);
    void* got =
        mmap(wanted, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != wanted) {
        throw vocabulary::HostError("memory of node n" + std::to_string(node.value()) +
                                    " cannot be reserved at its fixed address: " + std::strerror(errno) +
                                    "; is another machine alive in this process, or is `ulimit -v` set?");
    }
    base_ = static_cast<std::byte*>(got);
}

Arena::~Arena() {
    heap_.reset();
    munmap(base_, mapped_);
}

bool Arena::take(std::uint64_t bytes) {
    if (bytes > ram_bytes_ - used_) return false;
    used_ += bytes;
    high_water_ = std::max(high_water_, used_);
    return true;
}

void Arena::give_back(std::uint64_t bytes) {
    EXPECTS(bytes <= used_, "arena.give_back");
    used_ -= bytes;
}

void* Arena::allocate(std::size_t bytes, std::uint32_t owner) {
    if (bytes > ram_bytes_) return nullptr;                     // also keeps the sums below from overflowing
    const std::size_t charged = bytes + sizeof(std::uint64_t);  // a block remembers its size, as a real allocator's does
    if (!take(charged)) return nullptr;
    if (!heap_) heap_ = std::make_unique<Heap>(base_ + stack_area_, ram_bytes_ + heap_overhead);
    // The header's other half is the host's book-keeping, and no part of the modelled memory.
    void* memory = heap_->allocate(bytes + sizeof(Header));
    if (memory == nullptr) {
        give_back(charged);
        return nullptr;
    }
    std::byte* block = static_cast<std::byte*>(memory) + sizeof(Header);
    header_of(block) = {charged, static_cast<std::uint32_t>(blocks_.size()), owner};
    blocks_.push_back(block);
    return block;
}

std::vector<std::span<std::byte>> Arena::allocated_blocks() const {
    std::vector<std::byte*> sorted = blocks_;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::span<std::byte>> result;
    result.reserve(sorted.size());
    for (std::byte* block : sorted) result.emplace_back(block, header_of(block).charged - sizeof(std::uint64_t));
    return result;
}

// As far as it can be told: a block that is not of the heap has no header to read.
bool Arena::owns(const std::byte* block) const {
    const std::byte* heap = base_ + stack_area_;
    if (block < heap + sizeof(Header) || block >= base_ + mapped_) return false;
    const std::uint32_t index = reinterpret_cast<const Header*>(block)[-1].index;
    return index < blocks_.size() && blocks_[index] == block;
}

void Arena::release(void* memory) {
    if (memory == nullptr) return;
    auto* block = static_cast<std::byte*>(memory);
    EXPECTS(owns(block), "arena.release");
    const auto [charged, index, owner] = header_of(block);
    blocks_[index] = blocks_.back();
    header_of(blocks_[index]).index = index;
    blocks_.pop_back();
    give_back(charged);
    heap_->release(&header_of(block));
}

void Arena::release_all_of(std::uint32_t owner) {
    for (std::size_t i = blocks_.size(); i-- > 0;) {  // release() moves the last block, one that has been looked at
        if (header_of(blocks_[i]).owner == owner) release(blocks_[i]);
    }
}

bool Arena::take_place() {
    if (places_ == most_) return false;
    ++places_;
    return true;
}

std::byte* Arena::take_stack() {
    if (free_stacks_.empty() && stacks_made_ == most_) return nullptr;
    if (!take_place()) return nullptr;
    if (!free_stacks_.empty()) {
        std::byte* stack = free_stacks_.back();
        free_stacks_.pop_back();
        return stack;
    }
    return base_ + host_stack_bytes * stacks_made_++;
}

std::size_t Arena::stack_colour(const std::byte* stack) const {
    // Tops lie in the upper half of one of eight pages. So the part of a stack that most processes use stays within a page.
    constexpr std::size_t line = 64, page = 4096, lines_of_page = page / line / 2,
                          colours = 251;  // a prime number below 8 * 32
    const std::size_t index = static_cast<std::size_t>(stack - base_) / host_stack_bytes;
    const std::size_t colour = (index * 37 + node_.value() * std::size_t{211}) % colours;
    return colour / lines_of_page * page + colour % lines_of_page * line;
}

void Arena::give_back_stack(std::byte* stack) {
    free_stacks_.push_back(stack);
    give_back_place();
}

}  // namespace hw_model
