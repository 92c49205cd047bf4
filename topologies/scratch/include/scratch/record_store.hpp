// RecordStore: records of several lists that keep their addresses, in bounded memory. Beyond a bound, a block that is full goes
// to a ScratchFile, and the file takes its place at the same address. The host may then drop its pages from memory and read
// them again. Where the host has no room on disk, the block stays in memory.
//
// Cost: a copy of the records. Each block of up to 256 KiB costs a system call, and three more beyond the bound. A pass costs
// one for each block on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <scratch/scratch_file.hpp>

namespace scratch {

class RecordStore {
public:
    // `most_in_memory`: bytes of full blocks. Each list also has a block that is not full, of 16 KiB at first.
    explicit RecordStore(std::size_t most_in_memory = std::size_t{4} << 20) : most_in_memory_(most_in_memory) {}
    ~RecordStore();
    RecordStore(const RecordStore&) = delete;
    RecordStore& operator=(const RecordStore&) = delete;

    // Copies the bytes to the end of a list, in one piece, and returns where they lie for the life of the store. Pieces that
    // follow each other in memory lie in one block. Throws std::bad_alloc.
    const std::byte* add(std::size_t list, const void* bytes, std::size_t count);
    // The reader of a pass leaves the block that holds this address: its pages may leave memory. The bytes stay valid.
    void leave(const void* address) const;
    std::size_t bytes_on_disk() const { return on_disk_; }

private:
    struct Block {
        std::byte* begin = nullptr;
        std::size_t size = 0, used = 0;
        std::size_t before = 0;  // bytes of the list's earlier blocks
    };
    void begin_block(Block& block, std::size_t count);
    void settle(const Block& full);

    struct Extent {
        std::size_t size = 0;
        bool on_disk = false;
    };
    std::size_t most_in_memory_, in_memory_ = 0, on_disk_ = 0, settled_ = 0;  // bytes, and blocks on disk
    std::vector<Block> open_;                                                 // by list
    std::map<const std::byte*, Extent> blocks_;                               // all, by their beginnings
    ScratchFile file_;
};

}  // namespace scratch
