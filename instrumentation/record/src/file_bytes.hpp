// FileBytes: a file read at any place, mapped or through one window, so that small blocks do not cost a system call each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trace_record {

class FileBytes {
public:
    // Throws vocabulary::InputError: it cannot be opened, is empty, or no plain file.
    FileBytes(const std::string& path, bool mapped);
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;
    ~FileBytes();

    std::uint64_t size() const { return size_; }  // when it was opened
    // `count` bytes from `offset`; null when the file does not have them (any more). Through a window: valid until the next
    // call.
    const char* at(std::uint64_t offset, std::size_t count);
    // The same, copied.
    bool copy(std::uint64_t offset, std::size_t count, void* to) const;

private:
    std::size_t read(std::uint64_t offset, std::size_t count, char* to) const;
    int fd_ = -1;
    std::uint64_t size_ = 0, begin_ = 0;  // begin_: of the window
    const char* map_ = nullptr;
    std::vector<char> window_;
};

}  // namespace trace_record
