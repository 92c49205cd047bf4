// Random executions of message-passing programs with their true times, and a judge of checkpoints, rules, lines and replay
// times by definition and brute force. It shares no code with the library: it reads the messages alone.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <tmon_recovery/event_graph.hpp>

namespace testing_support {

struct RandomChoice {
    std::uint32_t seed = 1;
    bool blocking = true;  // some sends wait for their receivers
    bool drift = false;    // clocks, and begins at different times
    std::uint32_t most_processes = 8, most_events = 160;
};
struct RandomRun {
    std::vector<tmon_recovery::ProcessSpan> spans;
    std::vector<tmon_recovery::Message> messages;
    std::vector<std::int64_t> flights;  // of each message, true
};
RandomRun random_run(const RandomChoice& choice);

// One process' events and checkpoints in a row.
struct JudgedItem {
    bool checkpoint = false, receive = false;
    std::size_t message = 0;  // of an event
    std::uint32_t index = 0;  // of a checkpoint
    std::int64_t time = 0;
    std::uint32_t event = 0;  // its number; of a checkpoint that of the event before it
    std::size_t place = 0;    // among all items
};

class Judge {
public:
    enum class Method { Ros, Mrt };
    // Checkpoints as `interval` by the clock of each process, or at `moments` when it is 0.
    Judge(const RandomRun& run, std::int64_t interval, std::vector<std::vector<std::int64_t>> moments);

    const std::vector<std::vector<JudgedItem>>& items() const { return items_; }
    std::int64_t longest() const;
    bool before(const JudgedItem& one, const JudgedItem& other) const { return reach_[one.place][other.place]; }
    // By the words of the rules, of which 3 alone needs times.
    std::vector<bool> logged(Method method, bool arrival) const;
    bool is_set(const std::vector<std::uint32_t>& breakpoints) const;
    std::vector<std::uint32_t> causal(std::size_t process, std::uint32_t event) const;
    // By all combinations of the last three checkpoints before each breakpoint; places among a process' checkpoints. Empty:
    // there is no line, or no latest one.
    std::vector<std::size_t> latest_line(const std::vector<bool>& logged, const std::vector<std::uint32_t>& breakpoints) const;
    // Places among its checkpoints: the last before the breakpoint, and the one before that by its state.
    std::size_t last_before(std::size_t process, std::uint32_t event) const;
    std::int64_t replay(const std::vector<bool>& logged, const std::vector<std::size_t>& line,
                        const std::vector<std::uint32_t>& breakpoints) const;

private:
    void place_checkpoints(std::int64_t interval, const std::vector<std::vector<std::int64_t>>& moments);
    void close_over_causes();
    const JudgedItem* checkpoint(std::size_t process, std::uint32_t index) const;  // that stands for C_{p,i}; null: none
    // C_{r,i} -> C_{s,i+1}; the end of s stands in for a checkpoint that it did not take.
    bool knows(std::size_t s, std::size_t r, std::uint32_t index) const;
    bool is_valid(const std::vector<bool>& logged, const std::vector<std::uint32_t>& breakpoints,
                  const std::vector<const JudgedItem*>& line) const;
    std::vector<const JudgedItem*> checkpoints(std::size_t process) const;
    const JudgedItem& end_of(std::size_t process, std::size_t message, bool receive) const;
    std::uint32_t interval_of(std::size_t process, std::uint32_t event) const;
    std::int64_t common(std::size_t process, std::int64_t clock) const;

    RandomRun run_;
    std::vector<std::vector<JudgedItem>> items_;  // of each process; the last is its end, a checkpoint of no index
    std::vector<std::vector<bool>> reach_;
    std::vector<std::vector<JudgedItem>> sends_, receives_;
};

}  // namespace testing_support
