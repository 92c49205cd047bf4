// Processor: the T800's scheduler, with two ready queues. A high-priority Activity runs until it waits. A low-priority one runs
// when no high one is ready. It is cut at the exact time a high one becomes ready, and later resumes the rest of its use. Low
// ones share the processor by timeslices (docs/model/timing_model.md, Processor). Both timers have the node's offset and drift.
// Cost: at most one Timeline event a use, none for a switch.
//
// Rule for programs: after a wait, charge before acting, because the next use pays the cost of the switch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <systemc>

#include <hw_model/activity.hpp>
#include <hw_model/timeline.hpp>
#include <hw_model/timing.hpp>
#include <hw_model/totals.hpp>
#include <vocabulary/account.hpp>
#include <vocabulary/ids.hpp>

namespace hw_model {

class Chronicle;

class Processor : public sc_core::sc_module, private Timeline::Handler {
public:
    Processor(sc_core::sc_module_name name, vocabulary::NodeId node, std::int64_t clock_hz, const ProcessorTiming& timing,
              Timeline& timeline);

    void set_clock(std::int64_t offset_us, std::int64_t drift_ppm);
    // Changes the drift from now on; the clock does not jump. A process that already waits for the clock wakes at the time
    // computed from the old drift.
    void set_drift(std::int64_t drift_ppm);
    // Restarts both clocks at `clock_us`, as sttimer does after a reset has stopped them.
    void start_clocks(std::uint64_t clock_us);
    bool clocks_run() const { return !clocks_stopped_; }
    // Value of the node's own clock: true time with offset and drift, in ticks of 1 us (high) or 64 us (low), in microseconds.
    std::uint64_t clock_us(Priority priority) const;
    // The same at any moment when the clock ran, as if it had not been restarted since.
    std::uint64_t clock_us_at(SimTime moment, Priority priority) const;
    // Its error: at true time t it shows t * (1 + drift) + offset.
    double clock_offset_us() const { return static_cast<double>(offset_ps_) * 1e-6; }
    std::int64_t clock_drift_ppm() const { return drift_ppm_; }
    SimTime cycle() const { return SimTime::ps(cycle_ps_); }
    // Duration here of work that takes `stated` on a T800-20, without interruptions.
    SimTime lasts(SimTime stated) const;

    void start(Activity& activity);                // new: to the back of its queue
    void make_ready(Activity& activity);           // waiting: to the back of its queue; otherwise its next wait returns at once
    void make_ready_by_event(Activity& activity);  // the same; the event pin ended the wait
    void wake_at(SimTime when, Activity& activity);  // make_ready() at `when`; the latest request of an activity counts
    void wake_at_clock_us(std::uint64_t clock, Activity& activity);  // when the node's own clock has passed that value
    void cancel_timer(Activity& activity) { ++activity.timer_generation_; }
    void stop(Activity& activity);  // it never runs again (doom); not for the running activity
    void crash();                   // the node crashes: nothing runs, nothing fires any more
    bool crashed() const { return life_ == Life::Crashed; }
    // Stops all processes, as HaltOnError does on a T800; time, clocks, memory and links go on. No effect after a crash.
    void halt();
    bool halted() const { return life_ == Life::Halted; }
    bool stopped() const { return life_ != Life::Alive; }  // crashed or halted

    // Halts when the running process next yields the processor, the end of its timeslice included; at once when idle
    // (docs/model/timing_model.md, Pins). A high-priority process that cuts a low one runs first.
    void analyse();
    // A use of the running process, for its own code. True: the use is over. So it is when nothing else can happen in the
    // machine before its end; that saves the event and two changes of stack. False: nothing has happened; the process must
    // demand the use. High priority only.
    bool use_at_once(Activity& activity, vocabulary::Cycles cycles);
    // False: it would refuse. Costs two comparisons, where a refused use costs some 70 instructions.
    bool may_use_at_once() const { return time_may_pass_ && timeline_.may_be_quiet(); }

    // Starts anew as from power-up: every earlier process ends, a waiting one when something would wake it. Nothing is ready,
    // both clocks stand still, and a halt is over. Not for calls from its own code; no effect after a crash.
    void reset();

    // The links took memory cycles: the current use ends that much later (docs/model/timing_model.md, Costs at both levels).
    // The cycles are summed and added when the use would have ended, so a call costs an addition and no event. A remainder
    // below `most_carried` cycles lengthens the next use instead, which saves that event too. Without a current use nothing is
    // lost. `account`: the message's, for a Chronicle.
    void steal(vocabulary::Cycles cycles, vocabulary::Account account = {});
    static constexpr std::int64_t most_carried = 64;
    // A link engine that steals word by word. While it lags, it does so when the processor looks (src/byte_run.hpp).
    class Thief {
    public:
        virtual void catch_up() = 0;  // steals everything that it steals before the present event

    protected:
        ~Thief() = default;
    };
    void add_thief(Thief& thief) { thieves_.push_back(&thief); }
    const std::vector<Thief*>& thieves() const { return thieves_; }
    void thief_lags(bool lags) {
        lagging_ += lags ? 1 : -1;
        stolen_rate_ = lagging_ == 0 ? 0 : by_word;
        gathered_ = SimTime::ps(-1);
    }
    // The same at a steady rate from now on: changes the share of the processor's time by `more`, in units of 2^-20. All links
    // together take at most 15/16.
    void steal_at_rate(std::int64_t more) {
        gather_stolen();
        stolen_rate_ += more;
    }
    // Multiplies the cycles of every use by `factor` from now on, the rest of a use under way included. At least 1, in
    // thousandths.
    void set_slowness(double factor);
    // So much of the last use, at high priority, was work of low priority. A T800 core is one process here and has both.
    void book_as_low(SimTime time) {
        totals_.high_busy -= time;
        totals_.low_busy += time;
    }
    // Time used by both priorities until now.
    SimTime busy_so_far() const;

    // True when no low-priority process runs or is ready. Adaptive unloading calls that idle.
    bool low_priority_idle() const {
        return low_.front == nullptr && preempted_ == nullptr && (running_ == nullptr || running_->priority_ == Priority::High);
    }
    // End of the current use if nothing interrupts it; a past time when there is none.
    SimTime use_end() const { return running_ == nullptr ? SimTime() : end_of_use() + SimTime::ps(stolen_ps_); }
    const Activity* running() const { return running_; }
    bool in_code() const { return in_run_; }  // true when called, even indirectly, from the code of one of its activities
    ProcessorTotals totals() const;
    void attach(Chronicle* chronicle) { chronicle_ = chronicle; }

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

    enum class Life : std::uint8_t { Alive, Halted, Crashed };

    void fire(std::uint32_t what) override;
    void fire_high();
    void fire_low();
    void fire_timer(std::uint32_t slot);
    void run();
    void run_last();
    bool pick();
    void take_demand(Activity& a, Demand demand);
    void begin_use(Activity& a);
    void preempt(Activity& a);
    void arm_low();
    void queue_ready(Activity& a);
    void renew_slice();
    void end_life(Life how);
    bool in_use() const { return running_ != nullptr && !in_run_ && life_ == Life::Alive; }
    SimTime end_of_use() const { return running_->priority_ == Priority::High ? high_end_ : low_end_; }
    SimTime& busy_of_running() { return running_->priority_ == Priority::High ? totals_.high_busy : totals_.low_busy; }
    void settle();
    vocabulary::Cycles latency_of(Activity& cut);
    void set_charges();
    bool wants_slice_end() const { return low_.front != nullptr || analysing_; }
    std::int64_t take_stolen_ps() {
        gather_stolen();
        return stolen_ps_ < most_carried * cycle_ps_ ? 0 : add_stolen_to(*running_);
    }
    // Lengthens the use of `a` by the stolen cycles.
    std::int64_t add_stolen_to(Activity& a) {
        if (chronicle_ != nullptr) [[unlikely]]
            tell_stolen(a);
        return std::exchange(stolen_ps_, 0);
    }
    void tell_stolen(Activity& a);
    std::int64_t at_rate(SimTime lasts) const {
        const std::int64_t ps = lasts.in_ps(), rate = std::min(stolen_rate_, most_stolen_rate);
        return (ps >> 20) * rate + ((ps & ((1 << 20) - 1)) * rate >> 20);
    }
    [[gnu::always_inline]] void gather_stolen() {
        const SimTime now = timeline_.now();
        if (gathered_ == now) return;
        if (stolen_rate_ != 0) {
            if (stolen_rate_ < 0) [[unlikely]]
                return catch_up();  // there may be more later at this moment
            if (in_use()) gather_at_rate(now);
        }
        gathered_ = now;
    }
    [[gnu::always_inline]] void gather_at_rate(SimTime now);  // several times a message; a call there is measurable
    [[gnu::cold]] void catch_up() const;
    void tell_gathered(std::int64_t ps);
    void forget_stolen();
    SimTime true_time_of(std::uint64_t clock_us, SimTime tick) const;
    std::uint64_t in_ticks(std::int64_t local, Priority priority) const;
    std::int64_t local_ps(std::int64_t true_ps) const { return true_ps + true_ps / 1'000'000 * drift_ppm_ + offset_ps_; }

    // Members that each dispatch, each use and each message of a link touches are together, so that they cost few cache lines.
    Activity *running_ = nullptr, *preempted_ = nullptr;
    bool in_run_ = false, preempting_ = false, analysing_ = false;
    bool time_may_pass_ = false;  // in code: whatever called it does nothing more at this moment
    Life life_ = Life::Alive;
    std::uint16_t power_up_ = 0;
    vocabulary::NodeId node_;
    Timeline& timeline_;
    Chronicle* chronicle_ = nullptr;
    std::int64_t cycle_ps_;  // one period of the clock
    std::int64_t stolen_rate_ = 0;
    SimTime gathered_;            // the time up to which the stolen cycles have been counted
    SimTime use_began_;           // or resumed
    std::int64_t stolen_ps_ = 0;  // stolen from the current use, not yet added to it
    SimTime high_end_, low_end_, slice_end_, low_armed_ = SimTime::never();
    Queue high_, low_;
    std::int64_t code_ps_ = 0;    // time of a cycle of code: longer with slow memory or in a slow node
    std::int64_t switch_ps_ = 0;  // time of a cycle of a switch: microcode and on-chip memory
    ProcessorTotals totals_;
    vocabulary::Cycles latency_;  // latency of the pre-emption under way

    ProcessorTiming timing_;
    std::int64_t slowness_ = 1000;  // in thousandths
    std::int64_t offset_ps_ = 0, drift_ppm_ = 0, stopped_at_ps_ = 0;
    bool clocks_stopped_ = false;
    static constexpr std::int64_t most_stolen_rate = 15 << 16;
    static constexpr std::int64_t by_word = -1;  // instead of a rate: thieves lag
    int lagging_ = 0;
    std::vector<Thief*> thieves_;
    std::vector<Timer> timers_;
    std::vector<std::uint32_t> free_timers_;
};

inline void Processor::gather_at_rate(SimTime now) {
    const std::int64_t ps = at_rate(now - std::max(gathered_, use_began_));
    stolen_ps_ += ps;
    if (chronicle_ != nullptr) [[unlikely]]
        tell_gathered(ps);
    totals_.stolen += SimTime::ps(ps);
}

}  // namespace hw_model
