#include "traces/standard_trace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/interrupt.hpp"

namespace cli {
namespace {

using vocabulary::HostError;

std::string temporary_folder() {
    const char* folder = std::getenv("TMPDIR");
    return folder != nullptr && folder[0] != '\0' ? folder : "/tmp";
}

// Not every file system has files without a name.
int unnamed_file(const std::string& folder) {
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) return file;
    std::string name = folder + "/magicwire.XXXXXX";
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) ::unlink(name.c_str());
    return named;
}

}  // namespace

StandardTrace::StandardTrace() : file_(unnamed_file(temporary_folder())) {
    if (file_ < 0)
        throw HostError({temporary_folder(), 0, 0},
                        fmt::format("takes no temporary file: {}; set TMPDIR", std::strerror(errno)));
    path_ = fmt::format("/proc/self/fd/{}", file_);
    try {
        copy();
    } catch (...) {
        ::close(file_);
        throw;
    }
}
StandardTrace::~StandardTrace() {
    ::close(file_);
}

void StandardTrace::copy() {
    std::vector<char> buffer(1U << 18);
    std::size_t all = 0;
    while (interrupted == 0) {
        const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            throw vocabulary::InputError({"-", 0, 0}, fmt::format("standard input cannot be read: {}", std::strerror(errno)));
        if (got == 0) break;
        all += static_cast<std::size_t>(got);
        for (ssize_t at = 0; at < got;) {
            const ssize_t put = ::write(file_, buffer.data() + at, static_cast<std::size_t>(got - at));
            if (put < 0 && errno == EINTR) continue;
            if (put <= 0)
                throw HostError(
                    {temporary_folder(), 0, 0},
                    fmt::format("has no room for the trace on standard input: {}; set TMPDIR", std::strerror(errno)));
            at += put;
        }
    }
    if (all == 0) throw vocabulary::InputError({"-", 0, 0}, "standard input is empty; give a trace");
}

}  // namespace cli
