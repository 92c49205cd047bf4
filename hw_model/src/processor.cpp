#include <hw_model/processor.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <hw_model/chronicle.hpp>
#include <vocabulary/contract.hpp>

namespace hw_model {
namespace {

// Limit of a use, reached only on a node that a fault has slowed down beyond reason: 26 days. That is far beyond the end of any
// run, and near enough for times to stay within 64 bits.
constexpr std::int64_t longest_use_ps = std::int64_t{1} << 61;
__extension__ typedef __int128 Wide;

std::int64_t charge(std::int64_t cycles, std::int64_t cycle_ps) {
    std::int64_t ps = 0;
    return __builtin_mul_overflow(cycles, cycle_ps, &ps) ? longest_use_ps : std::min(ps, longest_use_ps);
}

}  // namespace

void Processor::Queue::push(Activity& a) {
    a.next_ = nullptr;
    (back == nullptr ? front : back->next_) = &a;
    back = &a;
}

Activity* Processor::Queue::pop() {
    Activity* a = front;
    if (a == nullptr) return nullptr;
    front = a->next_;
    if (front == nullptr) back = nullptr;
    return a;
}

void Processor::Queue::remove(Activity& a) {
    Activity* before = nullptr;
    for (Activity* at = front; at != nullptr; before = at, at = at->next_) {
        if (at != &a) continue;
        (before == nullptr ? front : before->next_) = a.next_;
        if (back == &a) back = before;
        return;
    }
}

Processor::Processor(sc_core::sc_module_name name, vocabulary::NodeId node, std::int64_t clock_hz,
                     const ProcessorTiming& timing, Timeline& timeline)
    : sc_module(name), node_(node), timeline_(timeline), cycle_ps_(1'000'000'000'000 / clock_hz), timing_(timing) {
    set_charges();
}

void Processor::set_charges() {
    switch_ps_ = std::max<std::int64_t>(1, cycle_ps_ * slowness_ / 1000);
    code_ps_ = std::max<std::int64_t>(1, switch_ps_ * timing_.code_percent / timing_.code_percent_stated);
}

SimTime Processor::lasts(SimTime stated) const {
    if (code_ps_ == stated_cycle_ps) return std::min(stated, SimTime::ps(longest_use_ps));
    const Wide wide = static_cast<Wide>(stated.in_ps()) * code_ps_ / stated_cycle_ps;
    return SimTime::ps(static_cast<std::int64_t>(std::min<Wide>(wide, longest_use_ps)));
}

void Processor::start(Activity& activity) {
    EXPECTS(activity.state_ == Activity::State::Idle, "processor.start.state");
    activity.state_ = Activity::State::Waiting;
    activity.power_up_ = power_up_;
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->started(activity, node_, timeline_.now());
    make_ready(activity);
}

void Processor::make_ready(Activity& a) {
    if (a.power_up_ != power_up_) a.state_ = Activity::State::Ended;
    if (life_ != Life::Alive || a.state_ == Activity::State::Ended) return;
    if (a.state_ != Activity::State::Waiting) {
        a.wake_pending_ = true;
        return;
    }
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->ready(a, timeline_.now(), in_run_ ? running_ : nullptr);
    queue_ready(a);
    if (in_run_) return;
    if (running_ == nullptr) {
        if (stolen_rate_ < 0) [[unlikely]]
            catch_up();  // what they stole so far cost nothing
        run();
    } else if (running_->priority_ == Priority::Low) {
        if (a.priority_ == Priority::High) {
            preempt(*running_);
            run();
        } else {
            arm_low();  // another process can take the timeslice now
        }
    }
}

void Processor::queue_ready(Activity& a) {
    a.state_ = Activity::State::Ready;
    if (a.priority_ == Priority::Low && low_.front == nullptr && slice_end_ <= timeline_.now()) renew_slice();
    (a.priority_ == Priority::High ? high_ : low_).push(a);
}

// A low-priority activity that was alone began a new slice at the end of each slice. A new arrival waits for the end of the
// present one.
void Processor::renew_slice() {
    const std::int64_t two_periods = 2 * timing_.timeslice.in_ps();
    slice_end_ += SimTime::ps(((timeline_.now() - slice_end_).in_ps() / two_periods + 1) * two_periods);
}

void Processor::preempt(Activity& a) {
    settle();
    a.remaining_ps_ = std::max<std::int64_t>(0, (low_end_ - timeline_.now()).in_ps() + add_stolen_to(a));
    latency_ = latency_of(a);
    ++totals_.preemptions;
    preempted_ = &a;
    running_ = nullptr;
    preempting_ = true;
}

// The typical latency, or the maximum in the middle of a long instruction, which the low one completes in that time.
Cycles Processor::latency_of(Activity& cut) {
    if (cut.long_instruction_ == LongInstruction::No || in_run_) return timing_.preempt_latency;  // or it has not begun
    const Cycles most =
        cut.long_instruction_ == LongInstruction::Integer ? timing_.preempt_latency_most : timing_.preempt_latency_most_fpu;
    const std::int64_t left = (cut.remaining_ps_ + code_ps_ - 1) / code_ps_;
    const std::int64_t rest = std::clamp<std::int64_t>((most - timing_.preempt_latency).count(), 0, left);
    cut.remaining_ps_ = std::max<std::int64_t>(0, cut.remaining_ps_ - rest * code_ps_);
    return timing_.preempt_latency + Cycles(rest);
}

bool Processor::pick() {
    if (analysing_ && !preempting_) {
        halt();
        return false;
    }
    Activity* a = high_.pop();
    if (a != nullptr) {
        a->debt_ += preempting_ ? latency_ : timing_.start_process;
    } else if (preempted_ != nullptr) {
        a = preempted_;
        preempted_ = nullptr;
        a->debt_ += timing_.resume_preempted;
    } else if ((a = low_.pop()) != nullptr) {
        a->debt_ += timing_.start_process;
        const std::int64_t slice = timing_.timeslice.in_ps();
        slice_end_ = SimTime::ps((timeline_.now().in_ps() / slice + 2) * slice);
    } else {
        return false;
    }
    preempting_ = false;
    ++totals_.dispatches;
    a->state_ = Activity::State::Running;
    running_ = a;
    if (a->remaining_ps_ > 0 && a->debt_.count() > 0) {
        if (chronicle_ != nullptr) [[unlikely]]
            chronicle_->resumes(*a, a->debt_.count() * switch_ps_);
        a->remaining_ps_ += a->debt_.count() * switch_ps_;
        a->debt_ = {};
    }
    return true;
}

// Runs code until the processor is busy with a use or has nothing to do. Everything in it happens at one moment of modelled
// time.
void Processor::run() {
    in_run_ = true;
    while (life_ == Life::Alive && (running_ != nullptr || pick())) {
        Activity& a = *running_;
        if (a.remaining_ps_ > 0) {
            begin_use(a);
            break;
        }
        take_demand(a, a.resume());
        if (running_ == &a && a.priority_ == Priority::Low && high_.front != nullptr) {  // it woke a high one itself
            low_end_ = timeline_.now() + SimTime::ps(a.remaining_ps_);
            preempt(a);
        }
    }
    in_run_ = false;
}

// Last act of a handler of the Timeline, so time may pass in the code that runs (use_at_once()).
void Processor::run_last() {
    time_may_pass_ = true;
    run();
    time_may_pass_ = false;
}

// The steps of take_demand(), begin_use() and fire_high(), without what lies between them.
bool Processor::use_at_once(Activity& a, Cycles cycles) {
    if (!time_may_pass_ || a.priority_ != Priority::High || life_ != Life::Alive) return false;
    const SimTime lasts = SimTime::ps(charge(cycles.count(), code_ps_) + charge(a.debt_.count(), switch_ps_) + stolen_ps_);
    const SimTime end = timeline_.now() + lasts;
    if (at_rate(lasts) >= most_carried * cycle_ps_ || !timeline_.quiet_until(end)) return false;
    take_demand(a, {Demand::Kind::Use, false, LongInstruction::No, cycles});
    use_began_ = timeline_.now();
    add_stolen_to(a);
    timeline_.pass_to(end);
    in_run_ = false;  // the use is one
    settle();
    in_run_ = true;
    a.remaining_ps_ = 0;
    return true;
}

void Processor::take_demand(Activity& a, Demand demand) {
    if (life_ != Life::Alive) return;
    switch (demand.kind) {
        case Demand::Kind::Use:
            a.remaining_ps_ = charge(demand.cycles.count(), code_ps_) + charge(a.debt_.count(), switch_ps_);
            if (chronicle_ != nullptr) [[unlikely]]
                chronicle_->use_begins(a, demand.cycles, charge(demand.cycles.count(), code_ps_),
                                       charge(a.debt_.count(), switch_ps_));
            a.debt_ = {};
            a.loop_ = demand.loop;
            a.long_instruction_ = demand.long_instruction;
            return;
        case Demand::Kind::Wait:
            if (a.wake_pending_) {
                a.wake_pending_ = false;
                return;
            }
            a.state_ = Activity::State::Waiting;
            if (chronicle_ != nullptr) [[unlikely]]
                chronicle_->waits(a, timeline_.now());
            break;
        case Demand::Kind::Yield:
            queue_ready(a);
            break;
        case Demand::Kind::End:
            a.state_ = Activity::State::Ended;
            break;
    }
    running_ = nullptr;
}

void Processor::begin_use(Activity& a) {
    use_began_ = timeline_.now();
    const SimTime end = use_began_ + SimTime::ps(a.remaining_ps_ + add_stolen_to(a));
    if (a.priority_ == Priority::High) {
        high_end_ = end;
        timeline_.post(end, node_.value(), *this, HighDone);
        return;
    }
    low_end_ = end;
    arm_low();
}

// Makes sure that an event comes when the low-priority use or its timeslice ends. An event already armed for an earlier time is
// left to fire, and then arms again. So a computation that is cut a thousand times posts few events.
void Processor::arm_low() {
    SimTime due = low_end_;
    if (wants_slice_end() && running_->loop_ && slice_end_ < due) due = std::max(slice_end_, timeline_.now());
    if (low_armed_ <= due && low_armed_ >= timeline_.now()) return;
    low_armed_ = due;
    timeline_.post(due, node_.value(), *this, LowDone);
}

void Processor::fire(std::uint32_t what) {
    if (life_ != Life::Alive) return;
    if (what == HighDone) {
        fire_high();
    } else if (what == LowDone) {
        fire_low();
    } else {
        fire_timer(what - TimerBase);
    }
}

void Processor::fire_high() {
    const SimTime now = timeline_.now();
    if (running_ == nullptr || running_->priority_ != Priority::High || now != high_end_) return;  // stopped, or ends later
    if (const std::int64_t stolen = take_stolen_ps(); stolen != 0) {
        high_end_ = now + SimTime::ps(stolen);
        timeline_.post(high_end_, node_.value(), *this, HighDone);
        return;
    }
    settle();
    running_->remaining_ps_ = 0;
    run_last();
}

void Processor::fire_low() {
    const SimTime now = timeline_.now();
    if (now != low_armed_) return;  // superseded
    low_armed_ = SimTime::never();
    if (running_ == nullptr || running_->priority_ != Priority::Low) return;  // cut; armed again when it goes on
    Activity& a = *running_;
    low_end_ += SimTime::ps(take_stolen_ps());
    const bool slice_over = now >= slice_end_ && wants_slice_end();
    if (now < low_end_ && !(slice_over && a.loop_)) {
        arm_low();
        return;
    }
    settle();
    a.remaining_ps_ = (low_end_ - now).in_ps();
    if (slice_over) {
        ++totals_.timeslices;
        queue_ready(a);
        running_ = nullptr;
    }
    run_last();
}

// Books the time since the use began or went on. Inside run() there is no use.
void Processor::settle() {
    if (!in_use()) return;
    gather_stolen();
    busy_of_running() += timeline_.now() - use_began_;
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->used(*running_, use_began_, timeline_.now());
    use_began_ = timeline_.now();
}

void Processor::steal(vocabulary::Cycles cycles, vocabulary::Account account) {
    if (!in_use()) return;
    stolen_ps_ += cycles.count() * cycle_ps_;
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->steals(node_.value(), account, cycles.count() * cycle_ps_);
    totals_.stolen += SimTime::ps(cycles.count() * cycle_ps_);
}

void Processor::catch_up() const {
    for (Thief* thief : thieves_) thief->catch_up();
}

void Processor::tell_gathered(std::int64_t ps) {
    chronicle_->gathered(node_.value(), ps, stolen_rate_);
}

void Processor::tell_stolen(Activity& a) {
    if (stolen_ps_ > 0) chronicle_->stolen(a, stolen_ps_);
    chronicle_->forget_stolen(node_.value());
}

void Processor::forget_stolen() {
    stolen_ps_ = 0;
    if (chronicle_ != nullptr) chronicle_->forget_stolen(node_.value());
}

void Processor::set_slowness(double factor) {
    EXPECTS(factor >= 1, "processor.set_slowness.factor");
    const std::int64_t before = code_ps_;
    slowness_ = std::llround(factor * 1000);
    set_charges();
    const auto scaled = [&](std::int64_t ps) {
        const Wide wide = static_cast<Wide>(ps) * code_ps_ / before;
        return static_cast<std::int64_t>(std::min<Wide>(wide, longest_use_ps));
    };
    for (const Queue* queue : {&high_, &low_}) {
        for (Activity* a = queue->front; a != nullptr; a = a->next_) a->remaining_ps_ = scaled(a->remaining_ps_);
    }
    if (preempted_ != nullptr) preempted_->remaining_ps_ = scaled(preempted_->remaining_ps_);
    if (!in_use()) return;
    const SimTime now = timeline_.now();
    if (running_->priority_ == Priority::High) {
        high_end_ = now + SimTime::ps(scaled((high_end_ - now).in_ps()));
        timeline_.post(high_end_, node_.value(), *this, HighDone);
    } else {
        low_end_ = now + SimTime::ps(scaled((low_end_ - now).in_ps()));
        arm_low();
    }
}

void Processor::make_ready_by_event(Activity& activity) {
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->event(activity);
    make_ready(activity);
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->no_reason();
}

}  // namespace hw_model
