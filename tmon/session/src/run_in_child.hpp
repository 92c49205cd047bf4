// A simulation in a child process, and what it found brought back: SystemC elaborates once a process. To be called before
// anything of SystemC is made in this one.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include <tmon_session/forks.hpp>

#include "child_pipe.hpp"

namespace tmon_session {

// Throws std::runtime_error when the child fails; its own message is on standard error then.
template <class Result, class Function>
Result run_in_child(Function function) {
    ChildPipe pipe;
    std::fflush(nullptr);
    const pid_t parent = getpid(), child = fork();
    if (child < 0) throw std::runtime_error("the host cannot start a second process for a measuring run");
    if (child == 0) {
        begin_as_fork(parent);
        pipe.child_side();
        try {
            pipe.put(function());
        } catch (const std::exception& error) {
            std::fprintf(stderr, "magicwire: %s\n", error.what());
            _exit(1);
        }
        _exit(0);
    }
    pipe.parent_side();
    Result result;
    const bool whole = pipe.get(result);
    pipe.close_read();
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!whole || status != 0) throw std::runtime_error("a measuring run failed; its message is above");
    return result;
}

}  // namespace tmon_session
