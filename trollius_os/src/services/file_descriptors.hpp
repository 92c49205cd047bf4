// filed's descriptors, and the real files behind them. There may be far more descriptors than open files: the one used longest
// ago is closed when another is needed, and opened again later. Its offset stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <trollius_os/services/file_store.hpp>
#include <trollius_os/services/filed.hpp>

namespace trollius_os::services {

struct FileDescriptor {
    std::string name;  // plain
    std::int32_t flags = 0, users = 1;
    std::uint32_t flow = 0;
    Caller client{};
    std::int64_t offset = 0;
    FileIdentity identity{};
    std::unique_ptr<StoredFile> real;  // null: closed for now
    std::uint64_t used = 0;            // larger: later
    bool readable() const;
    bool writable() const;
    bool locked() const;
};

class FileDescriptors {
public:
    static constexpr std::size_t most = 1024, most_real = 64, most_locked = 63;
    static constexpr std::int32_t first = 3;  // below: the console

    // The new descriptor's number, or minus an error. `flags`: open_flags.
    std::int32_t open(FileStore& store, const std::string& name, std::int32_t flags, std::uint32_t mode);
    FileDescriptor* find(std::int32_t number);
    // The open file behind it. Null: `error` says why it cannot be opened again.
    StoredFile* file(FileStore& store, FileDescriptor& descriptor, ErrorNumber& error);
    void close(std::int32_t number) { all_.erase(number); }
    std::size_t close_all();
    // Leaves room for one more open file.
    void make_room();
    bool is_open(const std::string& name) const;  // the name, or something below it
    void renamed(const std::string& from, const std::string& to);
    const std::map<std::int32_t, FileDescriptor>& all() const { return all_; }

private:
    std::int32_t shared(const std::string& name, std::int32_t flags);

    std::map<std::int32_t, FileDescriptor> all_;
    std::uint64_t uses_ = 0;
};

}  // namespace trollius_os::services
