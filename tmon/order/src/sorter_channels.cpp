// An end that has not come is lost when a later one of its channel was seen in its stream.
#include <algorithm>

#include "sorter_state.hpp"

namespace tmon_order {

std::uint32_t CausalSorter::State::open_channel(const Key& key) {
    std::uint32_t index = channel_of.find(key);
    if (index != KeyTable::none) return index;
    index = static_cast<std::uint32_t>(channels.size());
    channels.emplace_back();
    channel_of.add(key, index);
    return index;
}

void CausalSorter::State::list(std::uint32_t index) {
    Alone& alone = alones[index];
    const std::size_t which = alone.role == Role::Source ? sources_alone : targets_alone;
    Channel& channel = channels[alone.channel];
    std::uint32_t before = channel.last[which];
    while (before != none && alones[before].order > alone.order) before = alones[before].before;
    alone.before = before;
    std::uint32_t& place = before == none ? channel.first[which] : alones[before].after;
    alone.after = place;
    place = index;
    (alone.after == none ? channel.last[which] : alones[alone.after].before) = index;
    ++channel.count[which];
}

void CausalSorter::State::unlist(std::uint32_t index) {
    const Alone& alone = alones[index];
    const std::size_t which = alone.role == Role::Source ? sources_alone : targets_alone;
    Channel& channel = channels[alone.channel];
    (alone.before == none ? channel.first[which] : alones[alone.before].after) = alone.after;
    (alone.after == none ? channel.last[which] : alones[alone.after].before) = alone.before;
    --channel.count[which];
}

// So that sends that nobody receives do not fill the memory.
void CausalSorter::State::give_room(std::uint32_t channel) {
    if (channels[channel].count[sources_alone] <= options.most_waiting) return;
    channels[channel].forgot = true;
    while (channels[channel].count[sources_alone] > options.most_waiting / 2)
        partner_gone(channels[channel].first[sources_alone], Assumed::Nothing);
}

// Neighbours keep the order of messages without numbers. So an earlier one whose end is missing here has lost it.
void CausalSorter::State::see_joined(const Alone& alone, std::uint64_t source, std::uint64_t target) {
    const std::uint32_t channel = alone.channel;
    const Stream& from = streams[alone.from];
    const Stream& to = streams[alone.to];
    if (from.lossy && from.numbers.leading() > source) give_away(channel, targets_alone, target, Assumed::Lost);
    if (to.lossy && to.numbers.leading() > target) give_away(channel, sources_alone, source, Assumed::Lost);
}

// The ends of a list whose order is less.
void CausalSorter::State::give_away(std::uint32_t channel, std::size_t which, std::uint64_t order, Assumed why) {
    while (channels[channel].first[which] != none && alones[channels[channel].first[which]].order < order)
        partner_gone(channels[channel].first[which], why);
}

// This end is in its stream, and so is all before it that was not lost.
void CausalSorter::State::see(const End& end, bool lossy) {
    if (!end.number) return;
    const std::uint64_t number = *end.number;
    const Assumed why = lossy ? Assumed::Lost : Assumed::NeverBegan;
    const std::uint32_t index = open_channel(end.channel);
    Channel& channel = channels[index];
    if (end.shape == Shape::Message || end.shape == Shape::Cast) {
        if (end.role == Role::Source) {
            channel.next_source = std::max(channel.next_source, number);
            give_away(index, targets_alone, number, why);
        } else if (end.receives_in_order) {
            channel.next_target = std::max(channel.next_target, number);
            give_away(index, sources_alone, number, why);
        }
        return;
    }
    see_member(index, end, lossy);
}

void CausalSorter::State::see_in_order(std::uint32_t stream_index, std::uint64_t number, const End& end) {
    Stream& stream = streams[stream_index];
    if (!end.number) return;
    if (number < stream.numbers.leading()) {
        see(end, stream.lossy);
    } else {
        stream.numbers.keep(number, end);
    }
}

void CausalSorter::State::see_kept(std::uint32_t stream) {
    while (const auto end = streams[stream].numbers.take_leading()) see(*end, streams[stream].lossy);
}

void CausalSorter::State::stream_ended(std::uint32_t stream) {
    messages_of_ended(stream);
    members_ended(stream);
}

// On the user's word: the sources of records that were inserted before this step, and missing numbers before such records.
void CausalSorter::State::give_up_before(std::uint64_t step) {
    give_up_messages(step);
    give_up_joints(step);
    settle();
    for (std::uint32_t stream = 0; stream < streams.size(); ++stream) {
        for (const auto& [range, after_it] : streams[stream].numbers.holes()) {
            // Behind the end of a stream late records have no place, and nothing waits.
            if (after_it != none && nodes[after_it].step < step) lose(stream, range, no_payload, true);
        }
    }
}

}  // namespace tmon_order
