// filed is the host's file server for programs on nodes: it prints, writes whole files, and reads the input stream. It answers
// every request, even a damaged one, so a program continues when the host has it.
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

void filed(Api& api, const NodeServices& services);  // the process; never returns

}  // namespace services

// Prints on the host's standard output.
void print(Api& api, NodeId host, const std::string& text);
// Writes a whole file on the host: one message opens it, one carries each packet of content, one closes it.
void save_file(Api& api, NodeId host, const std::string& name, std::vector<std::byte> content);
// Reads from the host's input stream, at most one packet. Returns the bytes read, 0 at its end.
std::size_t read_input(Api& api, NodeId host, std::span<std::byte> room);

}  // namespace trollius_os
