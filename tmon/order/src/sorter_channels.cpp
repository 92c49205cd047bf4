// What is known of an end that has not come: it is lost when a later one of its channel was seen in its stream.
#include <algorithm>

#include "sorter_state.hpp"

namespace tmon_order {

std::uint32_t CausalSorter::State::open_channel(const End& end) {
    std::uint32_t index = channel_of.find(end.channel);
    if (index != KeyTable::none) return index;
    index = static_cast<std::uint32_t>(channels.size());
    channels.emplace_back();
    channel_of.add(end.channel, index);
    return index;
}

void CausalSorter::State::list(std::uint32_t index, std::size_t which) {
    Joint& joint = joints[index];
    Channel& channel = channels[joint.channel];
    std::uint32_t before = channel.last[which];
    while (before != none && joints[before].order > joint.order) before = joints[before].before;
    joint.before = before;
    std::uint32_t& place = before == none ? channel.first[which] : joints[before].after;
    joint.after = place;
    place = index;
    (joint.after == none ? channel.last[which] : joints[joint.after].before) = index;
    joint.listed_in = static_cast<std::uint8_t>(which);
    joint.listed = true;
    ++channel.count[which];
}

void CausalSorter::State::unlist(std::uint32_t index) {
    Joint& joint = joints[index];
    if (!joint.listed) return;
    Channel& channel = channels[joint.channel];
    (joint.before == none ? channel.first[joint.listed_in] : joints[joint.before].after) = joint.after;
    (joint.after == none ? channel.last[joint.listed_in] : joints[joint.after].before) = joint.before;
    joint.listed = false;
    --channel.count[joint.listed_in];
}

// Messages are listed while one end is alone, collectives while they are open.
void CausalSorter::State::place_in_channel(std::uint32_t index, const End& end, std::uint64_t number) {
    Joint& joint = joints[index];
    if (!joint.listed) {
        if (joint.sources_here + joint.targets_here > 1) return;
        joint.order = end.number.value_or(number);
        list(index, joint.is_message() && end.role == Role::Target ? targets_alone : sources_alone);
        if (joint.shape == Shape::Message && end.role == Role::Source) give_room(joint.channel);
        return;
    }
    if (!joint.is_message() || joint.sources_here == 0) return;  // a cast may have several targets before its source
    unlist(index);
    if (end.number) return;
    const bool source = end.role == Role::Source;
    see_joined(index, source ? number : joint.order, source ? joint.order : number);
}

// So that sends that nobody receives do not fill the memory.
void CausalSorter::State::give_room(std::uint32_t channel) {
    if (channels[channel].count[sources_alone] <= options.most_waiting) return;
    while (channels[channel].count[sources_alone] > options.most_waiting / 2) {
        const std::uint32_t oldest = channels[channel].first[sources_alone];
        unlist(oldest);
        target_gone(oldest, 0);
        close_when_done(oldest);
    }
}

// A communication that is new has no end in a stream that has ended, or in one that has begun a later one.
void CausalSorter::State::without_known_absent(std::uint32_t index, const End& end) {
    const Joint& joint = joints[index];
    if (!joint.is_message()) return without_absent_members(index);
    const Channel& channel = channels[joint.channel];
    if (end.role == Role::Source) {
        if (joint.shape == Shape::Message && streams[joint.to].ended) return target_gone(index, 0);
        if (end.number && *end.number < channel.next_target) target_gone(index, 0);
        return;
    }
    const Stream& from = streams[joint.from];
    if (from.ended) return source_gone(index, 0, from.why_ended);
    if (end.number && *end.number < channel.next_source)
        source_gone(index, 0, from.lossy ? Assumed::Lost : Assumed::NeverBegan);
}

void CausalSorter::State::without_absent_members(std::uint32_t index) {
    const std::uint64_t number = joints[index].order;
    for (std::uint32_t rank = 0; rank < joints[index].group->size(); ++rank) {
        const Stream& member = streams[(*joints[index].group)[rank]];
        if (member.ended) member_gone(index, rank, member.why_ended);
        const Channel& channel = channels[joints[index].channel];
        if (rank >= channel.next_sources.size()) continue;
        if (number < channel.next_sources[rank]) source_gone(index, rank, member.lossy ? Assumed::Lost : Assumed::NeverBegan);
        if (number < channel.next_targets[rank]) target_gone(index, rank);
    }
}

// Of messages without numbers: neighbours keep the order, so one before this one whose end is missing here has lost it.
void CausalSorter::State::see_joined(std::uint32_t index, std::uint64_t source, std::uint64_t target) {
    const Joint& joint = joints[index];
    const std::uint32_t channel = joint.channel;
    if (streams[joint.from].lossy && streams[joint.from].numbers.leading() > source)
        give_away(channel, targets_alone, target, Assumed::Lost);
    if (streams[joint.to].lossy && streams[joint.to].numbers.leading() > target)
        give_away(channel, sources_alone, source, Assumed::Lost);
}

// The messages of a list whose order is less.
void CausalSorter::State::give_away(std::uint32_t channel, std::size_t which, std::uint64_t order, Assumed why) {
    while (channels[channel].first[which] != none && joints[channels[channel].first[which]].order < order) {
        const std::uint32_t joint = channels[channel].first[which];
        unlist(joint);
        if (which == targets_alone) {
            source_gone(joint, 0, why);
        } else {
            target_gone(joint, 0);
        }
        close_when_done(joint);
    }
}

// This end is in its stream, and so is all before it that was not lost.
void CausalSorter::State::see(const End& end, bool lossy) {
    if (!end.number) return;
    const std::uint64_t number = *end.number;
    const Assumed why = lossy ? Assumed::Lost : Assumed::NeverBegan;
    const std::uint32_t index = open_channel(end);
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
    if (end.rank >= end.group->size()) return;
    if (channel.next_sources.size() < end.group->size()) {
        channel.next_sources.resize(end.group->size());
        channel.next_targets.resize(end.group->size());
    }
    // A member begins its operations in their order, and begins each one before it ends it.
    std::uint64_t& next_source = channel.next_sources[end.rank];
    std::uint64_t& next_target = channel.next_targets[end.rank];
    next_source = std::max(next_source, number + (end.role == Role::Target ? 1 : 0));
    if (end.role == Role::Target && end.receives_in_order) next_target = std::max(next_target, number);
    see_member(index, end.rank, number, why);
}

void CausalSorter::State::see_member(std::uint32_t channel, std::uint32_t rank, std::uint64_t number, Assumed why) {
    const std::uint64_t next_source = channels[channel].next_sources[rank], next_target = channels[channel].next_targets[rank];
    for (std::uint32_t joint = channels[channel].first[sources_alone]; joint != none && joints[joint].order <= number;) {
        const std::uint32_t next = joints[joint].after;
        if (joints[joint].order < next_source) source_gone(joint, rank, why);
        if (joints[joint].order < next_target) target_gone(joint, rank);
        close_when_done(joint);
        joint = next;
    }
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
    const Assumed why = streams[stream].why_ended;
    for (std::uint32_t index = 0; index < joints.size(); ++index) {
        if (!joints[index].used) continue;
        if (joints[index].is_message()) {
            if (joints[index].from == stream) source_gone(index, 0, why);
            if (joints[index].to == stream && joints[index].shape == Shape::Message) target_gone(index, 0);
        } else {
            for (std::uint32_t rank = 0; rank < joints[index].group->size(); ++rank) {
                if ((*joints[index].group)[rank] == stream) member_gone(index, rank, why);
            }
        }
        close_when_done(index);
    }
}

// On the user's word: the sources of records that were inserted before this step, and missing numbers before such records.
void CausalSorter::State::give_up_before(std::uint64_t step) {
    for (std::uint32_t index = 0; index < joints.size(); ++index) {
        const Joint& joint = joints[index];
        bool waited = false;
        for (std::uint32_t link = joint.waiting; joint.used && link != none; link = links[link].next)
            waited = waited || nodes[links[link].what].step < step;
        if (waited && joint.sources_here < joint.sources) give_up_sources(index);
    }
    settle();
    for (std::uint32_t stream = 0; stream < streams.size(); ++stream) {
        for (const auto& [range, after_it] : streams[stream].numbers.holes()) {
            if (nodes[after_it].step < step) lose(stream, range, no_payload, true);
        }
    }
}

void CausalSorter::State::give_up_sources(std::uint32_t index) {
    const Joint& joint = joints[index];
    if (given_up.find(joint.key) == KeyTable::none) given_up.add(joint.key, 1);
    if (joint.is_message()) {
        source_gone(index, 0, Assumed::GivenUp);
    } else {
        for (std::uint32_t rank = 0; rank < joint.group->size(); ++rank) source_gone(index, rank, Assumed::GivenUp);
    }
    close_when_done(index);
}

}  // namespace tmon_order
