// Activity: a Process as the Processor sees it. It runs until its next demand: use cycles, wait, yield or end. Code
// with a stack is a Fiber (fiber.hpp), code without one a Coroutine (coroutine.hpp).
#pragma once

#include <cstdint>

#include <vocabulary/sim_time.hpp>

namespace hw_model {

enum class Priority : std::uint8_t { High = 0, Low = 1 };  // the transputer's numbering

// A use that is one long instruction; a high-priority process has to wait for its end (docs/model/timing_model.md, Processor).
enum class LongInstruction : std::uint8_t { No, Integer, FloatingPoint };

struct Demand {
    enum class Kind : std::uint8_t { Use, Wait, Yield, End };
    Kind kind = Kind::End;
    bool loop =
        false;  // the cycles are a loop with j or lend in it, so a timeslice may end inside (T800: only j and lend deschedule)
    LongInstruction long_instruction = LongInstruction::No;
    vocabulary::Cycles cycles{};  // last: the whole fits into two registers of the host
};

class Activity {
public:
    explicit Activity(Priority priority) : priority_(priority) {}
    virtual ~Activity() = default;
    Activity(const Activity&) = delete;
    Activity& operator=(const Activity&) = delete;

    Priority priority() const { return priority_; }
    bool ended() const { return state_ == State::Ended; }
    bool computing() const { return state_ == State::Running || state_ == State::Ready; }

protected:
    // Another process begins in it. The last one has ended; a timer or a link that still knows it does no harm.
    void begin_anew(Priority priority) {
        next_ = nullptr;
        remaining_ps_ = 0;
        debt_ = {};
        ++timer_generation_;
        actor_ = 0;
        long_instruction_ = LongInstruction::No;
        loop_ = wake_pending_ = false;
        state_ = State::Idle;
        priority_ = priority;
    }
    // Runs the code until its next demand. Called by the Processor only, never from inside another Activity.
    virtual Demand resume() = 0;
    // Called when its timer has fired. False: it sleeps on, and may have set another timer. The Processor calls it outside any
    // Activity and at no cost, so it must only look.
    virtual bool wants_to_wake() { return true; }

private:
    friend class Processor;
    friend class Chronicle;
    enum class State : std::uint8_t { Idle, Ready, Running, Waiting, Ended };

    Activity* next_ = nullptr;            // in a ready queue
    std::int64_t remaining_ps_ = 0;       // left of the demanded cycles
    vocabulary::Cycles debt_;             // switch cost that the next use pays, also after a wait
    std::uint32_t timer_generation_ = 0;  // a timeout with an older number is stale
    std::uint32_t actor_ = 0;             // number in a Chronicle, from 1; 0: in none
    std::uint16_t power_up_ = 0;          // power-up of the processor in which it started; a reset makes it stale
    LongInstruction long_instruction_ = LongInstruction::No;
    bool loop_ = false, wake_pending_ = false;
    State state_ = State::Idle;
    Priority priority_;
};

}  // namespace hw_model
