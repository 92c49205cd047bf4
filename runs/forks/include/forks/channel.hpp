// Channel: messages both ways between two processes that a fork() separates. It is made before the fork. Each side then closes
// the other side's end, so that each notices the death of the other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace forks {

class ChannelEnd {
public:
    ChannelEnd() = default;  // closed
    explicit ChannelEnd(int socket) : socket_(socket) {}
    ChannelEnd(ChannelEnd&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
    ChannelEnd& operator=(ChannelEnd&& other) noexcept {
        std::swap(socket_, other.socket_);
        return *this;
    }
    ~ChannelEnd() { close(); }
    void close();
    bool is_open() const { return socket_ >= 0; }

    // Sends or receives one whole message; blocks until the other side has room or has sent one. False, or empty: no process
    // holds the other end any more. Cost: one copy of the message through the host's buffers.
    bool send(const std::string& message);
    std::optional<std::string> receive();

    // For a process that listens to several channels. `handle()`: the descriptor that poll() watches, -1 when closed.
    // `receive_some()`: appends the available bytes to `bytes`. False: the other side has closed.
    int handle() const { return socket_; }
    bool receive_some(std::string& bytes);
    bool send_bytes(const std::string& bytes);  // for a listener like that; false as in send()

private:
    bool write(const char* at, std::size_t bytes);
    bool read(char* at, std::size_t bytes);

    int socket_ = -1;
};

// Two ends that are one channel. Throws vocabulary::HostError when the host has no room for it.
std::pair<ChannelEnd, ChannelEnd> make_channel();

}  // namespace forks
