// filed, the file server on the host, for programs that run on a node: prints, writes whole files, reads the input stream.
// Every request is answered, a damaged one too, so a program goes on when the host has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <trollius_os/services/request.hpp>

namespace trollius_os {

struct NodeServices;

namespace services {

enum class FileCall : std::int32_t { Print = 0, Open = 1, Append = 2, Close = 3, Read = 4 };

// Body: the text, the name or the content; at most a packet.
struct FileRequest {
    std::int32_t unused = 0;
    Caller caller{};
    FileCall call = FileCall::Print;
    std::int32_t most = 0;  // bytes that a Read may give; none when negative
    constexpr bool sound() const { return call >= FileCall::Print && call <= FileCall::Read; }
};
static_assert(sizeof(FileRequest) == 20);

// Body: the bytes read.
struct FileAnswer {
    std::uint32_t taken = 0;  // bytes of the request's body
};
static_assert(sizeof(FileAnswer) == 4);

void filed(Api& api, const NodeServices& services);  // the process; for ever

}  // namespace services

// Prints on the host's standard output.
void print(Api& api, NodeId host, const std::string& text);
// Writes a whole file on the host: a message that opens it, one for each packet of content, one that closes it.
void save_file(Api& api, NodeId host, const std::string& name, std::vector<std::byte> content);
// Next bytes of the host's input stream, at most a packet; 0 at its end.
std::size_t read_input(Api& api, NodeId host, std::span<std::byte> room);

}  // namespace trollius_os
