#include <scratch/scratch_file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include <vocabulary/contract.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace scratch {
namespace {

std::string folder() {
    const char* const wanted = std::getenv("TMPDIR");
    return wanted != nullptr && *wanted != 0 ? wanted : "/tmp";
}

[[noreturn]] void fail(const char* what) {
    vocabulary::throw_file_error(folder(), errno,
                                 std::string("a temporary file cannot be ") + what + ": " + std::strerror(errno) +
                                     "; make room, or name another folder in TMPDIR");
}

}  // namespace

ScratchFile::~ScratchFile() {
    for (const Part& part : parts_) ::close(part.fd);
}

void ScratchFile::make() {
    std::string name = folder() + "/magicwire.XXXXXX";
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) fail("made");
    ::unlink(name.c_str());
    parts_.push_back({fd, ::getpid(), size_});
}

const ScratchFile::Part& ScratchFile::part_of(std::uint64_t offset) const {
    EXPECTS(offset < size_, "scratch_file.offset");
    const auto after = std::upper_bound(parts_.begin(), parts_.end(), offset,
                                        [](std::uint64_t value, const Part& part) { return value < part.begin; });
    return *std::prev(after);
}

std::uint64_t ScratchFile::append(const void* bytes, std::size_t count) {
    if (parts_.empty() || parts_.back().owner != ::getpid()) make();
    const std::uint64_t offset = size_;
    write_to(parts_.back(), offset, bytes, count);
    size_ += count;
    return offset;
}

void ScratchFile::write(std::uint64_t offset, const void* bytes, std::size_t count) {
    write_to(part_of(offset), offset, bytes, count);
}

void ScratchFile::write_to(const Part& part, std::uint64_t offset, const void* bytes, std::size_t count) {
    for (std::size_t done = 0; done < count;) {
        const ssize_t wrote = ::pwrite(part.fd, static_cast<const char*>(bytes) + done, count - done,
                                       static_cast<off_t>(offset - part.begin + done));
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) fail("written");
        done += static_cast<std::size_t>(wrote);
    }
}

void ScratchFile::read(std::uint64_t offset, void* bytes, std::size_t count) const {
    const Part& part = part_of(offset);
    for (std::size_t done = 0; done < count;) {
        const ssize_t got =
            ::pread(part.fd, static_cast<char*>(bytes) + done, count - done, static_cast<off_t>(offset - part.begin + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) fail("read");
        done += static_cast<std::size_t>(got);
    }
}

// The file is mapped elsewhere first: a map that fails may have removed what was in its place. Near the limit of mappings the
// host refuses a move before it touches anything.
void ScratchFile::show(std::uint64_t offset, std::size_t count, void* address) const {
    EXPECTS(reinterpret_cast<std::uintptr_t>(address) % page == 0, "scratch_file.show.address");
    const Part& part = part_of(offset);
    void* const elsewhere = ::mmap(nullptr, count, PROT_READ, MAP_PRIVATE, part.fd, static_cast<off_t>(offset - part.begin));
    if (elsewhere == MAP_FAILED) fail("mapped");
    if (::mremap(elsewhere, count, count, MREMAP_MAYMOVE | MREMAP_FIXED, address) == address) return;
    const int error = errno;
    ::munmap(elsewhere, count);
    errno = error;
    fail("mapped");
}

}  // namespace scratch
