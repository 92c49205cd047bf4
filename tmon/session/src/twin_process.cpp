#include "twin_process.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include <tmon_session/forks.hpp>

namespace tmon_session {

bool Exchange::write(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = send(socket_, at, bytes, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

bool Exchange::read(void* data, std::size_t bytes) {
    auto* at = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t got = recv(socket_, at, bytes, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

TwinProcess::TwinProcess(const std::function<void(Exchange&)>& work) : Exchange(-1) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw std::runtime_error("the host has no socket left for a run in a process of its own");
    std::fflush(nullptr);
    const pid_t parent_process = getpid();
    child_ = fork();
    if (child_ < 0) {
        close(ends[0]);
        close(ends[1]);
        throw std::runtime_error("the host cannot start a second process for the twin");
    }
    if (child_ == 0) {
        begin_as_fork(parent_process);
        close(ends[0]);
        try {
            Exchange parent(ends[1]);
            work(parent);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "magicwire: %s\n", error.what());
            _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    socket_ = ends[0];
}

bool TwinProcess::succeeded() {
    if (ended_) return succeeded_;
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    ended_ = true;
    succeeded_ = status == 0;
    return succeeded_;
}

// A child whose answer nobody wants any more sees that when it next says something.
TwinProcess::~TwinProcess() {
    close(socket_);
    succeeded();
}

}  // namespace tmon_session
