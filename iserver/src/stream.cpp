#include "stream.hpp"

#include <algorithm>
#include <cerrno>
#include <span>

namespace iserver {

std::string Server::Stream::read(Console& console, std::size_t count, bool line) {
    if (!reads) {
        error = EBADF;
        return {};
    }
    return kind == Kind::Input ? read_console(console, count, line) : read_file(count, line);
}

std::string Server::Stream::read_console(Console& console, std::size_t count, bool line) {
    std::string got;
    while (got.size() < count) {
        const auto next = console.read();
        if (!next) {
            at_end = true;
            break;
        }
        got.push_back(*next);
        if (line && *next == '\n') break;
    }
    return got;
}

std::string Server::Stream::read_file(std::size_t count, bool line) {
    std::string got(count, '\0');
    const auto moved = file->read(position, std::as_writable_bytes(std::span(got)));
    if (moved.error != 0) error = moved.error;
    got.resize(moved.bytes);
    if (moved.error == 0 && moved.bytes < count) at_end = true;
    if (const auto feed = got.find('\n'); line && feed != std::string::npos) {
        at_end = false;
        got.resize(feed + 1);
    }
    position += got.size();
    return got;
}

std::size_t Server::Stream::write(Console& console, std::string_view bytes) {
    if (!writes) {
        error = EBADF;
        return 0;
    }
    if (kind != Kind::File) {
        kind == Kind::Output ? console.write(bytes) : console.write_error(bytes);
        return bytes.size();
    }
    if (appends) {
        trollius_os::FileFacts facts;
        if (file->look(facts) == 0) position = facts.bytes;
    }
    const auto moved = file->write(position, std::as_bytes(std::span(bytes)));
    if (moved.error != 0) error = moved.error;
    position += moved.bytes;
    return moved.bytes;
}

}  // namespace iserver
