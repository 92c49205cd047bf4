// ScratchFile: an unnamed file that disappears with the process. Created by the first write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tmon_streams {

class ScratchFile {
public:
    ScratchFile() = default;
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile();

    // Each throws vocabulary::InputError with the folder. append() returns the offset of the bytes.
    std::uint64_t append(const void* bytes, std::size_t count);
    void write(std::uint64_t offset, const void* bytes, std::size_t count);
    void read(std::uint64_t offset, void* bytes, std::size_t count) const;

private:
    void make();
    [[noreturn]] void fail(const char* what) const;
    std::string folder_;
    int fd_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace tmon_streams
