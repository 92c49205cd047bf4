// FileStore: what filed needs of a place with files. A name is relative to the top of the store: words with "/" between them,
// none of them empty, "." or "..". The empty name is the top itself. No call throws for what a name or the place does.
// filed calls one at a time. It takes no modelled time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <trollius_os/error_numbers.hpp>

namespace trollius_os {

enum class FileKind : std::int32_t { File = 1, Folder = 2, Console = 3 };

// Nothing of it depends on the moment or the disk: no times, no numbers of inodes.
struct FileFacts {
    FileKind kind = FileKind::File;
    std::uint32_t mode = 0;   // nine permission bits
    std::uint64_t bytes = 0;  // of a folder 0
};

// Tells one file from another, so that a file opened again is the same one.
struct FileIdentity {
    std::uint64_t place = 0, number = 0;
    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

struct FileTransfer {
    std::size_t bytes = 0;  // moved; fewer than asked for at the end of a file, or when the place is full
    ErrorNumber error = 0;  // then `bytes` is 0
};

// An open plain file. Its destructor closes it.
class StoredFile {
public:
    virtual ~StoredFile() = default;
    virtual FileTransfer read(std::uint64_t at, std::span<std::byte> room) = 0;
    virtual FileTransfer write(std::uint64_t at, std::span<const std::byte> bytes) = 0;  // a gap before `at` reads as zeros
    virtual ErrorNumber resize(std::uint64_t bytes) = 0;
    virtual ErrorNumber look(FileFacts& facts) = 0;
    virtual FileIdentity identity() const = 0;
};

struct FileWish {
    bool read = false, write = false;
    bool create = false, exclusive = false;  // exclusive: with create, fails with EEXIST if the name is taken
    bool truncate = false;                   // to no bytes
    std::uint32_t mode = 0;                  // of a new file
};

struct FileOpened {
    std::unique_ptr<StoredFile> file;  // null: `error` says why
    ErrorNumber error = 0;
};

// Files and folders are all that there is: anything else behind a name is refused with EACCES and left alone. So is a name that
// leads out of the store.
class FileStore {
public:
    virtual ~FileStore() = default;
    virtual FileOpened open(const std::string& name, const FileWish& wish) = 0;  // EISDIR for a folder
    virtual ErrorNumber look(const std::string& name, FileFacts& facts) = 0;
    virtual ErrorNumber make_folder(const std::string& name, std::uint32_t mode) = 0;
    virtual ErrorNumber remove_folder(const std::string& name) = 0;  // ENOTEMPTY if something is in it
    virtual ErrorNumber remove_file(const std::string& name) = 0;
    virtual ErrorNumber rename(const std::string& from, const std::string& to) = 0;  // replaces a file, or an empty folder
};

}  // namespace trollius_os
