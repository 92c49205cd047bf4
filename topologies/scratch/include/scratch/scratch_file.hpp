// ScratchFile: an unnamed file that disappears with the process, in the folder TMPDIR or else /tmp. Created by the first
// write. A process that forks may go on writing in both halves: each appends to a file of its own, and shares what came before.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace scratch {

class ScratchFile {
public:
    static constexpr std::size_t page = 4096;  // of the host's memory

    ScratchFile() = default;
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile();

    // Each throws vocabulary::InputError or HostError with the folder. append() returns the offset of the bytes, and adds
    // nothing when it throws. A call of write() or read() stays within the bytes of one append(). Only the process that
    // appended bytes may write over them.
    std::uint64_t append(const void* bytes, std::size_t count);
    void write(std::uint64_t offset, const void* bytes, std::size_t count);
    void read(std::uint64_t offset, void* bytes, std::size_t count) const;
    // Puts those bytes of the file in the place of the memory at `address`, which holds the same bytes, for reading only. For
    // whole pages: all three must be multiples of `page`. When it throws, the memory is as it was.
    void show(std::uint64_t offset, std::size_t count, void* address) const;

private:
    struct Part {  // what one process has appended
        int fd;
        pid_t owner;
        std::uint64_t begin;
    };
    void make();
    const Part& part_of(std::uint64_t offset) const;
    static void write_to(const Part& part, std::uint64_t offset, const void* bytes, std::size_t count);
    std::vector<Part> parts_;
    std::uint64_t size_ = 0;
};

}  // namespace scratch
