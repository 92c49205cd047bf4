#include "scratch_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_streams {

ScratchFile::~ScratchFile() {
    if (fd_ >= 0) ::close(fd_);
}

void ScratchFile::fail(const char* what) const {
    vocabulary::throw_file_error(folder_, errno,
                                 std::string("a temporary file cannot be ") + what + ": " + std::strerror(errno) +
                                     "; make room, or name another folder in TMPDIR");
}

void ScratchFile::make() {
    const char* const wanted = std::getenv("TMPDIR");
    folder_ = wanted != nullptr && *wanted != 0 ? wanted : "/tmp";
    std::string name = folder_ + "/magicwire.XXXXXX";
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ < 0) fail("made");
    ::unlink(name.c_str());
}

std::uint64_t ScratchFile::append(const void* bytes, std::size_t count) {
    if (fd_ < 0) make();
    const std::uint64_t offset = size_;
    write(offset, bytes, count);
    size_ += count;
    return offset;
}

void ScratchFile::write(std::uint64_t offset, const void* bytes, std::size_t count) {
    for (std::size_t done = 0; done < count;) {
        const ssize_t part =
            ::pwrite(fd_, static_cast<const char*>(bytes) + done, count - done, static_cast<off_t>(offset + done));
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) fail("written");
        done += static_cast<std::size_t>(part);
    }
}

void ScratchFile::read(std::uint64_t offset, void* bytes, std::size_t count) const {
    for (std::size_t done = 0; done < count;) {
        const ssize_t part = ::pread(fd_, static_cast<char*>(bytes) + done, count - done, static_cast<off_t>(offset + done));
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) fail("read");
        done += static_cast<std::size_t>(part);
    }
}

}  // namespace tmon_streams
