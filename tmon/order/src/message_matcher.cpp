#include <tmon_order/message_matcher.hpp>

#include <utility>

namespace tmon_order {

using trace_record::Event;
using trace_record::EventKind;

MessageMatcher::MessageMatcher(std::size_t nodes, std::size_t most_waiting)
    : nodes_(nodes), most_waiting_(most_waiting), slots_(16) {}

MessageMatcher::Link& MessageMatcher::link_of(const Event& event) {
    constexpr std::uint64_t receives = std::uint64_t{1} << 33;
    const bool send = event.kind == EventKind::Send;
    const std::uint16_t from = send ? event.node : event.peer, to = send ? event.peer : event.node;
    const std::uint64_t places = from | std::uint64_t{to} << 16 | std::uint64_t{event.is_result} << 32;
    Link fresh{from, to, {}, {}};
    fresh.sends.places = places;
    fresh.receives.places = places | receives;
    return links_.try_emplace(places, fresh).first->second;
}

std::optional<std::uint64_t> MessageMatcher::match(const Event& event, std::uint64_t number) {
    const bool send = event.kind == EventKind::Send;
    if (!send && event.kind != EventKind::Receive) return std::nullopt;
    Link& link = link_of(event);
    Queue& others = send ? link.receives : link.sends;
    const std::uint64_t what = event.task | std::uint64_t{event.subtask} << 32;
    const std::uint32_t found = slot_of({others.places, what}).first;
    if (found == none) {
        if (has_ended(event.peer)) {
            ++given_up_;
        } else {
            wait(send ? link.sends : link.receives, what, number);
        }
        return std::nullopt;
    }
    const std::uint64_t other = pool_[found].number;
    if (event.node < nodes_.size() && nodes_[event.node].lossy) give_up(others, found);
    remove(others, found);
    ++matched_;
    return other;
}

MessageMatcher::Slot& MessageMatcher::slot_of(const Key& key) {
    std::uint64_t hash = key.what * 0x9E37'79B9'7F4A'7C15ULL ^ (key.places + 0x7F4A'7C15ULL) * 0xC2B2'AE3D'27D4'EB4FULL;
    hash ^= hash >> 29;
    for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
        if (slots_[i].last == none || slots_[i].key == key) return slots_[i];
    }
}

// Keys of which nothing waits are left behind.
void MessageMatcher::make_room() {
    std::size_t size = 16;
    while (size < 4 * (waiting_ + 1)) size *= 2;
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(size));
    used_slots_ = 0;
    for (const Slot& slot : old) {
        if (slot.last == none || slot.first == none) continue;
        slot_of(slot.key) = slot;
        ++used_slots_;
    }
}

void MessageMatcher::wait(Queue& queue, std::uint64_t what, std::uint64_t number) {
    if (queue.count == most_waiting_) give_up_oldest(queue, most_waiting_ / 2);
    if (2 * (used_slots_ + 1) > slots_.size()) make_room();
    std::uint32_t place = free_;
    if (place == none) {
        place = static_cast<std::uint32_t>(pool_.size());
        pool_.emplace_back();
    } else {
        free_ = pool_[place].after;
    }
    pool_[place] = {number, what, queue.last, none, none};
    (queue.last == none ? queue.first : pool_[queue.last].after) = place;
    queue.last = place;
    ++queue.count;
    ++waiting_;
    Slot& slot = slot_of({queue.places, what});
    if (slot.last == none) {
        ++used_slots_;
        slot.key = {queue.places, what};
    }
    (slot.first == none ? slot.first : pool_[slot.last].next) = place;
    slot.last = place;
}

// It is the first of its key: what came before it on its link has gone, or has another key.
void MessageMatcher::remove(Queue& queue, std::uint32_t place) {
    const Waiting gone = pool_[place];
    slot_of({queue.places, gone.what}).first = gone.next;
    (gone.before == none ? queue.first : pool_[gone.before].after) = gone.after;
    (gone.after == none ? queue.last : pool_[gone.after].before) = gone.before;
    pool_[place].after = std::exchange(free_, place);
    --queue.count;
    --waiting_;
}

void MessageMatcher::give_up(Queue& queue, std::uint32_t end) {
    while (queue.first != end) {
        remove(queue, queue.first);
        ++given_up_;
    }
}

void MessageMatcher::give_up_oldest(Queue& queue, std::size_t count) {
    for (; count > 0; --count) {
        remove(queue, queue.first);
        ++given_up_;
    }
}

void MessageMatcher::ended(std::uint16_t node) {
    nodes_[node].ended = true;
    for (auto& [places, link] : links_) {
        if (link.to == node) give_up(link.sends, none);
        if (link.from == node) give_up(link.receives, none);
    }
}

}  // namespace tmon_order
