#include <hw_model/timeline.hpp>

namespace hw_model {

Timeline::Timeline() : heads_(slots, none) {
    pool_.reserve(1024);
}

// Field by field: a whole Entry that has just been written is copied before the host can forward its parts.
inline void Timeline::insert_in_wheel(SimTime when, std::uint64_t order, Handler& handler, std::uint32_t what) {
    std::uint32_t index = free_;
    if (index == none) {
        index = static_cast<std::uint32_t>(pool_.size());
        pool_.emplace_back();
    } else {
        free_ = pool_[index].next;
    }
    Entry& entry = pool_[index];
    entry.time = when;
    entry.order = order;
    entry.handler = &handler;
    entry.what = what;
    const std::size_t slot = slot_number(when) & (slots - 1);
    std::uint32_t* link = &heads_[slot];
    while (*link != none && before(pool_[*link], entry)) link = &pool_[*link].next;
    entry.next = *link;
    *link = index;
    used_.add(slot);
    ++in_wheel_;
    if (next_slot_ != slots) {
        const std::size_t start = slot_number(now_) & (slots - 1);
        if (((slot - start) & (slots - 1)) < ((next_slot_ - start) & (slots - 1))) next_slot_ = slot;
    }
}

inline void Timeline::insert(SimTime when, std::uint64_t order, Handler& handler, std::uint32_t what) {
    if (!firing_ && listener_ != nullptr && when < next_time()) listener_->earlier_event(when);
    if (slot_number(when) - slot_number(now_) < used_slots_ahead) {
        insert_in_wheel(when, order, handler, what);
    } else {
        far_.push({when, order, &handler, what, none});
        far_time_ = far_.top().time;
    }
    ++count_;
}

void Timeline::post(SimTime when, std::uint32_t node, Handler& handler, std::uint32_t what) {
    EXPECTS(when >= now_, "timeline.post.past");
    // Every second number is left for post_as().
    insert(when, TimelineHistory::order(node, posted_ += 2), handler, what);
}

void Timeline::post_as(std::uint64_t number, SimTime when, std::uint32_t node, Handler& handler, std::uint32_t what) {
    EXPECTS(when >= now_, "timeline.post_as.past");
    insert(when, TimelineHistory::order(node, number), handler, what);
}

void Timeline::withdraw(SimTime when, const Handler& handler) {
    const std::size_t slot = slot_number(when) & (slots - 1);
    std::uint32_t* link = &heads_[slot];
    while (*link != none && (pool_[*link].time != when || pool_[*link].handler != &handler)) link = &pool_[*link].next;
    EXPECTS(*link != none, "timeline.withdraw.posted");
    const std::uint32_t index = *link;
    *link = pool_[index].next;
    pool_[index].next = free_;
    free_ = index;
    --in_wheel_;
    --count_;
    if (heads_[slot] != none) return;
    used_.remove(slot);
    if (next_slot_ == slot) next_slot_ = slots;
}

inline const Timeline::Entry* Timeline::peek() {
    const Entry* best = nullptr;
    if (in_wheel_ != 0) {
        if (next_slot_ == slots) next_slot_ = used_.first_from(slot_number(now_) & (slots - 1));
        best = &pool_[heads_[next_slot_]];
        if (best->time < far_time_) return best;
    }
    if (!far_.empty() && (best == nullptr || before(far_.top(), *best))) best = &far_.top();
    return best;
}

SimTime Timeline::next_event() {
    const Entry* entry = peek();
    return entry == nullptr ? SimTime::never() : entry->time;
}

bool Timeline::more_now(std::uint32_t node) {
    const Entry* entry = peek();
    return entry != nullptr && entry->time == now_ && entry->order >> 40 == node;
}

inline Timeline::Entry Timeline::pop(const Entry* best) {
    --count_;
    if (best->time >= far_time_ && !far_.empty() && best == &far_.top()) {
        const Entry entry = far_.top();
        far_.pop();
        far_time_ = far_.empty() ? SimTime::never() : far_.top().time;
        return entry;
    }
    const std::size_t slot = next_slot_;
    const std::uint32_t index = heads_[slot];
    const Entry entry = *best;
    heads_[slot] = entry.next;
    pool_[index].next = free_;
    free_ = index;
    --in_wheel_;
    if (entry.next == none) {
        used_.remove(slot);
        next_slot_ = slots;
    }
    return entry;
}

bool Timeline::run_next_instant() {
    const SimTime due = next_time();
    if (due == SimTime::never()) return false;
    run_until(due);
    return true;
}

void Timeline::run_until(SimTime limit) {
    if (history_ != nullptr) return run_with_history(limit);
    if (witness_ != nullptr) return run_with_witness(limit);
    firing_ = true;
    limit_ = limit;
    for (const Entry* next = peek(); next != nullptr && next->time <= limit_; next = peek()) {
        const Entry entry = pop(next);
        now_ = entry.time;
        ++fired_;
        entry.handler->fire(entry.what);
    }
    firing_ = false;
}

void Timeline::run_with_witness(SimTime limit) {
    firing_ = true;
    limit_ = limit;
    for (const Entry* next = peek(); next != nullptr && next->time <= limit_; next = peek()) {
        const Entry entry = pop(next);
        now_ = entry.time;
        ++fired_;
        witness_->fires(entry.time, entry.order, posted_);
        entry.handler->fire(entry.what);
    }
    firing_ = false;
}

// At its end everybody has come to `limit`, and now() is the time of the last event or step.
void Timeline::run_with_history(SimTime limit) {
    firing_ = true;
    limit_ = SimTime();  // so it is never quiet
    ends_soon_ = false;
    for (const Entry* next = peek(); next != nullptr && next->time <= limit; next = peek()) {
        const Entry entry = pop(next);
        now_ = entry.time;
        ++fired_;
        history_->begins(entry.time, entry.order, posted_);
        entry.handler->fire(entry.what);
        history_->ends(entry.time);
        if (ends_soon_) limit = std::min(limit, now_);
    }
    now_ = history_->rests_at(std::max(limit, now_), posted_);
    firing_ = false;
}

}  // namespace hw_model
