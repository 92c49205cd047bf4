#include "tmon/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "vocabulary/source_position.hpp"

namespace tmon {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& message) {
    throw vocabulary::InputError({path, 0, 0}, message);
}

void write_beside(const std::string& temporary, std::string_view text) {
    std::FILE* const file = std::fopen(temporary.c_str(), "wb");
    if (file == nullptr) fail(temporary, std::string("cannot create: ") + std::strerror(errno));
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int error = errno;
    const bool closed = std::fclose(file) == 0;
    if (written && closed) return;
    ::unlink(temporary.c_str());
    fail(temporary, std::string("cannot write: ") + std::strerror(written ? errno : error));
}

}  // namespace

void write_text_file(const std::string& path, std::string_view text, Replace replace) {
    const char* const refusal = "exists already; choose another name or allow it to be replaced";
    if (replace == Replace::No && ::access(path.c_str(), F_OK) == 0) fail(path, refusal);
    const std::string temporary = path + ".tmp";
    write_beside(temporary, text);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) {
        const std::string reason = std::strerror(errno);
        ::unlink(temporary.c_str());
        fail(path, "cannot be written: " + reason);
    }
}

std::string read_text_file(const std::string& path, std::string_view what) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail(path, std::string("cannot open: ") + std::strerror(errno) + "; give " + std::string(what));
    struct stat about {};
    if (::fstat(fd, &about) != 0 || S_ISDIR(about.st_mode)) {
        ::close(fd);
        fail(path, "is a folder; give " + std::string(what));
    }
    std::string text;
    std::size_t used = 0;
    text.resize(static_cast<std::size_t>(about.st_size) + 1);
    for (;;) {  // a pipe has no size, so read until nothing comes
        const ssize_t count = ::read(fd, text.data() + used, text.size() - used);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            const int error = errno;
            ::close(fd);
            if (count < 0) fail(path, std::string("cannot read: ") + std::strerror(error));
            break;
        }
        used += static_cast<std::size_t>(count);
        if (used == text.size()) text.resize(2 * used);
    }
    text.resize(used);
    return text;
}

}  // namespace tmon
