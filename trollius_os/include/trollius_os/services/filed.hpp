// filed is the host's file server for programs on nodes. It has two kinds of requests. The first prints, writes whole files,
// and reads the input stream: for the programs of a farm. The second works with descriptors, as the calls of rfiles.hpp do.
//
// It answers every request, even a damaged one, so a program continues when the host has it. Only a write to a descriptor
// opened with O_1WAY gets no answer. A request costs its messages; the host's disk takes no modelled time.
#pragma once

#include <array>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <trollius_os/error_numbers.hpp>
#include <trollius_os/services/request.hpp>

namespace trollius_os {

struct NodeServices;

namespace services {

enum class FileCall : std::int32_t { Print = 0, Open = 1, Append = 2, Close = 3, Read = 4 };

// Body: text, name or content; at most one packet.
struct FileRequest {
    std::int32_t unused = 0;
    Caller caller{};
    FileCall call = FileCall::Print;
    std::int32_t most = 0;  // most bytes that a Read may return; none when negative
    constexpr bool sound() const { return call >= FileCall::Print && call <= FileCall::Read; }
};
static_assert(sizeof(FileRequest) == 20);

// Body: the bytes read.
struct FileAnswer {
    std::uint32_t taken = 0;  // accepted bytes of the request's body
};
static_assert(sizeof(FileAnswer) == 4);

// Requests with descriptors. The names are those of Trollius.
enum class FileOrderCall : std::int32_t {
    Open = 16,
    Close,
    Read,
    Write,
    Lseek,
    Dup,
    Dup2,
    Access,
    Mkdir,
    Rmdir,
    Unlink,
    Chdir,
    Getwd,
    Stat,
    Fstat,
    Trunc,
    Ftrunc,
    Rename,
    System,
    State,
    Rmfd,
    Incr
};

// `descriptor` is filed's, not the client's. Body: a name without a zero; two with a zero between for Rename; the bytes of
// Write.
struct FileOrder {
    std::int32_t unused = 0;
    Caller caller{};
    FileOrderCall call = FileOrderCall::Open;
    std::int32_t descriptor = -1;
    // Open: flags. Read: most bytes, at most one packet. Write: 1 for no answer. Lseek: offset in bytes. Dup2: the descriptor
    // that loses a user, or -1. Access: sum of 4 read, 2 write, 1 execute. Trunc, Ftrunc: bytes. State: first row. Incr: by how
    // many.
    std::int32_t number = 0;
    std::int32_t other = 0;  // Open, Mkdir: mode. Lseek: 0 from the start, 1 from the offset, 2 from the end
    constexpr bool sound() const { return call >= FileOrderCall::Open && call <= FileOrderCall::Incr; }
};
static_assert(sizeof(FileOrder) == 28);

// Body: the bytes of Read, the folder of Getwd, the rows of State.
struct FileReply {
    std::int32_t value = 0;  // descriptor, bytes, offset, users, or rows in all
    ErrorNumber error = 0;
    std::int32_t kind = 0, mode = 0, bytes = 0;  // Stat, Fstat
};
static_assert(sizeof(FileReply) == 20);

// A descriptor in the body of State's reply. The name ends with a zero if it is shorter than its room.
struct FileRow {
    std::int32_t descriptor = 0, users = 0;
    std::int32_t flags = 0;  // 1 read, 2 write, 4 active (the real file is open), 8 locked
    std::uint32_t flow = 0;  // bytes read and written so far, modulo 2^32
    Caller client{};         // who opened it or used it last; event 0: nobody
    std::array<char, 160> name{};
};
static_assert(sizeof(FileRow) == 184 && std::has_unique_object_representations_v<FileRow>);

void filed(Api& api, const NodeServices& services);  // the process; never returns

}  // namespace services

// Prints on the host's standard output.
void print(Api& api, NodeId host, const std::string& text);
// Writes a whole file on the host: one message opens it, one carries each packet of content, one closes it.
void save_file(Api& api, NodeId host, const std::string& name, std::vector<std::byte> content);
// Reads from the host's input stream, at most one packet. Returns the bytes read, 0 at its end.
std::size_t read_input(Api& api, NodeId host, std::span<std::byte> room);

}  // namespace trollius_os
