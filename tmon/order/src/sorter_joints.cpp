#include <algorithm>
#include <utility>

#include "sorter_state.hpp"

namespace tmon_order {
namespace {

bool is_source(Shape shape, std::uint32_t rank, std::uint32_t root) {
    return shape == Shape::AllToAll || (rank == root) == (shape == Shape::FromRoot);
}
bool is_target(Shape shape, std::uint32_t rank, std::uint32_t root) {
    return shape == Shape::AllToAll || (rank == root) == (shape == Shape::ToRoot);
}

// With equal times the first stream counts, whatever came first.
bool is_later(const Cause& a, const Cause& b) {
    return a.final_ns != b.final_ns ? a.final_ns > b.final_ns : a.id.stream < b.id.stream;
}

}  // namespace

void CausalSorter::State::push(std::uint32_t& list, std::uint32_t what, std::uint32_t rank) {
    const std::uint32_t link = links.take();
    links[link] = {what, rank, list};
    list = link;
}

void CausalSorter::State::drop_list(std::uint32_t& list) {
    while (list != none) {
        links.release(list);
        list = links[list].next;
    }
}

void CausalSorter::State::drop_from(std::uint32_t& list, std::uint32_t what) {
    std::uint32_t* at = &list;
    while (*at != none && links[*at].what != what) at = &links[*at].next;
    if (*at == none) return;
    const std::uint32_t gone = *at;
    *at = links[gone].next;
    links.release(gone);
}

std::uint32_t CausalSorter::State::open_joint(const End& end) {
    std::uint32_t index = joint_of.find(end.key);
    if (index != KeyTable::none) return index;
    index = joints.take();
    Joint& joint = joints[index];
    joint.key = end.key;
    joint.used = true;
    joint.shape = end.shape;
    joint.order = end.number.value_or(0);
    joint.channel = open_channel(end.channel);
    joint_of.add(end.key, index);
    if (joint.shape == Shape::Cast) return index;
    joint.group = end.group;
    joint.may_skip = end.source_may_be_unrecorded;
    joint.root = end.root;
    const auto size = static_cast<std::uint32_t>(joint.group->size());
    joint.sources = joint.shape == Shape::FromRoot ? 1 : joint.shape == Shape::ToRoot ? size - 1 : size;
    joint.targets = joint.shape == Shape::ToRoot ? 1 : joint.shape == Shape::FromRoot ? size - 1 : size;
    joint.source_states.assign(size, EndState::Expected);
    joint.target_states.assign(size, EndState::Expected);
    list_open(index);
    return index;
}

// False: this end came before, or was given away.
bool CausalSorter::State::take_place(Joint& joint, const End& end) {
    const bool source = end.role == Role::Source;
    if (joint.shape == Shape::Cast) return !source || joint.sources_here < joint.sources;
    if (end.rank >= joint.source_states.size()) return false;
    if (!(source ? is_source : is_target)(joint.shape, end.rank, joint.root)) return false;
    EndState& state = (source ? joint.source_states : joint.target_states)[end.rank];
    return std::exchange(state, state == EndState::Expected ? EndState::Here : state) == EndState::Expected;
}

void CausalSorter::State::attach_joint(std::uint32_t index, const End& end) {
    const std::uint32_t joint = open_joint(end);
    if (!take_place(joints[joint], end)) {
        ++counts.contradictions;
        return;
    }
    const bool first = joints[joint].sources_here + joints[joint].targets_here == 0;
    if (end.role == Role::Source) {
        attach_source(joint, index, end);
    } else {
        attach_target(joint, index, end.rank);
    }
    if (first && joints[joint].shape == Shape::Cast) take_waiting(joint);
    if (first && joints[joint].shape != Shape::Cast) without_absent_members(joint);
    close_when_done(joint);
}

// Receivers of a cast wait like those of a message until the cast tells what it is.
void CausalSorter::State::take_waiting(std::uint32_t index) {
    const Key key = joints[index].key;
    for (std::uint32_t alone = alone_of.find(key); alone != KeyTable::none; alone = alone_of.find(key)) {
        const std::uint32_t target = alones[alone].node;
        remove(alone);
        attach_target(index, target, 0);
        --nodes[target].waits;
        no_longer_waits(target);
    }
}

// A communication that is new has no end in a stream that has ended, or in one that has begun a later one.
void CausalSorter::State::without_absent_members(std::uint32_t index) {
    const std::uint64_t number = joints[index].order;
    for (std::uint32_t rank = 0; rank < joints[index].group->size(); ++rank) {
        const Stream& member = streams[(*joints[index].group)[rank]];
        if (member.ended) {
            source_gone(index, rank, member.why_ended);
            target_gone(index, rank);
        }
        const Channel& channel = channels[joints[index].channel];
        if (rank >= channel.next_sources.size()) continue;
        if (number < channel.next_sources[rank]) source_gone(index, rank, member.lossy ? Assumed::Lost : Assumed::NeverBegan);
        if (number < channel.next_targets[rank]) target_gone(index, rank);
    }
}

void CausalSorter::State::attach_source(std::uint32_t index, std::uint32_t node_index, const End& end) {
    Joint& joint = joints[index];
    Node& node = nodes[node_index];
    if (joint.sources_here++ == 0) joint.first_source = node.id;
    push(node.opened, index);
    if (joint.all_targets()) return;
    ++node.awaits;
    push(joint.source_nodes, node_index, end.rank);
    if (joint.shape == Shape::AllToAll) tell_source_of_last_target(joint);
}

void CausalSorter::State::attach_target(std::uint32_t index, std::uint32_t node_index, std::uint32_t rank) {
    Joint& joint = joints[index];
    Node& node = nodes[node_index];
    ++joint.targets_here;
    if (joint.complete()) {
        take_causes(joint, node, rank);
    } else {
        ++node.waits;
        push(joint.waiting, node_index, rank);
        push(node.awaited, index);
    }
    tell_sources(index);
}

void CausalSorter::State::take_cause(Node& target, const Cause& cause) const {
    after(target, cause.final_ns + options.least_latency_ns, cause.id);
    if (target.has_source && !is_later(cause, target.source)) return;
    target.source = cause;
    target.has_source = true;
}

// A member's own source is no cause of its target, nor is it missed.
void CausalSorter::State::take_causes(const Joint& joint, Node& target, std::uint32_t rank) const {
    const bool all = joint.shape == Shape::AllToAll;
    const bool own = all && joint.latest && joint.latest->id.stream == target.id.stream;
    if (const std::optional<Cause>& cause = own ? joint.next_latest : joint.latest) take_cause(target, *cause);
    const bool own_gone = all && joint.source_states[rank] == EndState::Gone && joint.sources + 1 == joint.group->size();
    if (!own_gone && target.assumed == Assumed::Nothing) target.assumed = joint.assumed;
}

void CausalSorter::State::source_reported(std::uint32_t index, const Node& source) {
    Joint& joint = joints[index];
    ++joint.sources_reported;
    const Cause cause{source.id, source.raw_ns, source.final_ns};
    if (!joint.latest || is_later(cause, *joint.latest)) {
        joint.next_latest = std::exchange(joint.latest, cause);
    } else if (!joint.next_latest || is_later(cause, *joint.next_latest)) {
        joint.next_latest = cause;
    }
    release(index);
    close_when_done(index);
}

void CausalSorter::State::release(std::uint32_t index) {
    Joint& joint = joints[index];
    if (!joint.complete()) return;
    for (std::uint32_t link = joint.waiting; link != none; link = links[link].next) {
        const std::uint32_t target = links[link].what;
        take_causes(joint, nodes[target], links[link].rank);
        --nodes[target].waits;
        no_longer_waits(target);
    }
    drop_list(joint.waiting);
}

void CausalSorter::State::tell_sources(std::uint32_t index) {
    Joint& joint = joints[index];
    if (!joint.all_targets()) {
        if (joint.shape == Shape::AllToAll) tell_source_of_last_target(joint);
        return;
    }
    for (std::uint32_t link = joint.source_nodes; link != none; link = links[link].next) {
        --nodes[links[link].what].awaits;
        fading.push_back(links[link].what);
    }
    drop_list(joint.source_nodes);
}

// A member's beginning does not precede its own end by this communication, so it need not wait for that one.
void CausalSorter::State::tell_source_of_last_target(Joint& joint) {
    if (joint.targets - joint.targets_here != 1) return;
    const auto last = std::find(joint.target_states.begin(), joint.target_states.end(), EndState::Expected);
    const auto rank = static_cast<std::uint32_t>(last - joint.target_states.begin());
    if (joint.source_states[rank] != EndState::Here) return;
    joint.source_states[rank] = EndState::Told;
    std::uint32_t link = joint.source_nodes;
    while (links[link].rank != rank) link = links[link].next;
    const std::uint32_t source = links[link].what;
    drop_from(joint.source_nodes, source);
    --nodes[source].awaits;
    fading.push_back(source);
}

// Both are for collectives.
void CausalSorter::State::source_gone(std::uint32_t index, std::uint32_t rank, Assumed why) {
    Joint& joint = joints[index];
    if (!is_source(joint.shape, rank, joint.root) || joint.source_states[rank] != EndState::Expected) return;
    if (joint.may_skip && why == Assumed::NeverBegan) why = Assumed::Lost;
    joint.source_states[rank] = EndState::Gone;
    --joint.sources;
    joint.whole = false;
    ++counts.sources_missing;
    if (joint.assumed == Assumed::Nothing) joint.assumed = why;
    if (why == Assumed::NeverBegan) ++counts.contradictions;
    release(index);
}

void CausalSorter::State::target_gone(std::uint32_t index, std::uint32_t rank) {
    Joint& joint = joints[index];
    if (!is_target(joint.shape, rank, joint.root) || joint.target_states[rank] != EndState::Expected) return;
    joint.target_states[rank] = EndState::Gone;
    --joint.targets;
    joint.whole = false;
    ++counts.targets_missing;
    tell_sources(index);
}

void CausalSorter::State::close_when_done(std::uint32_t index) {
    Joint& joint = joints[index];
    if (!joint.used || !joint.complete() || joint.sources_here != joint.sources || !joint.all_targets()) return;
    if (joint.shape == Shape::Cast) return keep_cast(index);
    counts.joined += joint.whole ? 1 : 0;
    close(index);
}

void CausalSorter::State::close(std::uint32_t index) {
    Joint& joint = joints[index];
    unlist_open(index);
    joint_of.erase(joint.key);
    joint.used = false;
    joint.group.reset();
    joints.release(index);
}

// Later receives of a cast need its time.
void CausalSorter::State::keep_cast(std::uint32_t index) {
    if (joints[index].kept) return;
    joints[index].kept = true;
    casts.push_back(index);
    if (casts.size() <= options.most_waiting) return;
    channels[joints[casts.front()].channel].forgot = true;
    close(casts.front());
    casts.pop_front();
}

void CausalSorter::State::joints_of_ended(std::uint32_t stream) {
    const Assumed why = streams[stream].why_ended;
    for (std::uint32_t index = 0; index < joints.size(); ++index) {
        if (!joints[index].used || joints[index].shape == Shape::Cast) continue;
        for (std::uint32_t rank = 0; rank < joints[index].group->size(); ++rank) {
            if ((*joints[index].group)[rank] != stream) continue;
            source_gone(index, rank, why);
            target_gone(index, rank);
        }
        close_when_done(index);
    }
}

void CausalSorter::State::give_up_joints(std::uint64_t before_step) {
    for (std::uint32_t index = 0; index < joints.size(); ++index) {
        const Joint& joint = joints[index];
        if (!joint.used || joint.shape == Shape::Cast || joint.sources_here == joint.sources) continue;
        bool waited = false;
        for (std::uint32_t link = joint.waiting; link != none; link = links[link].next)
            waited = waited || nodes[links[link].what].step < before_step;
        if (!waited) continue;
        remember_given_up(joint.key);
        for (std::uint32_t rank = 0; rank < joint.group->size(); ++rank) source_gone(index, rank, Assumed::GivenUp);
        close_when_done(index);
    }
}

void CausalSorter::State::leave_causes(std::uint32_t index) {
    Node& node = nodes[index];
    const auto left = [&](std::uint32_t& waiting, RecordId source) {
        bool waits = false;
        for (std::uint32_t at = waiting; at != none; at = links[at].next) waits = waits || links[at].what == index;
        if (!waits) return;
        drop_from(waiting, index);
        node.contradicted = true;
        node.contradicted_by = source;
    };
    for (std::uint32_t link = node.causes; link != none; link = links[link].next)
        left(nodes[links[link].what].effects, nodes[links[link].what].id);
    for (std::uint32_t link = node.awaited; link != none; link = links[link].next)
        left(joints[links[link].what].waiting, joints[links[link].what].first_source);
}

}  // namespace tmon_order
