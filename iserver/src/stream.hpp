// An open stream: the console's input or outputs, or a file with its position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <iserver/server.hpp>

namespace iserver {

struct Server::Stream {
    enum class Kind : std::uint8_t { Input, Output, Error, File };

    Kind kind = Kind::File;
    std::unique_ptr<trollius_os::StoredFile> file{};
    bool reads = true, writes = true, appends = false;
    std::uint64_t position = 0;
    bool at_end = false;                 // a read has met the end
    trollius_os::ErrorNumber error = 0;  // of the last transfer that failed

    // Up to `count` bytes, fewer at the end or, with `line`, behind a line feed, which is included.
    std::string read(Console& console, std::size_t count, bool line);
    // How many bytes were written.
    std::size_t write(Console& console, std::string_view bytes);

private:
    std::string read_console(Console& console, std::size_t count, bool line);
    std::string read_file(std::size_t count, bool line);
};

}  // namespace iserver
