#include "file_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "trace_format.hpp"

namespace trace_record {

FileBytes::FileBytes(const std::string& path, bool mapped) {
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) format::fail_to_open(path, errno);
    struct stat about {};
    const bool readable = ::fstat(fd_, &about) == 0 && S_ISREG(about.st_mode);
    size_ = readable ? static_cast<std::uint64_t>(about.st_size) : 0;
    void* const map = mapped && size_ > 0 ? ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd_, 0) : MAP_FAILED;
    if (map != MAP_FAILED) {
        map_ = static_cast<const char*>(map);
        ::madvise(map, size_, MADV_SEQUENTIAL);
    }
    if (size_ > 0 && (!mapped || map_ != nullptr)) return;
    ::close(fd_);
    format::fail(path, "is empty or not a plain file; give a trace written by Magicwire");
}

FileBytes::~FileBytes() {
    if (map_ != nullptr) ::munmap(const_cast<char*>(map_), size_);
    ::close(fd_);
}

std::size_t FileBytes::read(std::uint64_t offset, std::size_t count, char* to) const {
    std::size_t got = 0;
    while (got < count) {
        const ssize_t part = ::pread(fd_, to + got, count - got, static_cast<off_t>(offset + got));
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) break;
        got += static_cast<std::size_t>(part);
    }
    return got;
}

const char* FileBytes::at(std::uint64_t offset, std::size_t count) {
    if (offset > size_ || count > size_ - offset) return nullptr;
    if (map_ != nullptr) return map_ + offset;
    if (offset >= begin_ && offset + count <= begin_ + window_.size()) return window_.data() + (offset - begin_);
    constexpr std::size_t least = std::size_t{1} << 18;
    begin_ = offset;
    window_.resize(std::min<std::uint64_t>(std::max(count, least), size_ - offset));
    window_.resize(read(begin_, window_.size(), window_.data()));
    return window_.size() >= count ? window_.data() : nullptr;
}

bool FileBytes::copy(std::uint64_t offset, std::size_t count, void* to) const {
    return read(offset, count, static_cast<char*>(to)) == count;
}

}  // namespace trace_record
