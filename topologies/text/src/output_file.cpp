#include <text/output_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace text {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& message) {
    throw vocabulary::InputError({path, 0, 0}, message);
}

// A new file beside the place.
class NewFile {
public:
    explicit NewFile(const std::string& place) : name_(place + "." + std::to_string(::getpid()) + ".tmp") {
        file_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file_ < 0)
            vocabulary::throw_file_error(place, errno,
                                         std::string("cannot be created: ") + std::strerror(errno) + "; name another file");
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile() {
        if (file_ >= 0) ::close(file_);
        if (!named_) ::unlink(name_.c_str());
    }
    bool write(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t written = ::write(file_, text.data(), text.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        return true;
    }
    bool close() { return ::close(std::exchange(file_, -1)) == 0; }
    bool give_name(const std::string& place) { return named_ = std::rename(name_.c_str(), place.c_str()) == 0; }

private:
    std::string name_;
    int file_ = -1;
    bool named_ = false;
};

// True when a file has the name.
bool check_kind(const std::string& path) {
    namespace fs = std::filesystem;
    if (path.empty()) fail("''", "is not a file name; give one");
    std::error_code ignored;
    const fs::file_status there = fs::status(path, ignored);
    if (fs::is_directory(there)) fail(path, "is a folder; name a file");
    if (fs::is_symlink(fs::symlink_status(path, ignored)) && !fs::exists(there))
        fail(path, "is a link that leads to nothing; remove it, or name another file");
    if (fs::exists(there) && !fs::is_regular_file(there))
        fail(path, "is a device, a pipe or a socket, and is not replaced; name another file");
    return fs::exists(there);
}

void check_place(const std::string& path, Replace replace) {
    if (check_kind(path) && replace == Replace::No)
        fail(path, "exists already and is not replaced; name another file, or replace it with -f");
}

}  // namespace

void check_output_file(const std::string& path, Replace replace) {
    check_place(path, replace);
    const NewFile trial(path);
}

void write_text_file(const std::string& path, const std::function<void(const PieceWriter&)>& source, Replace replace) {
    const auto need = [&](bool done) {
        if (!done)
            vocabulary::throw_file_error(path, errno,
                                         std::string("cannot be written: ") + std::strerror(errno) + "; name another file");
    };
    check_place(path, replace);
    NewFile file(path);
    source([&](std::string_view piece) { need(file.write(piece)); });
    need(file.close());
    need(file.give_name(path));
}

void write_text_file(const std::string& path, std::string_view text, Replace replace) {
    write_text_file(
        path, [&](const PieceWriter& write) { write(text); }, replace);
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

}  // namespace text
