#include <host_files/host_files.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace host_files {

using trollius_os::ErrorNumber;
using trollius_os::FileFacts;
using trollius_os::FileIdentity;
using trollius_os::FileKind;
using trollius_os::FileOpened;
using trollius_os::FileTransfer;
using trollius_os::FileWish;

Handle::~Handle() {
    if (number_ >= 0) close(number_);
}

namespace {

// struct open_how and its flags (linux/openat2.h), which older headers lack.
struct OpenHow {
    std::uint64_t flags, mode, resolve;
};
constexpr std::uint64_t no_other_mount = 0x01, no_magic_links = 0x02, no_links = 0x04, beneath = 0x08;

// Opens a name beneath an open folder. On failure the handle is closed and `errno` says why.
Handle open_beneath(int folder, const std::string& name, int flags, mode_t mode = 0, std::uint64_t more = 0) {
#ifdef SYS_openat2
    const OpenHow how{.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC),
                      .mode = mode,
                      .resolve = beneath | no_magic_links | no_other_mount | more};
    const char* path = name.empty() ? "." : name.c_str();
    for (int tries = 0; tries < 100; ++tries) {
        const long got = syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (got >= 0) return Handle(static_cast<int>(got));
        if (errno != EAGAIN && errno != EINTR) break;  // EAGAIN: somebody renames folders meanwhile
    }
#else
    errno = ENOSYS;
#endif
    return Handle();
}

// The errno of a failed look-up. A way out is no way.
ErrorNumber refusal() {
    return errno == EXDEV ? EACCES : errno;
}

FileFacts facts_of(const struct stat& what) {
    const bool folder = S_ISDIR(what.st_mode);
    return {.kind = folder ? FileKind::Folder : FileKind::File,
            .mode = what.st_mode & 0777,
            .bytes = folder ? 0 : static_cast<std::uint64_t>(what.st_size)};
}

FileIdentity identity_of(const struct stat& what) {
    return {static_cast<std::uint64_t>(what.st_dev), static_cast<std::uint64_t>(what.st_ino)};
}

ErrorNumber not_plain(const struct stat& what) {
    if (S_ISREG(what.st_mode)) return 0;
    return S_ISDIR(what.st_mode) ? EISDIR : EACCES;
}

class HostFile final : public trollius_os::StoredFile {
public:
    HostFile(Handle handle, const FileIdentity& identity) : handle_(std::move(handle)), identity_(identity) {}

    FileTransfer read(std::uint64_t at, std::span<std::byte> room) override {
        return in_pieces(room.size(), [&](std::size_t done) {
            return pread(handle_.number(), room.data() + done, room.size() - done, static_cast<off_t>(at + done));
        });
    }
    FileTransfer write(std::uint64_t at, std::span<const std::byte> bytes) override {
        return in_pieces(bytes.size(), [&](std::size_t done) {
            return pwrite(handle_.number(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
        });
    }
    ErrorNumber resize(std::uint64_t bytes) override {
        return ftruncate(handle_.number(), static_cast<off_t>(bytes)) == 0 ? 0 : errno;
    }
    ErrorNumber look(FileFacts& facts) override {
        struct stat what {};
        if (fstat(handle_.number(), &what) != 0) return errno;
        facts = facts_of(what);
        return 0;
    }
    FileIdentity identity() const override { return identity_; }

private:
    template <class Piece>
    static FileTransfer in_pieces(std::size_t bytes, const Piece& piece) {
        std::size_t done = 0;
        while (done < bytes) {
            const ssize_t got = piece(done);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0 && done == 0) return {.error = errno};
            if (got <= 0) break;
            done += static_cast<std::size_t>(got);
        }
        return {.bytes = done};
    }

    Handle handle_;
    FileIdentity identity_;
};

int access_flags(const FileWish& wish) {
    if (wish.read && wish.write) return O_RDWR;
    return wish.write ? O_WRONLY : O_RDONLY;
}

// Opens what `seen` has found, and nothing that has come in its place.
FileOpened open_seen(int top, const std::string& name, const FileWish& wish, const struct stat& seen) {
    Handle file = open_beneath(top, name, access_flags(wish) | O_NONBLOCK | O_NOCTTY);
    if (!file.is_open()) return {.file = nullptr, .error = refusal()};
    struct stat what {};
    if (fstat(file.number(), &what) != 0) return {.file = nullptr, .error = errno};
    if (const ErrorNumber error = not_plain(what); error != 0) return {.file = nullptr, .error = error};
    if (identity_of(what) != identity_of(seen)) return {.file = nullptr, .error = ESTALE};
    if (wish.truncate && ftruncate(file.number(), 0) != 0) return {.file = nullptr, .error = errno};
    return {std::make_unique<HostFile>(std::move(file), identity_of(what))};
}

FileOpened open_new(int top, const std::string& name, const FileWish& wish) {
    Handle file = open_beneath(top, name, access_flags(wish) | O_CREAT | O_EXCL | O_NOCTTY, 0600);
    struct stat what {};
    if (!file.is_open()) return {.file = nullptr, .error = refusal()};
    if (fchmod(file.number(), (wish.mode & 0755) | 0600) != 0 || fstat(file.number(), &what) != 0)
        return {.file = nullptr, .error = errno};
    return {std::make_unique<HostFile>(std::move(file), identity_of(what))};
}

// The folder above the last word of a name, and that word.
struct Place {
    Handle folder;
    std::string word;
    ErrorNumber error = 0;
};
Place place_of(int top, const std::string& name) {
    if (name.empty()) return {Handle(), {}, EBUSY};
    const std::size_t slash = name.find_last_of('/');
    const bool in_top = slash == std::string::npos;
    Place place{open_beneath(top, in_top ? "" : name.substr(0, slash), O_PATH | O_DIRECTORY),
                in_top ? name : name.substr(slash + 1)};
    if (!place.folder.is_open()) place.error = refusal();
    return place;
}

// Looks at a place without following a link there. EACCES: neither a file nor a folder.
ErrorNumber look_at(const Place& place, struct stat& what) {
    if (place.error != 0) return place.error;
    if (fstatat(place.folder.number(), place.word.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    return S_ISREG(what.st_mode) || S_ISDIR(what.st_mode) ? 0 : EACCES;
}

ErrorNumber remove_at(const Place& place, bool folder) {
    struct stat what {};
    if (const ErrorNumber error = look_at(place, what); error != 0) return error;
    if (folder && !S_ISDIR(what.st_mode)) return ENOTDIR;
    if (!folder && S_ISDIR(what.st_mode)) return EISDIR;
    if (unlinkat(place.folder.number(), place.word.c_str(), folder ? AT_REMOVEDIR : 0) == 0) return 0;
    return errno == EEXIST ? ENOTEMPTY : errno;
}

Handle top_folder(const std::string& folder) {
    Handle top(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!top.is_open())
        throw vocabulary::RequestError("files: the folder '" + folder + "' cannot be opened: " + std::strerror(errno) +
                                       "; name one that exists");
    if (!open_beneath(top.number(), "", O_PATH).is_open())
        throw vocabulary::HostError(std::string("files: this system cannot keep names beneath a folder (openat2: ") +
                                    std::strerror(errno) + "); it takes Linux 5.6 or later, so leave 'files' out here");
    return top;
}

}  // namespace

HostFiles::HostFiles(const std::string& folder) : top_(top_folder(folder)) {}

FileOpened HostFiles::open(const std::string& name, const FileWish& wish) {
    const Handle found = open_beneath(top_.number(), name, O_PATH);
    if (!found.is_open()) {
        if (errno == ENOENT && wish.create) return open_new(top_.number(), name, wish);
        return {.file = nullptr, .error = refusal()};
    }
    struct stat seen {};
    if (fstat(found.number(), &seen) != 0) return {.file = nullptr, .error = errno};
    if (wish.create && wish.exclusive) return {.file = nullptr, .error = EEXIST};
    if (const ErrorNumber error = not_plain(seen); error != 0) return {.file = nullptr, .error = error};
    return open_seen(top_.number(), name, wish, seen);
}

ErrorNumber HostFiles::look(const std::string& name, FileFacts& facts) {
    const Handle found = open_beneath(top_.number(), name, O_PATH);
    struct stat what {};
    if (!found.is_open()) return refusal();
    if (fstat(found.number(), &what) != 0) return errno;
    if (!S_ISREG(what.st_mode) && !S_ISDIR(what.st_mode)) return EACCES;
    facts = facts_of(what);
    return 0;
}

ErrorNumber HostFiles::make_folder(const std::string& name, std::uint32_t mode) {
    if (name.empty()) return EEXIST;
    const Place place = place_of(top_.number(), name);
    if (place.error != 0) return place.error;
    if (mkdirat(place.folder.number(), place.word.c_str(), 0700) != 0) return errno;
    const Handle made = open_beneath(place.folder.number(), place.word, O_RDONLY | O_DIRECTORY, 0, no_links);
    if (!made.is_open()) return refusal();
    return fchmod(made.number(), (mode & 0755) | 0700) == 0 ? 0 : errno;
}

ErrorNumber HostFiles::remove_folder(const std::string& name) {
    return remove_at(place_of(top_.number(), name), true);
}

ErrorNumber HostFiles::remove_file(const std::string& name) {
    return name.empty() ? EISDIR : remove_at(place_of(top_.number(), name), false);
}

ErrorNumber HostFiles::rename(const std::string& from, const std::string& to) {
    const Place old = place_of(top_.number(), from), fresh = place_of(top_.number(), to);
    struct stat what {};
    if (const ErrorNumber error = look_at(old, what); error != 0) return error;
    const ErrorNumber taken = look_at(fresh, what);
    if (taken != 0 && taken != ENOENT) return taken;
    if (fresh.error != 0) return fresh.error;  // the folder above is missing
    if (renameat(old.folder.number(), old.word.c_str(), fresh.folder.number(), fresh.word.c_str()) == 0) return 0;
    return errno == EEXIST ? ENOTEMPTY : errno;
}

}  // namespace host_files
