// HostFiles: a FileStore on real files of the host, below one folder. The kernel of the host resolves every name beneath that
// folder (openat2). So no absolute name or symbolic link leads out, whoever changes the folder meanwhile. Names that cross into
// another mounted file system are refused too.
//
// Devices, FIFOs and sockets are found out before they are opened, and left alone. A symbolic link inside is followed, except
// as the last word of a name to remove or rename.
//
// The owner may always read and write a new file, and others never get write permission: mode & 0755 | 0600, whatever the
// umask. For folders it is mode & 0755 | 0700. Several processes may use one object after a fork: no offset is shared.
#pragma once

#include <string>

#include <trollius_os/services/file_store.hpp>

namespace host_files {

// An open descriptor of the host, closed at the end.
class Handle {
public:
    explicit Handle(int number = -1) : number_(number) {}
    ~Handle();
    Handle(Handle&& other) noexcept : number_(other.number_) { other.number_ = -1; }
    Handle& operator=(Handle&& other) = delete;
    int number() const { return number_; }
    bool is_open() const { return number_ >= 0; }

private:
    int number_;
};

class HostFiles final : public trollius_os::FileStore {
public:
    // Throws vocabulary::RequestError if it is no folder that can be opened, and vocabulary::HostError if the host cannot keep
    // names beneath a folder (Linux before 5.6).
    explicit HostFiles(const std::string& folder);

    trollius_os::FileOpened open(const std::string& name, const trollius_os::FileWish& wish) override;
    trollius_os::ErrorNumber look(const std::string& name, trollius_os::FileFacts& facts) override;
    trollius_os::ErrorNumber make_folder(const std::string& name, std::uint32_t mode) override;
    trollius_os::ErrorNumber remove_folder(const std::string& name) override;
    trollius_os::ErrorNumber remove_file(const std::string& name) override;
    trollius_os::ErrorNumber rename(const std::string& from, const std::string& to) override;

private:
    Handle top_;
};

}  // namespace host_files
