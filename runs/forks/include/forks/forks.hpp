// Forks: children of this process that go on from the moment of the fork with all that it had then. Each hands one text back
// when it ends, or says why it failed. Futures of a run are forks between two events of the modelled machine
// (SessionHooks::at_moment). Runs of several scenarios are forks before anything of SystemC is made, since it elaborates once a
// process. Cost: for each start, one fork() (child_process.hpp), and one open file while the child runs, two with
// ProcessGroup::Own; for each text, two copies.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <forks/channel.hpp>
#include <forks/child_process.hpp>
#include <vocabulary/errors.hpp>

namespace forks {

struct ChildAnswer {
    enum class How { NotRun, Done, Failed };
    How how = How::NotRun;  // not begun, or not over yet, or ended by the parent
    std::string bytes;      // of Done: what the child handed over
    std::string failure;    // of Failed: the message of what it threw; for a child that died, how it died and its last message
    vocabulary::ErrorKind kind = vocabulary::ErrorKind::Defect;  // of Failed; a child that the host killed is its want
};
// Throws "NAME failed: REASON" as an error of the answer's kind. `name`: as "a measuring run".
[[noreturn]] void throw_failure(const std::string& name, const ChildAnswer& answer);

class Forks {
public:
    // With ProcessGroup::Own a child's standard error is kept from the terminal. Its last line becomes part of the failure when
    // the child dies.
    explicit Forks(ProcessGroup group = ProcessGroup::Shared) : group_(group) {}
    ~Forks();  // ends those that still run, and waits for them
    Forks(const Forks&) = delete;
    Forks& operator=(const Forks&) = delete;

    // True in the child, which ends with deliver(), fail() or deliver_result(). Throws vocabulary::HostError when the host has
    // no room for it.
    bool start();
    // For the parent. Waits until at most so many still run.
    void wait(std::size_t most_running);
    // Waits until one of them has said something or ended, but at most so long; -1: without a limit.
    void listen(int most_ms);
    std::size_t running() const { return running_.size(); }
    std::size_t ended() const { return answers_.size() - running_.size(); }
    // In the order of their start. take_answers(): without a copy; afterwards only the destructor may be called.
    const std::vector<ChildAnswer>& answers() const { return answers_; }
    std::vector<ChildAnswer> take_answers() { return std::move(answers_); }

    // For the child: hands over, and ends the process.
    [[noreturn]] void deliver(const std::string& text);
    [[noreturn]] void fail(const std::exception& why);
    [[noreturn]] void deliver_result(const std::function<std::string()>& work);  // what it returns or throws

private:
    struct Child {
        std::size_t number = 0;  // of its answer
        pid_t process = -1;
        ChannelEnd from;       // closed: it has ended
        std::string received;  // first byte: it has done its work, or has failed and gives the reason
        int said = -1;         // the file that serves as its standard error
    };
    void end(Child& child);
    [[noreturn]] void hand_over(char how, const std::string& text);

    ProcessGroup group_;
    std::vector<Child> running_;  // only those that run: poll() takes no more entries than the host allows open files
    std::vector<ChildAnswer> answers_;
    ChannelEnd to_parent_;
};

}  // namespace forks
