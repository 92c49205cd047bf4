#include <algorithm>
#include <utility>

#include "sorter_state.hpp"

namespace tmon_order {
namespace {

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
    const std::uint32_t index = joints.take();
    Joint& joint = joints[index];
    joint.key = end.key;
    joint.used = true;
    joint.shape = end.shape;
    joint.order = end.number.value_or(0);
    joint.serial = ++joints_so_far;
    joint.channel = open_channel(end.channel);
    joint_of.add(end.key, index);
    if (joint.shape == Shape::Cast) return index;
    joint.may_skip = end.source_may_be_unrecorded;
    joint.root = end.root;
    return index;
}

void CausalSorter::State::attach_joint(std::uint32_t index, const End& end) {
    const bool cast = end.shape == Shape::Cast;
    std::uint32_t joint = joint_of.find(end.key);
    if (!cast) {
        const std::uint32_t channel = joint == KeyTable::none ? open_channel(end.channel) : joints[joint].channel;
        Members& members = members_of(channel, end);
        // It came before, or was given away, or is none of the group.
        if (end.rank >= members.size || end.number.value_or(0) < members.side(end.role).progress.of(end.rank))
            return refuse(index);
    }
    const bool first = joint == KeyTable::none;
    if (first) joint = open_joint(end);
    if (!take_place(joint, index, end)) return refuse(index);
    if (end.role == Role::Source) {
        attach_source(joint, index, end);
    } else {
        attach_target(joint, index, end.rank);
        if (end.sources_that_come) joints[joint].known_sources = *end.sources_that_come;
    }
    if (first && cast) take_waiting(joint);
    if (!cast && first) {
        await_members(joint, Role::Source);
        await_members(joint, Role::Target);
    } else if (!cast && joints[joint].side(end.role).irregular) {
        look_at(joint, end.role);
    }
    const JointSide& sources = joints[joint].side(Role::Source);
    if (joints[joint].used && !sources.decided && sources.here == joints[joint].known_sources) decide(joint, Role::Source);
    close_when_done(joint);
}

// The end stands by itself. That of a record that lost its place contradicts nothing.
void CausalSorter::State::refuse(std::uint32_t index) {
    counts.contradictions += nodes[index].detached ? 0 : 1;
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

void CausalSorter::State::attach_source(std::uint32_t index, std::uint32_t node_index, const End& end) {
    Joint& joint = joints[index];
    Node& node = nodes[node_index];
    if (joint.side(Role::Source).here == 1) joint.first_source = node.id;
    if (joint.shape == Shape::Cast) joint.side(Role::Source).decided = true;
    push(node.opened, index);
    if (joint.all_targets() || (joint.shape == Shape::AllToAll && joint.last_target == end.rank)) return;
    ++node.awaits;
    push(joint.source_nodes, node_index, end.rank);
}

void CausalSorter::State::attach_target(std::uint32_t index, std::uint32_t node_index, std::uint32_t rank) {
    Joint& joint = joints[index];
    Node& node = nodes[node_index];
    if (joint.complete()) {
        take_causes(joint, node, rank);
    } else {
        ++node.waits;
        push(joint.waiting, node_index, rank);
        push(node.awaited, index);
    }
}

void CausalSorter::State::take_cause(Node& target, const Cause& cause) {
    if (target.has_source) {
        if (target.more == none && target.shared == none) add_cause(target, target.source);
        add_cause(target, cause);
    }
    take_latest(target, cause);
}

void CausalSorter::State::add_cause(Node& target, const Cause& cause) {
    const std::uint32_t index = further_causes.take();
    further_causes[index] = {cause, target.more};
    target.more = index;
}

void CausalSorter::State::take_latest(Node& target, const Cause& cause) const {
    after(target, cause.final_ns + options.least_latency_ns, cause.id);
    if (target.has_source && !is_later(cause, target.source)) return;
    target.source = cause;
    target.has_source = true;
}

// A member's own source is no cause of its target, nor is it missed.
void CausalSorter::State::take_causes(const Joint& joint, Node& target, std::uint32_t rank) {
    const bool all = joint.shape == Shape::AllToAll;
    const bool own = all && joint.latest && joint.latest->id.stream == target.id.stream;
    if (const std::optional<Cause>& cause = own ? joint.next_latest : joint.latest) {
        if (joint.causes == none) {
            take_cause(target, *cause);
        } else if (target.has_source || target.more != none) {
            take_each_cause(joint, target);
        } else {
            target.shared = joint.causes;
            ++shared_causes[joint.causes].users;
            take_latest(target, *cause);
        }
    }
    const bool own_gone = all && joint.missing == 1 && joint.first_missing == rank;
    if (!own_gone && target.assumed == Assumed::Nothing) target.assumed = joint.assumed;
}

// One by one, since the target has further sources, or waits no longer for the rest.
void CausalSorter::State::take_each_cause(const Joint& joint, Node& target) {
    if (joint.causes == none) return;
    for (const Cause& one : shared_causes[joint.causes].list) {
        const bool own = joint.shape == Shape::AllToAll && one.id.stream == target.id.stream;
        if (!own) take_cause(target, one);
    }
}

// A list of several sources stays until all targets are reported.
void CausalSorter::State::keep_cause(Joint& joint, const Cause& cause) {
    if (joint.shape == Shape::Cast || joint.shape == Shape::FromRoot) return;
    if (joint.causes == none) {
        joint.causes = shared_causes.take();
        shared_causes[joint.causes].number = ++shared_so_far;
    }
    shared_causes[joint.causes].list.push_back(cause);
}

void CausalSorter::State::no_longer_uses(std::uint32_t& shared) {
    const std::uint32_t index = std::exchange(shared, none);
    if (index == none || --shared_causes[index].users > 0) return;
    shared_causes[index].list = {};
    shared_causes.release(index);
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
    keep_cause(joint, cause);
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
    for (std::uint32_t link = joint.source_nodes; link != none; link = links[link].next) {
        --nodes[links[link].what].awaits;
        fading.push_back(links[link].what);
    }
    drop_list(joint.source_nodes);
}

// A member's beginning does not precede its own end by this communication, so it need not wait for that one.
void CausalSorter::State::tell_source_of_last_target(Joint& joint) {
    std::uint32_t* at = &joint.source_nodes;
    while (*at != none && links[*at].rank != joint.last_target) at = &links[*at].next;
    if (*at == none) return;
    const std::uint32_t link = *at, source = links[link].what;
    *at = links[link].next;
    links.release(link);
    --nodes[source].awaits;
    fading.push_back(source);
}

void CausalSorter::State::close_when_done(std::uint32_t index) {
    Joint& joint = joints[index];
    if (!joint.used || !joint.complete() || !joint.all_targets()) return;
    if (joint.shape == Shape::Cast) return keep_cast(index);
    counts.joined += joint.whole ? 1 : 0;
    close(index);
}

void CausalSorter::State::close(std::uint32_t index) {
    Joint& joint = joints[index];
    joint_of.erase(joint.key);
    no_longer_uses(joint.causes);
    joint.used = false;
    joint.sides = {};
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

void CausalSorter::State::give_up_joints(std::uint64_t before_step) {
    for (std::uint32_t index = 0; index < joints.size(); ++index) {
        const Joint& joint = joints[index];
        if (!joint.used || joint.shape == Shape::Cast || joint.side(Role::Source).decided) continue;
        bool waited = false;
        for (std::uint32_t link = joint.waiting; link != none; link = links[link].next)
            waited = waited || nodes[links[link].what].step < before_step;
        if (!waited) continue;
        remember_given_up(joint.key);
        joints[index].given_up = true;
        decide(index, Role::Source);
    }
}

void CausalSorter::State::leave_causes(std::uint32_t index) {
    Node& node = nodes[index];
    const auto left = [&](std::uint32_t& waiting, RecordId source) {
        bool waits = false;
        for (std::uint32_t at = waiting; at != none; at = links[at].next) waits = waits || links[at].what == index;
        if (!waits) return false;
        drop_from(waiting, index);
        node.contradicted = true;
        node.contradicted_by = source;
        return true;
    };
    for (std::uint32_t link = node.causes; link != none; link = links[link].next)
        left(nodes[links[link].what].effects, nodes[links[link].what].id);
    // Those of a collective that are reported still precede it.
    for (std::uint32_t link = node.awaited; link != none; link = links[link].next) {
        const Joint& joint = joints[links[link].what];
        if (left(joints[links[link].what].waiting, joint.first_source)) take_each_cause(joint, node);
    }
}

}  // namespace tmon_order
