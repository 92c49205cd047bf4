#include <forks/channel.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <vocabulary/errors.hpp>

namespace forks {

std::pair<ChannelEnd, ChannelEnd> make_channel() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throw vocabulary::HostError(std::string("the host has no channel left to another process: ") + std::strerror(errno) +
                                    "; raise the limit of open files");
    }
    return {ChannelEnd(ends[0]), ChannelEnd(ends[1])};
}

void ChannelEnd::close() {
    if (is_open()) ::close(std::exchange(socket_, -1));
}

bool ChannelEnd::write(const char* at, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t written = ::send(socket_, at, bytes, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

bool ChannelEnd::read(char* at, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t got = ::read(socket_, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

bool ChannelEnd::send(const std::string& message) {
    const std::uint64_t length = message.size();
    return write(reinterpret_cast<const char*>(&length), sizeof length) && write(message.data(), message.size());
}

std::optional<std::string> ChannelEnd::receive() {
    std::uint64_t length = 0;
    if (!read(reinterpret_cast<char*>(&length), sizeof length)) return std::nullopt;
    std::string message(length, '\0');
    if (!read(message.data(), message.size())) return std::nullopt;
    return message;
}

bool ChannelEnd::send_bytes(const std::string& bytes) {
    return write(bytes.data(), bytes.size());
}

bool ChannelEnd::receive_some(std::string& bytes) {
    std::array<char, 65536> piece;
    const ssize_t got = ::read(socket_, piece.data(), piece.size());
    if (got > 0) bytes.append(piece.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace forks
