// Forks: children of this process that go on from the moment of the fork with a copy of its state. Each returns one text when
// it ends, or the reason of its failure. Futures of a run are forks between two events of the modelled machine
// (SessionHooks::at_moment). Runs of several scenarios fork before any SystemC object exists, since SystemC elaborates once a
// process. Cost of a start: one fork() (child_process.hpp), and one open file while the child runs, two with
// ProcessGroup::Own. Cost of a text: two copies.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <forks/channel.hpp>
#include <forks/child_process.hpp>
#include <vocabulary/errors.hpp>

namespace forks {

struct ChildAnswer {
    enum class How { NotRun, Done, Failed };
    How how = How::NotRun;         // not begun, still running, or killed by the parent
    std::string bytes;             // of Done: the child's text
    std::string failure;           // of Failed: message of the exception, or how the child died and its last message
    double processor_seconds = 0;  // of the host, from its start to its end, with its own children
    std::string last_lines;        // of Failed, with ProcessGroup::Own: at most ten of its standard error
    vocabulary::ErrorKind kind = vocabulary::ErrorKind::Defect;  // of Failed; Host for a child that the host killed
};
// Throws "NAME failed: REASON" as an error of the answer's kind. `name`: as "a measuring run".
[[noreturn]] void throw_failure(const std::string& name, const ChildAnswer& answer);

// Kept: all of them, for answers(). Taken: one by one, each once, so that many children need no memory.
enum class Answers : std::uint8_t { Kept, Taken };

class Forks {
public:
    // With ProcessGroup::Own a child's standard error does not reach the terminal. When the child dies, the last line becomes
    // part of the failure.
    explicit Forks(ProcessGroup group = ProcessGroup::Shared, Answers answers = Answers::Kept)
        : group_(group), answers_are_(answers) {}
    ~Forks();  // kills running children and waits for them
    Forks(const Forks&) = delete;
    Forks& operator=(const Forks&) = delete;

    // True in the child, which ends with deliver(), fail() or deliver_result(). Throws vocabulary::HostError when the host has
    // no room for it.
    bool start();
    // For the parent. Waits until at most `most_running` children run.
    void wait(std::size_t most_running);
    // Waits until a child has sent something or ended, or the descriptor `other` (-1: none) can be read, at most `most_ms`
    // milliseconds; -1: no limit.
    void listen(int most_ms, int other = -1);
    std::size_t running() const { return running_.size(); }
    std::size_t ended() const { return started_ - running_.size(); }
    // With Answers::Kept, in the order of the starts. take_answers(): without a copy; afterwards only the destructor may be
    // called.
    const std::vector<ChildAnswer>& answers() const { return answers_; }
    std::vector<ChildAnswer> take_answers() { return std::move(answers_); }
    // Number and process of each running child.
    std::vector<std::pair<std::size_t, pid_t>> running_children() const;
    // With Answers::Taken: the number of a child that has ended and was not taken yet, and its answer.
    std::optional<std::pair<std::size_t, ChildAnswer>> take_ended();

    // For the child: sends the text and ends the process.
    [[noreturn]] void deliver(const std::string& text);
    [[noreturn]] void fail(const std::exception& why);
    [[noreturn]] void deliver_result(const std::function<std::string()>& work);  // its result or its exception

private:
    struct Child {
        std::size_t number = 0;  // of its answer
        pid_t process = -1;
        ChannelEnd from;       // closed: the child has ended
        std::string received;  // first byte: done, or failed with the reason
        int said = -1;         // the file used as the child's standard error
    };
    void end(Child& child);
    [[noreturn]] void hand_over(char how, const std::string& text);

    ProcessGroup group_;
    Answers answers_are_;
    std::size_t started_ = 0;
    std::vector<Child> running_;  // running children only: poll() takes no more entries than the host allows open files
    std::vector<ChildAnswer> answers_;
    std::vector<std::pair<std::size_t, ChildAnswer>> not_taken_;  // by the numbers of children that have ended
    ChannelEnd to_parent_;
};

}  // namespace forks
