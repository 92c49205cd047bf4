// Forks: several futures of this process, each in a process of its own. A future goes on from the moment of the fork with all
// that the process had then, and hands one text back when it ends; what it writes to the parent's streams is its own business.
// To be used between two events of the modelled machine (SessionHooks::at_moment). Cost: one fork() each, the parent's page
// tables copied.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tmon_session {

class Forks {
public:
    // What came of one. No text: it failed, and `status` says how, as waitpid() does.
    struct Future {
        std::optional<std::string> text;
        int status = 0;
    };

    Forks() = default;
    ~Forks();  // futures that still run are stopped
    Forks(const Forks&) = delete;
    Forks& operator=(const Forks&) = delete;

    // True in the child, which ends with deliver(). Throws std::runtime_error when the host has no room for it.
    bool start();
    // By the parent: waits until at most so many still run.
    void wait(std::size_t most_running);
    // Waits until one of them has said something or ended, at most so long; -1: as long as it takes.
    void listen(int most_ms);
    std::size_t running() const;
    const std::vector<Future>& futures() const { return futures_; }  // in the order of their start
    // By the child: hands the text over and ends the process.
    [[noreturn]] void deliver(const std::string& text);

private:
    struct Child {
        pid_t process = -1;
        int from = -1;  // -1: it has ended
        std::string text;
    };
    void read_from(std::size_t number);

    std::vector<Child> children_;
    std::vector<Future> futures_;
    int to_parent_ = -1;
};

// After fork(), in the child: it dies with its parent, whatever ends that, and programs in it are watched again.
void begin_as_fork(pid_t parent);
// "exit code 3", "signal 11 (Segmentation fault)"
std::string how_it_ended(int status);

}  // namespace tmon_session
