// The remote file calls of a program (Trollius 2.2, section "remote files"): open, read, write and the others on the host's
// files, through filed. A C library's open(), read() and write() call these.
//
// Results: 0 or more on success; on failure minus an error number (error_numbers.hpp). Counts, sizes and offsets are in bytes;
// files have at most 2^31 - 1. Cost: one request and one answer, and a look at the route. Reads and writes of more than a
// packet are several requests, and others' requests may come between them. A call waits for its answer without a time-out.
//
// A process has 32 descriptors of its own. 0 is the input stream, 1 and 2 are the console, all on the host. A name may be at
// most 160 bytes long. "15:foo" is the file foo of node 15. Only the host has files. Another node gives ESERVICE, and a node
// without a route EBADNODE; no message is sent then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <trollius_os/services/file_store.hpp>
#include <trollius_os/services/filed.hpp>

namespace trollius_os {

// The flags of rfopen(). One of the first three, and any sum of the others.
namespace open_flags {
inline constexpr std::int32_t read_only = 0, write_only = 1, read_write = 2, access_mask = 3;
inline constexpr std::int32_t append = 0x8, create = 0x200, truncate = 0x400, exclusive = 0x800;
inline constexpr std::int32_t lock = 0x10000;     // O_LOCK: the real file stays open; at most 63, else EFULL
inline constexpr std::int32_t reuse = 0x20000;    // O_REUSE: shares a descriptor of that name and access, with its offset
inline constexpr std::int32_t one_way = 0x40000;  // O_1WAY: a write waits for no answer, so its errors are lost
inline constexpr std::int32_t all = access_mask | append | create | truncate | exclusive | lock | reuse | one_way;
}  // namespace open_flags

inline constexpr std::size_t most_file_name = 160;
inline constexpr const char* no_files_text = "no directory of the host is allowed; name one with --files, or in the scenario";

// A process's descriptors. `node` serves the file; `descriptor` is the number there.
struct RemoteFile {
    bool open = false;
    NodeId node;
    std::int32_t descriptor = -1, flags = 0;
};
struct RemoteFiles {
    std::array<RemoteFile, 32> all;
};

// A new file gets `mode` without the write permissions of others; its owner may always read and write it.
std::int32_t rfopen(Api& api, const std::string& name, std::int32_t flags, std::int32_t mode = 0666);
std::int32_t rfclose(Api& api, std::int32_t descriptor);
// Bytes read, fewer than the room only at the end of the file or after an error in a later packet. The console gives what one
// packet has.
std::int32_t rfread(Api& api, std::int32_t descriptor, std::span<std::byte> room);
std::int32_t rfwrite(Api& api, std::int32_t descriptor, std::span<const std::byte> bytes);
// `whence`: 0 from the start, 1 from the offset, 2 from the end. Returns the new offset.
std::int32_t rflseek(Api& api, std::int32_t descriptor, std::int32_t offset, std::int32_t whence);
std::int32_t rfdup(Api& api, std::int32_t descriptor);
std::int32_t rfdup2(Api& api, std::int32_t descriptor, std::int32_t target);
std::int32_t rfftruncate(Api& api, std::int32_t descriptor, std::int32_t bytes);
std::int32_t rffstat(Api& api, std::int32_t descriptor, FileFacts& facts);
void rfclose_all(Api& api);  // at the end of a process

// `mode`: sum of 4 read, 2 write, 1 execute. Looks at the permissions of the owner.
std::int32_t rfaccess(Api& api, const std::string& name, std::int32_t mode);
std::int32_t rfmkdir(Api& api, const std::string& name, std::int32_t mode = 0777);
std::int32_t rfrmdir(Api& api, const std::string& name);
std::int32_t rfunlink(Api& api, const std::string& name);
std::int32_t rfchdir(Api& api, const std::string& name);  // filed has one working directory, for all its clients
std::int32_t rfgetwd(Api& api, std::string& name, std::optional<NodeId> node = {});
std::int32_t rfstat(Api& api, const std::string& name, FileFacts& facts);
std::int32_t rftruncate(Api& api, const std::string& name, std::int32_t bytes);
std::int32_t rfrename(Api& api, const std::string& from, const std::string& to);  // EXDEV between nodes
std::int32_t rfsystem(Api& api, const std::string& command);                      // always ESERVICE: the host runs nothing

// A descriptor of filed as `fstate` prints it.
struct FileLine {
    std::int32_t descriptor = 0, users = 0;
    bool readable = false, writable = false, active = false, locked = false;
    std::uint32_t flow = 0;  // bytes
    services::Caller client;
    std::string name;
};
std::int32_t rfstate(Api& api, NodeId node, std::vector<FileLine>& lines);
// Closes a descriptor of filed, whoever uses it; without one, all but the console's. Returns how many.
std::int32_t rfrmfd(Api& api, NodeId node, std::optional<std::int32_t> descriptor);
// Changes the number of users of a descriptor of filed, and returns it. At 0 it is closed.
std::int32_t rfincr(Api& api, NodeId node, std::int32_t descriptor, std::int32_t by);

}  // namespace trollius_os
