#include <scratch/record_store.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>

namespace scratch {
namespace {

constexpr std::size_t page = ScratchFile::page, first_block = 4 * page, largest_block = 64 * page;
// The host allows a process 65 530 mappings. Each block on disk is one.
constexpr std::size_t most_settled = 16'384;

std::size_t whole_pages(std::size_t bytes) {
    return (bytes + page - 1) / page * page;
}

}  // namespace

RecordStore::~RecordStore() {
    for (const auto& [begin, extent] : blocks_) ::munmap(const_cast<std::byte*>(begin), extent.size);
}

const std::byte* RecordStore::add(std::size_t list, const void* bytes, std::size_t count) {
    if (list >= open_.size()) open_.resize(list + 1);
    Block& block = open_[list];
    // The last byte stays free: the host may put two blocks side by side, and their pieces must not seem to be one.
    if (count >= block.size - block.used) begin_block(block, count);
    std::byte* const place = block.begin + block.used;
    if (count > 0) std::memcpy(place, bytes, count);
    block.used += count;
    return place;
}

void RecordStore::begin_block(Block& block, std::size_t count) {
    // An eighth of the list: many short lists have little room that is not used, and a long one has few blocks.
    const std::size_t before = block.before + block.size;
    const std::size_t wanted = std::clamp(whole_pages(before / 8), first_block, largest_block);
    const std::size_t size = std::max(wanted, whole_pages(count + 1));
    void* const room = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) throw std::bad_alloc();
    const Block next{static_cast<std::byte*>(room), size, 0, before};
    try {
        blocks_.emplace(next.begin, Extent{size});
    } catch (...) {
        ::munmap(room, size);
        throw;
    }
    if (block.begin != nullptr) settle(block);
    block = next;
}

void RecordStore::settle(const Block& full) {
    if (in_memory_ + full.size <= most_in_memory_ || settled_ >= most_settled) {
        in_memory_ += full.size;
        return;
    }
    try {
        const std::uint64_t offset = file_.append(full.begin, full.size);
        file_.show(offset, full.size, full.begin);
    } catch (const std::exception&) {  // no place on disk, or no mapping left
        in_memory_ += full.size;
        return;
    }
    blocks_.at(full.begin).on_disk = true;
    on_disk_ += full.size;
    ++settled_;
}

void RecordStore::leave(const void* address) const {
    const auto after = blocks_.upper_bound(static_cast<const std::byte*>(address));
    if (after == blocks_.begin()) return;
    const auto& [begin, extent] = *std::prev(after);
    if (extent.on_disk && address < begin + extent.size) ::madvise(const_cast<std::byte*>(begin), extent.size, MADV_DONTNEED);
}

}  // namespace scratch
