// ByteRun: the exchange of two link ends in the middle of their messages, without events. Nobody but the two ends takes part in
// it, and all that shows outside are the memory cycles that it takes from both processors. So the ends go on without the
// Timeline and lag behind it. They catch up when somebody looks. A processor looks when it begins, ends or cuts a
// use. So does a call at either end, a transaction from the path, and the end of Timeline::run_until(). Every step then happens
// at its time and place in the order of events (timeline_history.hpp).
//
// A run begins after a data packet, when each direction is idle or in the middle of a message, from the third byte on. It ends
// before the last byte of either message, so all that wakes processes or starts messages remains an event. It also ends when
// anything else changes at either end: a message is offered or withdrawn, the path changes, a node stops. Messages that a tap
// watches have no run. Two links between the same two nodes have none while both are busy. Their packets could fall on one
// moment again and again, and only the order of all of them would tell which comes first.
//
// While only one direction moves, whole periods are done at once: the cost of a message does not depend on its length. Both
// directions go byte by byte, at a fraction of the cost of events.
#pragma once

#include <array>
#include <cstdint>

#include "byte_engine.hpp"

namespace hw_model {

class ByteRun final : private Timeline::Handler, private Laggard {
public:
    ByteRun(ByteEngine& a, ByteEngine& b, Timeline& timeline) : ends_{&a, &b}, timeline_(timeline) {}

    // After a data packet of `sender`.
    static void begin_if_possible(ByteEngine& sender);
    // Ends the runs of other links between the nodes of these two ends.
    static void end_beside(const ByteEngine& end, const ByteEngine& far);
    void catch_up() { catch_up_to(timeline_.history()->place()); }
    void end();

    // For the ends, during a step
    SimTime now() const { return now_; }
    ByteEngine& other(const ByteEngine& end) const { return *ends_[&end == ends_[0] ? 1 : 0]; }
    void arm(ByteEngine::Armed& armed) {
        armed.posted = false;
        armed.number = ++armed_;
        armed.by = steps_;
    }

private:
    using What = ByteEngine::What;
    struct Step {
        SimTime at = SimTime::never();
        ByteEngine* end = nullptr;
        What what{};
        ByteEngine::Armed armed;
    };
    static constexpr std::uint32_t least_bytes = 8, kept = 128;

    static bool moves(const ByteEngine& from, const ByteEngine& to);
    static bool rests(const ByteEngine& from, const ByteEngine& to);
    static bool suits(const ByteEngine& from, const ByteEngine& to);
    static bool busy_beside(const ByteEngine& end, const ByteEngine& far);
    static SimTime period(const ByteEngine& from, const ByteEngine& to);
    static SimTime answer(const ByteEngine& to);
    static bool can_order(const ByteEngine& from, const ByteEngine& to);

    void begin();
    void fire(std::uint32_t) override;
    SimTime rest_at(SimTime limit) override;
    SimTime next_step() const override { return next_; }
    void catch_up_to(const TimelineHistory::Place& place);
    Step first() const;
    static bool before(const ByteEngine& end, const ByteEngine::Armed& armed, const ByteEngine& other_end,
                       const ByteEngine::Armed& other);
    void note(const Step& step);
    void do_step(const Step& step);
    bool skip(const Step& step, SimTime limit);
    static void do_bytes(ByteEngine& from, ByteEngine& to, std::uint32_t count);
    std::uint64_t number_of(const Step& step) const;
    SimTime earliest_end() const;
    bool near_end() const;
    void wake_at(SimTime when);

    std::array<ByteEngine*, 2> ends_;
    Timeline& timeline_;
    SimTime now_, next_ = SimTime::never(), wake_ = SimTime::never();
    std::uint32_t steps_ = 0;
    std::uint64_t armed_ = 0;
    std::array<Step, kept> last_;  // the last steps, to know when a pending one was armed
};

}  // namespace hw_model
