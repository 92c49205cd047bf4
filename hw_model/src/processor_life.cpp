// How a process or the whole Processor ends, and how it starts anew; its totals.
#include <hw_model/processor.hpp>

#include <algorithm>
#include <utility>

#include <hw_model/chronicle.hpp>
#include <vocabulary/contract.hpp>

namespace hw_model {

void Processor::stop(Activity& a) {
    EXPECTS(running_ != &a || !in_run_, "processor.stop.running");
    high_.remove(a);
    low_.remove(a);
    if (preempted_ == &a) preempted_ = nullptr;
    const bool was_running = running_ == &a;
    a.state_ = Activity::State::Ended;
    ++a.timer_generation_;
    if (!was_running) return;
    settle();
    forget_stolen();
    running_ = nullptr;
    if (!in_run_) run();
}

void Processor::crash() {
    end_life(Life::Crashed);
}

void Processor::halt() {
    if (life_ == Life::Alive) end_life(Life::Halted);
}

void Processor::analyse() {
    if (life_ != Life::Alive) return;
    analysing_ = true;
    if (in_run_) return;
    if (running_ == nullptr) {
        halt();
    } else if (running_->priority_ == Priority::Low) {
        if (slice_end_ <= timeline_.now()) renew_slice();
        arm_low();
    }
}

void Processor::reset() {
    EXPECTS(!in_run_, "processor.reset.own_code");
    if (life_ == Life::Crashed) return;
    settle();
    for (Queue* queue : {&high_, &low_}) {
        while (Activity* a = queue->pop()) a->state_ = Activity::State::Ended;
    }
    for (Activity* a : {running_, preempted_}) {
        if (a != nullptr) a->state_ = Activity::State::Ended;
    }
    running_ = preempted_ = nullptr;
    preempting_ = analysing_ = false;
    low_armed_ = SimTime::never();
    forget_stolen();
    ++power_up_;
    if (!clocks_stopped_) stopped_at_ps_ = local_ps(timeline_.now().in_ps());
    clocks_stopped_ = true;
    life_ = Life::Alive;
}

void Processor::end_life(Life how) {
    settle();
    life_ = how;
}

SimTime Processor::busy_so_far() const {
    const SimTime booked = totals_.high_busy + totals_.low_busy;
    return in_use() ? booked + (timeline_.now() - use_began_) : booked;
}

ProcessorTotals Processor::totals() const {
    if (lagging_ > 0) catch_up();
    ProcessorTotals result = totals_;
    if (in_use()) (running_->priority_ == Priority::High ? result.high_busy : result.low_busy) += timeline_.now() - use_began_;
    return result;
}

}  // namespace hw_model
