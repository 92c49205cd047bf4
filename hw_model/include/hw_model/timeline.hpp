// Timeline: the one event queue of a Machine (docs/decisions/0001-one-event-queue.md). A timing wheel with a two-level bitmap
// finds the next event within 1.07 ms; later events wait in a heap. The wheel has 2^12 slots of 2^18 ps (262 ns). The slots are
// few enough to stay in the host's first-level cache, and so short that one seldom holds two events. Events are never
// cancelled: a superseded event fires at its old time, and its handler checks whether it is stale.
//
// Order is total: time, then node, then the order of posting. Cost: a post or a pop touches one slot and two bitmap words.
//
// A Laggard is a part of the machine that runs behind the queue (timeline_history.hpp). Nobody can tell it from one that posts
// an event for each of its steps: now(), next_time() and the order of events are the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include <hw_model/outside.hpp>
#include <hw_model/timeline_history.hpp>
#include <hw_model/used_slots.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/sim_time.hpp>

namespace hw_model {

using vocabulary::SimTime;

class Timeline {
public:
    class Handler {
    public:
        virtual void fire(std::uint32_t what) = 0;

    protected:
        ~Handler() = default;
    };

    // Notified when an event from outside a handler becomes the earliest, so SystemC can be woken earlier.
    class Listener {
    public:
        virtual void earlier_event(SimTime when) = 0;

    protected:
        ~Listener() = default;
    };

    // Sees every event before it fires, and by then `posted` is last_number(). For a bench that records what the queue gets.
    class Witness {
    public:
        virtual void fires(SimTime when, std::uint64_t order, std::uint64_t posted) = 0;

    protected:
        ~Witness() = default;
    };

    Timeline();
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    SimTime now() const { return now_; }
    bool empty() const { return count_ == 0; }
    SimTime next_time() {  // SimTime::never() when empty
        return history_ == nullptr || firing_ ? next_event() : std::min(next_event(), history_->next_step());
    }
    void post(SimTime when, std::uint32_t node, Handler& handler, std::uint32_t what);
    // For a handler of the node: another of its events comes at this moment.
    bool more_now(std::uint32_t node);
    // Fires everything due at the next time, events posted meanwhile for that time included. False when empty.
    bool run_next_instant();
    // Fires everything due up to and including `limit`, in order.
    void run_until(SimTime limit);
    // For a handler: run_until() returns when everything due now is done.
    void end_soon() {
        limit_ = std::min(limit_, now_);
        ends_soon_ = true;
    }
    // For a handler that would post an event of its own for `when` and return. True: no other event fires until then, that
    // moment included, so the handler may let the time pass at once. `when` must not be past.
    bool quiet_until(SimTime when) { return firing_ && when <= limit_ && when < next_event(); }
    // False: the next millisecond holds so many events that a look seldom pays (docs/results/performance.md).
    bool may_be_quiet() const { return in_wheel_ <= most_in_quiet; }
    // Requires quiet_until(). Counts as an event.
    void pass_to(SimTime when) {
        now_ = when;
        ++fired_;
    }
    // Allows Laggards from now on, or no longer. With them, time never passes at once (quiet_until()).
    void keep_history(bool keep) { history_ = keep ? std::make_unique<TimelineHistory>() : nullptr; }
    TimelineHistory* history() { return history_.get(); }
    // The place in the order that the last post got, below its node.
    std::uint64_t last_number() const { return posted_; }
    // For a Laggard's step that becomes an event: as if it had been posted in time (TimelineHistory::number()).
    void post_as(std::uint64_t number, SimTime when, std::uint32_t node, Handler& handler, std::uint32_t what);
    // Removes the event of this handler at this time, which must be less than half a millisecond ahead.
    void withdraw(SimTime when, const Handler& handler);
    // A Laggard has done so many steps; they count as events.
    void count(std::uint64_t steps) { fired_ += steps; }
    void set_listener(Listener* listener) { listener_ = listener; }
    // Not together with keep_history(). Without a witness, no event pays for it.
    void set_witness(Witness* witness) { witness_ = witness; }
    std::uint64_t fired() const { return fired_; }
    // For those who run ahead of the Timeline.
    Outside& outside() { return outside_; }

private:
    static constexpr int slot_bits = 18;
    static constexpr std::size_t most_in_quiet = 8;
    static constexpr std::size_t slots = UsedSlots::count;
    static constexpr std::uint32_t none = 0xffffffff;
    // Between two calls of run_until(), now() can lie some slots before the last event that fired (run_with_history()).
    static constexpr std::size_t used_slots_ahead = slots - 128;

    struct Entry {
        SimTime time;
        std::uint64_t order = 0;  // node in the upper 24 bits, posting number below: one comparison breaks every tie
        Handler* handler = nullptr;
        std::uint32_t what = 0;
        std::uint32_t next = none;
    };
    struct Later {
        bool operator()(const Entry& a, const Entry& b) const { return before(b, a); }
    };
    static bool before(const Entry& a, const Entry& b) { return a.time != b.time ? a.time < b.time : a.order < b.order; }

    static std::uint64_t slot_number(SimTime t) { return static_cast<std::uint64_t>(t.in_ps()) >> slot_bits; }
    SimTime next_event();
    [[gnu::cold]] void run_with_history(SimTime limit);
    [[gnu::cold]] void run_with_witness(SimTime limit);
    // Inlined: a call in the firing loop or in post() is measurable.
    [[gnu::always_inline]] void insert(SimTime when, std::uint64_t order, Handler& handler, std::uint32_t what);
    [[gnu::always_inline]] void insert_in_wheel(SimTime when, std::uint64_t order, Handler& handler, std::uint32_t what);
    [[gnu::always_inline]] const Entry* peek();
    [[gnu::always_inline]] Entry pop(const Entry* best);

    SimTime now_, limit_;  // limit_: of the present run_until()
    std::uint64_t posted_ = 0, fired_ = 0;
    std::size_t count_ = 0, in_wheel_ = 0;
    UsedSlots used_;
    std::vector<std::uint32_t> heads_;
    std::vector<Entry> pool_;
    std::uint32_t free_ = none;
    std::priority_queue<Entry, std::vector<Entry>, Later> far_;
    SimTime far_time_ = SimTime::never();  // of the first in far_
    std::size_t next_slot_ = slots;        // cache: first used slot, or `slots` when unknown
    Listener* listener_ = nullptr;
    bool firing_ = false, ends_soon_ = false;
    std::unique_ptr<TimelineHistory> history_;  // with Laggards only
    Witness* witness_ = nullptr;
    Outside outside_;
};

}  // namespace hw_model
