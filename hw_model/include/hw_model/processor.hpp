// Processor: the T800's scheduler. Two ready queues; a high-priority Activity runs until it waits; a low-priority one runs when
// no high one is ready, is cut exactly when one becomes so, and goes on with what is left; timeslices among low ones (t800
// facts, b.1-b.3). Two timers with their own offset and drift (D9). Cost: one Timeline event a use, none for a switch.
//
// Rule for programs: after a wait, charge before acting, because the cost of the switch is paid with the next use.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include <hw_model/activity.hpp>
#include <hw_model/timeline.hpp>
#include <hw_model/timing.hpp>
#include <vocabulary/ids.hpp>

namespace hw_model {

struct ProcessorTotals {
    SimTime high_busy, low_busy;
    std::uint64_t preemptions = 0, timeslices = 0, dispatches = 0;
};

class Processor : public sc_core::sc_module, private Timeline::Handler {
public:
    Processor(sc_core::sc_module_name name, vocabulary::NodeId node, std::int64_t clock_hz, const ProcessorTiming& timing,
              Timeline& timeline);

    void set_clock(std::int64_t offset_us, std::int64_t drift_ppm);
    // Value of the node's own clock: true time with offset and drift, in ticks of 1 us (high) or 64 us (low), in microseconds.
    std::uint64_t clock_us(Priority priority) const;
    SimTime cycle() const { return SimTime::ps(cycle_ps_); }
    vocabulary::Cycles cycles_in(SimTime duration) const;

    void start(Activity& activity);       // new: to the back of its queue
    void make_ready(Activity& activity);  // waiting: to the back of its queue; otherwise its next wait returns at once
    void wake_at(SimTime when, Activity& activity);  // make_ready() then; the latest request of an activity counts
    void wake_at_clock_us(std::uint64_t clock, Activity& activity);  // when the node's own clock has passed that value
    void cancel_timer(Activity& activity) { ++activity.timer_generation_; }
    void stop(Activity& activity);  // never runs again (doom); not allowed for the running one
    void crash();                   // the node is dead: nothing runs, nothing fires any more
    bool crashed() const { return crashed_; }

    // No process but those of high priority wants the processor: what the adaptive unloading calls idle.
    bool low_priority_idle() const {
        return low_.front == nullptr && preempted_ == nullptr && (running_ == nullptr || running_->priority_ == Priority::High);
    }
    // When what it is doing now will be done, if nothing comes between; the past when it does nothing.
    SimTime use_end() const {
        return running_ == nullptr ? SimTime() : running_->priority_ == Priority::High ? high_end_ : low_end_;
    }
    const Activity* running() const { return running_; }
    bool in_code() const { return in_run_; }  // asked from inside the code of one of its activities, or from what that calls
    ProcessorTotals totals() const;

private:
    struct Queue {
        Activity *front = nullptr, *back = nullptr;
        void push(Activity& a);
        Activity* pop();
        void remove(Activity& a);
    };
    struct Timer {
        Activity* activity;
        std::uint32_t generation;
    };
    enum What : std::uint32_t { HighDone = 0, LowDone = 1, TimerBase = 2 };

    void fire(std::uint32_t what) override;
    void fire_low();
    void fire_timer(std::uint32_t slot);
    void run();
    bool pick();
    void take_demand(Activity& a, Demand demand);
    void begin_use(Activity& a);
    void low_use_done(Activity& a);
    void preempt(Activity& a);
    void arm_low();
    void queue_ready(Activity& a);
    void renew_slice();
    SimTime true_time_of(std::uint64_t clock_us, SimTime tick) const;
    std::int64_t local_ps(std::int64_t true_ps) const { return true_ps + true_ps / 1'000'000 * drift_ppm_ + offset_ps_; }

    vocabulary::NodeId node_;
    std::int64_t cycle_ps_;
    ProcessorTiming timing_;
    Timeline& timeline_;
    std::int64_t offset_ps_ = 0, drift_ppm_ = 0;

    Queue high_, low_;
    Activity *running_ = nullptr, *preempted_ = nullptr;
    bool in_run_ = false, crashed_ = false, preempting_ = false;
    SimTime high_end_, low_end_, low_began_, slice_end_, low_armed_ = SimTime::never();
    std::vector<Timer> timers_;
    std::vector<std::uint32_t> free_timers_;
    ProcessorTotals totals_;
};

}  // namespace hw_model
