// Activity: a Process as the Processor sees it. It runs until it wants something: use cycles, wait, yield or end. A
// host-compiled program is a Fiber (fiber.hpp); a T800 instruction core will be another kind.
#pragma once

#include <cstdint>

#include <vocabulary/sim_time.hpp>

namespace hw_model {

enum class Priority : std::uint8_t { High = 0, Low = 1 };  // the transputer's numbering

// The kind of a use that is one instruction, for which a process of high priority has to wait (t800 facts, b.2).
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
    // Runs the code until its next demand. Called by the Processor only, never from inside another Activity.
    virtual Demand resume() = 0;
    // Its timer has fired; false: it sleeps on, and may have set another timer. The Processor calls it outside of any Activity
    // and at no cost, so it only looks.
    virtual bool wants_to_wake() { return true; }

private:
    friend class Processor;
    friend class Chronicle;
    enum class State : std::uint8_t { Idle, Ready, Running, Waiting, Ended };

    Activity* next_ = nullptr;            // in a ready queue
    std::int64_t remaining_ps_ = 0;       // of the cycles asked for
    vocabulary::Cycles debt_;             // switch cost that the next use pays, also after a wait
    std::uint32_t timer_generation_ = 0;  // a time-out that fires with an older number no longer counts
    std::uint32_t actor_ = 0;             // its number in a Chronicle, from 1; 0: in none
    std::uint16_t power_up_ = 0;          // of the processor, when it was started; after a reset it no longer counts
    LongInstruction long_instruction_ = LongInstruction::No;
    bool loop_ = false, wake_pending_ = false;
    State state_ = State::Idle;
    Priority priority_;
};

}  // namespace hw_model
