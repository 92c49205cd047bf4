// Replay: plays a Script to a queue, which is a Timeline or a class with its post() and run_until(). Every event posts from its
// handler what the recorded one posted, and checks that it is the one whose turn it is. Between two events it may walk through
// other memory, as the handlers of a real run do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "entry.hpp"
#include "script.hpp"

namespace queues {

// Memory of which each event changes a few cache lines, one part after the other.
class WorkingSet {
public:
    WorkingSet(std::size_t bytes, std::size_t lines_at_once) : lines_(bytes / sizeof(Line) + 1), at_once_(lines_at_once) {}
    void walk() {
        for (std::size_t i = 0; i < at_once_; ++i) {
            ++lines_[at_].count;
            at_ = at_ + 1 == lines_.size() ? 0 : at_ + 1;
        }
    }

private:
    struct alignas(64) Line {
        std::uint64_t count = 0;
    };
    std::vector<Line> lines_;
    std::size_t at_ = 0, at_once_;
};

template <class Target>
class Replay final : private Timeline::Handler {
public:
    Replay(Target& target, const Script& script, WorkingSet& other) : target_(target), script_(script), other_(other) {}
    void run() {
        post(script_.posts_at_first);
        target_.run_until(SimTime::ps(SimTime::never().in_ps() - 1));
    }
    // Every event has fired, each in its turn.
    bool is_right() const { return wrong_ == 0 && fired_ == script_.fires.size(); }

private:
    void post(std::uint32_t count) {
        for (; count != 0; --count) {
            const Script::Post& one = script_.posts[posted_];
            target_.post(one.when, one.node, *this, posted_++);
        }
    }
    void fire(std::uint32_t what) override {
        const Script::Fire& one = script_.fires[fired_++];
        wrong_ += what != one.post ? 1U : 0U;
        other_.walk();
        post(one.posts);
    }
    Target& target_;
    const Script& script_;
    WorkingSet& other_;
    std::size_t fired_ = 0;
    std::uint32_t posted_ = 0, wrong_ = 0;
};

// A bare queue with what a Timeline adds to it: the order of posting, and a loop that fires. A queue has push(), next_time(),
// which is never() when it is empty, and take(), which follows next_time() at once.
template <class Queue>
class Fired {
public:
    void post(SimTime when, std::uint32_t node, Timeline::Handler& handler, std::uint32_t what) {
        queue_.push({when, TimelineHistory::order(node, ++posted_), &handler, what, 0});
    }
    void run_until(SimTime limit) {
        while (queue_.next_time() <= limit) {
            const Entry entry = queue_.take();
            entry.handler->fire(entry.what);
        }
    }

private:
    Queue queue_;
    std::uint64_t posted_ = 0;
};

// Knows what comes next without a queue: what a replay costs by itself.
class KnownOrder {
public:
    explicit KnownOrder(const Script& script) : script_(script) {}
    void post(SimTime when, std::uint32_t node, Timeline::Handler& handler, std::uint32_t what) {
        posted_ += static_cast<std::uint64_t>(when.in_ps()) + node + what;
        handler_ = &handler;
    }
    void run_until(SimTime) {
        for (const Script::Fire& one : script_.fires) handler_->fire(one.post);
    }

private:
    const Script& script_;
    Timeline::Handler* handler_ = nullptr;
    std::uint64_t posted_ = 0;
};

}  // namespace queues
