// FileBytes: random access to a file, mapped or through one window, so small blocks do not cost a system call each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trace_record {

class FileBytes {
public:
    // Throws vocabulary::InputError when the file cannot be opened, is empty or is no plain file.
    FileBytes(const std::string& path, bool mapped);
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;
    ~FileBytes();

    std::uint64_t size() const { return size_; }  // size at opening
    // `count` bytes from `offset`; nullptr when the file is too short, or has been cut since. Through a window: valid until the
    // next call.
    const char* at(std::uint64_t offset, std::size_t count);
    // The same, copied.
    bool copy(std::uint64_t offset, std::size_t count, void* to) const;

private:
    std::size_t read(std::uint64_t offset, std::size_t count, char* to) const;
    int fd_ = -1;
    std::uint64_t size_ = 0, begin_ = 0;  // begin_: start of the window
    const char* map_ = nullptr;
    std::vector<char> window_;
};

}  // namespace trace_record
