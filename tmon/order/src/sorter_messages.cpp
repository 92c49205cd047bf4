// Messages from one record to another. An end waits in a table until the other one comes. Then an edge ties the two records,
// and only while the source is not reported.
#include <algorithm>
#include <utility>
#include <vector>

#include "sorter_state.hpp"

namespace tmon_order {

void CausalSorter::State::attach(std::uint32_t index, const End& end) {
    if (end.role == Role::Source && given_up.find(end.key) != KeyTable::none) {
        given_up.erase(end.key);
        nodes[index].late = true;
        return;
    }
    const bool message = end.shape == Shape::Message || (end.shape == Shape::Cast && end.role == Role::Target);
    if (message && (end.shape == Shape::Message || joint_of.find(end.key) == KeyTable::none)) return attach_message(index, end);
    attach_joint(index, end);
}

void CausalSorter::State::attach_message(std::uint32_t index, const End& end) {
    if (end.role == Role::Target && end.source_may_be_late) nodes[index].loose = true;
    const std::uint32_t head = alone_of.find(end.key);
    if (head == KeyTable::none) return stand_alone(index, end);
    const Alone& alone = alones[head];
    if (alone.role != end.role) {
        if (!is_elsewhere(alone, index, end)) return join(head, index, end);
        ++counts.contradictions;
        if (end.role == Role::Target) return;
        partner_gone(head, Assumed::NeverBegan);
        return attach_message(index, end);
    }
    if (!end.number || (end.role == Role::Target && end.shape == Shape::Cast)) return stand_alone(index, end);
    ++counts.contradictions;  // a second record for one end
}

// True when the message was received on another stream than it was sent to.
bool CausalSorter::State::is_elsewhere(const Alone& alone, std::uint32_t node, const End& end) const {
    return end.role == Role::Source ? nodes[alone.node].id.stream != end.to : nodes[node].id.stream != alone.to;
}

void CausalSorter::State::stand_alone(std::uint32_t node, const End& end) {
    const bool source = end.role == Role::Source;
    const std::uint32_t index = alones.take();
    Alone& alone = alones[index];
    alone.key = end.key;
    alone.order = end.number.value_or(nodes[node].id.number);
    alone.node = node;
    alone.from = end.from;
    alone.to = end.to;
    alone.role = end.role;
    alone.used = true;
    alone.channel = open_channel(end.channel);
    ++(source ? nodes[node].awaits : nodes[node].waits);
    const std::uint32_t head = alone_of.find(end.key);
    if (head == KeyTable::none) {
        alone_of.add(end.key, index);
        alone.last_same = index;
    } else {
        alones[alones[head].last_same].same = index;
        alones[head].last_same = index;
    }
    list(index);
    list_by_stream(index);
    const Channel& channel = channels[alone.channel];
    const Stream& other = streams[source ? end.to : end.from];
    const bool passed = end.number && *end.number < (source ? channel.next_target : channel.next_source);
    if (other.ended || passed) {
        const Assumed why = other.ended ? other.why_ended : other.lossy ? Assumed::Lost : Assumed::NeverBegan;
        partner_gone(index, channel.forgot ? Assumed::GivenUp : why);
    } else if (source) {
        give_room(alone.channel);
    }
}

void CausalSorter::State::join(std::uint32_t index, std::uint32_t node, const End& end) {
    const Alone alone = alones[index];
    remove(index);
    ++counts.joined;
    const bool source = end.role == Role::Source;
    if (!source) {
        --nodes[alone.node].awaits;
        fading.push_back(alone.node);
    }
    tie(source ? node : alone.node, source ? alone.node : node, source);
    const std::uint64_t number = nodes[node].id.number;
    if (!end.number) see_joined(alone, source ? number : alone.order, source ? alone.order : number);
}

void CausalSorter::State::tie(std::uint32_t source, std::uint32_t target, bool target_waits) {
    const Node& from = nodes[source];
    Node& to = nodes[target];
    if (from.reported) {
        take_cause(to, {from.id, from.raw_ns, from.final_ns});
        to.waits -= target_waits ? 1 : 0;
        no_longer_waits(target);
        return;
    }
    to.waits += target_waits ? 0 : 1;
    push(nodes[source].effects, target);
    push(to.causes, source);
}

void CausalSorter::State::release_effects(std::uint32_t index) {
    Node& source = nodes[index];
    const Cause cause{source.id, source.raw_ns, source.final_ns};
    for (std::uint32_t link = source.effects; link != none; link = links[link].next) {
        const std::uint32_t target = links[link].what;
        take_cause(nodes[target], cause);
        --nodes[target].waits;
        no_longer_waits(target);
    }
    drop_list(source.effects);
}

// An end is in the list of the stream where its other end is missing.
void CausalSorter::State::list_by_stream(std::uint32_t index) {
    Alone& alone = alones[index];
    Stream& stream = streams[alone.role == Role::Source ? alone.to : alone.from];
    alone.stream_before = stream.last_alone;
    (stream.last_alone == none ? stream.first_alone : alones[stream.last_alone].stream_after) = index;
    stream.last_alone = index;
}

void CausalSorter::State::unlist_by_stream(const Alone& alone) {
    Stream& stream = streams[alone.role == Role::Source ? alone.to : alone.from];
    (alone.stream_before == none ? stream.first_alone : alones[alone.stream_before].stream_after) = alone.stream_after;
    (alone.stream_after == none ? stream.last_alone : alones[alone.stream_after].stream_before) = alone.stream_before;
}

void CausalSorter::State::remove(std::uint32_t index) {
    unlist(index);
    Alone& alone = alones[index];
    unlist_by_stream(alone);
    const std::uint32_t head = alone_of.find(alone.key);
    if (head != index) {
        std::uint32_t before = head;
        while (alones[before].same != index) before = alones[before].same;
        alones[before].same = alone.same;
        if (alones[head].last_same == index) alones[head].last_same = before;
    } else if (alone.same != none) {
        alones[alone.same].last_same = alone.last_same;
        alone_of.set(alone.key, alone.same);
    } else {
        alone_of.erase(alone.key);
    }
    alone.used = false;
    alones.release(index);
}

// The other end will not come. `why`: for a target.
void CausalSorter::State::partner_gone(std::uint32_t index, Assumed why) {
    const Alone alone = alones[index];
    remove(index);
    Node& node = nodes[alone.node];
    if (alone.role == Role::Source) {
        ++counts.targets_missing;
        --node.awaits;
        fading.push_back(alone.node);
        return;
    }
    ++counts.sources_missing;
    if (why == Assumed::NeverBegan) ++counts.contradictions;
    if (node.assumed == Assumed::Nothing) node.assumed = why;
    --node.waits;
    no_longer_waits(alone.node);
}

void CausalSorter::State::messages_of_ended(std::uint32_t stream) {
    const Stream& of = streams[stream];
    while (of.first_alone != none) partner_gone(of.first_alone, of.why_ended);
}

// In the order in which they came.
void CausalSorter::State::give_up_messages(std::uint64_t before_step) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> waiting;
    for (std::uint32_t index = 0; index < alones.size(); ++index) {
        const Alone& alone = alones[index];
        if (!alone.used || alone.role == Role::Source || nodes[alone.node].step >= before_step) continue;
        waiting.emplace_back(nodes[alone.node].step, index);
    }
    std::sort(waiting.begin(), waiting.end());
    for (const auto& [step, index] : waiting) {
        remember_given_up(alones[index].key);
        partner_gone(index, Assumed::GivenUp);
    }
}

}  // namespace tmon_order
