// Plain data from a forked child to the parent that made it: both are the same program, so memory layout is no concern. SystemC
// elaborates once a process, so whatever needs a second machine runs in a child.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

namespace tmon_session {

class ChildPipe {
public:
    ChildPipe() {
        if (pipe2(ends_, O_CLOEXEC) != 0)
            throw std::runtime_error("the host has no pipe left for a run in a process of its own");
    }
    void child_side() { close(ends_[0]); }
    void parent_side() { close(ends_[1]); }
    void close_read() { close(ends_[0]); }

    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        write_all(&value, sizeof value);
    }
    template <class T>
    bool get(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        return read_all(&value, sizeof value);
    }
    // By the child; ends it when the parent is gone.
    void write_all(const void* data, std::size_t bytes) {
        const auto* at = static_cast<const char*>(data);
        while (bytes > 0) {
            const ssize_t written = write(ends_[1], at, bytes);
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) _exit(1);
            at += written;
            bytes -= static_cast<std::size_t>(written);
        }
    }
    // By the parent; false when the child has ended before.
    bool read_all(void* data, std::size_t bytes) {
        auto* at = static_cast<char*>(data);
        while (bytes > 0) {
            const ssize_t got = read(ends_[0], at, bytes);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return false;
            at += got;
            bytes -= static_cast<std::size_t>(got);
        }
        return true;
    }

private:
    int ends_[2];
};

}  // namespace tmon_session
