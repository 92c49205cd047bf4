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

// Of equal times the first stream's, whatever came first.
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

void CausalSorter::State::expect_ends(Joint& joint, const End& end) {
    joint.from = end.from;
    joint.to = end.to;
    joint.group = end.group;
    joint.root = end.root;
    if (joint.is_message()) return;
    const auto size = static_cast<std::uint32_t>(joint.group->size());
    joint.sources = joint.shape == Shape::FromRoot ? 1 : joint.shape == Shape::ToRoot ? size - 1 : size;
    joint.targets = joint.shape == Shape::ToRoot ? 1 : joint.shape == Shape::FromRoot ? size - 1 : size;
    joint.source_states.assign(size, EndState::Expected);
    joint.target_states.assign(size, EndState::Expected);
}

std::uint32_t CausalSorter::State::open_joint(const End& end) {
    std::uint32_t index = joint_of.find(end.key);
    if (index != KeyTable::none) return index;
    index = joints.take();
    Joint& joint = joints[index];
    joint.key = end.key;
    joint.used = true;
    joint.shape = end.shape;
    expect_ends(joint, end);
    joint.channel = open_channel(end);
    joint_of.add(end.key, index);
    return index;
}

// False: this end came before, or was given away.
bool CausalSorter::State::take_place(Joint& joint, const End& end) {
    const bool source = end.role == Role::Source;
    if (joint.is_message()) {
        const bool room = source ? joint.sources_here < joint.sources : joint.targets_here < joint.targets;
        return room || (!source && joint.shape == Shape::Cast);
    }
    if (end.rank >= joint.source_states.size()) return false;
    if (!(source ? is_source : is_target)(joint.shape, end.rank, joint.root)) return false;
    EndState& state = (source ? joint.source_states : joint.target_states)[end.rank];
    return std::exchange(state, state == EndState::Expected ? EndState::Here : state) == EndState::Expected;
}

void CausalSorter::State::attach(std::uint32_t index, const End& end) {
    Node& node = nodes[index];
    if (end.role == Role::Source && given_up.find(end.key) != KeyTable::none) {
        given_up.erase(end.key);
        node.late = true;
        return;
    }
    const std::uint32_t joint = open_joint(end);
    if (end.role == Role::Source && end.shape == Shape::Message) only_to(joints[joint], end.to);
    const Joint& of = joints[joint];
    const bool elsewhere = end.role == Role::Target && of.shape == Shape::Message && of.to != node.id.stream;
    if (elsewhere || !take_place(joints[joint], end)) {
        ++counts.contradictions;
        return;
    }
    const std::uint64_t number = node.id.number;
    if (end.role == Role::Source) {
        attach_source(joint, index, end);
    } else {
        attach_target(joint, index, end);
    }
    place_in_channel(joint, end, number);
    if (joints[joint].sources_here + joints[joint].targets_here == 1) without_known_absent(joint, end);
    close_when_done(joint);
}

// A receiver cannot tell a message from a cast; the sender can.
void CausalSorter::State::only_to(Joint& joint, std::uint32_t to) {
    if (joint.shape != Shape::Cast) return;
    joint.shape = Shape::Message;
    joint.to = to;
}

void CausalSorter::State::attach_source(std::uint32_t index, std::uint32_t node_index, const End& end) {
    Joint& joint = joints[index];
    Node& node = nodes[node_index];
    if (joint.sources_here++ == 0) joint.first_source = node.id;
    push(node.sources, index);
    if (joint.all_targets()) return;
    ++node.awaits;
    push(joint.source_nodes, node_index, end.rank);
    if (joint.shape == Shape::AllToAll) tell_source_of_last_target(joint);
}

void CausalSorter::State::attach_target(std::uint32_t index, std::uint32_t node_index, const End& end) {
    Joint& joint = joints[index];
    Node& node = nodes[node_index];
    ++joint.targets_here;
    if (joint.complete()) {
        take_causes(joint, node, end.rank);
    } else {
        ++node.waits;
        push(joint.waiting, node_index, end.rank);
        push(node.targets, index);
    }
    tell_sources(index);
}

// A member's own source is no cause of its target, nor is it missed.
void CausalSorter::State::take_causes(const Joint& joint, Node& target, std::uint32_t rank) const {
    const bool all = joint.shape == Shape::AllToAll;
    const bool own = all && joint.latest && joint.latest->id.stream == target.id.stream;
    if (const std::optional<Cause>& cause = own ? joint.next_latest : joint.latest) {
        after(target, cause->final_ns + options.least_latency_ns, cause->id);
        if (!target.source || is_later(*cause, *target.source)) target.source = cause;
    }
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

void CausalSorter::State::source_gone(std::uint32_t index, std::uint32_t rank, Assumed why) {
    Joint& joint = joints[index];
    if (joint.is_message()) {
        if (joint.sources_here == joint.sources) return;
    } else {
        if (!is_source(joint.shape, rank, joint.root) || joint.source_states[rank] != EndState::Expected) return;
        joint.source_states[rank] = EndState::Gone;
    }
    --joint.sources;
    joint.whole = false;
    ++counts.sources_missing;
    if (joint.assumed == Assumed::Nothing) joint.assumed = why;
    if (why == Assumed::NeverBegan) ++counts.contradictions;
    release(index);
}

void CausalSorter::State::target_gone(std::uint32_t index, std::uint32_t rank) {
    Joint& joint = joints[index];
    if (joint.is_message()) {
        if (joint.all_targets()) return;
    } else {
        if (!is_target(joint.shape, rank, joint.root) || joint.target_states[rank] != EndState::Expected) return;
        joint.target_states[rank] = EndState::Gone;
    }
    --joint.targets;
    joint.whole = false;
    ++counts.targets_missing;
    tell_sources(index);
}

void CausalSorter::State::member_gone(std::uint32_t index, std::uint32_t rank, Assumed why) {
    source_gone(index, rank, why);
    target_gone(index, rank);
}

void CausalSorter::State::close_when_done(std::uint32_t index) {
    Joint& joint = joints[index];
    if (!joint.used || !joint.complete() || joint.sources_here != joint.sources || !joint.all_targets()) return;
    if (joint.shape == Shape::Cast && joint.sources > 0) return keep_cast(index);
    counts.joined += joint.whole ? 1 : 0;
    close(index);
}

void CausalSorter::State::close(std::uint32_t index) {
    Joint& joint = joints[index];
    unlist(index);
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
    close(casts.front());
    casts.pop_front();
}

void CausalSorter::State::leave_joints(std::uint32_t index) {
    Node& node = nodes[index];
    for (std::uint32_t link = node.targets; link != none; link = links[link].next) {
        Joint& joint = joints[links[link].what];
        if (!joint.used) continue;
        bool waits = false;
        for (std::uint32_t at = joint.waiting; at != none; at = links[at].next) waits = waits || links[at].what == index;
        if (!waits) continue;
        drop_from(joint.waiting, index);
        node.contradicted = true;
        node.contradicted_by = joint.first_source;
    }
}

}  // namespace tmon_order
