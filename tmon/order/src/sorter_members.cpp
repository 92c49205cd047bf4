// Which members of a group may still have an end of a collective. A member makes its ends in the order of their numbers. So one
// that was seen in its stream leaves none that is lower, and the end of the stream leaves none at all. Only joints that all
// members have passed, or all but one, are looked at. So a member that never comes costs nothing.
#include <algorithm>

#include "sorter_state.hpp"

namespace tmon_order {
namespace {

bool is_by_root(Shape shape, Role role) {
    return shape == (role == Role::Source ? Shape::FromRoot : Shape::ToRoot);
}

// True when the member has an end of this role.
bool takes_part(Shape shape, Role role, std::uint32_t rank, std::uint32_t root) {
    return shape == Shape::AllToAll || (rank == root) == is_by_root(shape, role);
}

void add(JointWaits& waits, const JointWait& wait) {
    waits.push_back(wait);
    std::push_heap(waits.begin(), waits.end());
}

}  // namespace

// All ends of a channel have the same group; the first one tells it.
Members& CausalSorter::State::members_of(std::uint32_t channel, const End& end) {
    std::unique_ptr<Members>& members = channels[channel].members;
    if (members != nullptr) return *members;
    members = std::make_unique<Members>(end.group);
    for (std::uint32_t rank = 0; rank < members->size; ++rank) {
        Stream& stream = streams[(*members->group)[rank]];
        stream.ranks.emplace_back(channel, rank);
        if (!stream.ended) continue;
        for (MemberSide& side : members->sides) side.progress.raise(rank, MemberProgress::ended);
    }
    return *members;
}

bool CausalSorter::State::has_come(std::uint32_t index, Role role, std::uint32_t rank) {
    Joint& joint = joints[index];
    JointSide& side = joint.side(role);
    if (!side.irregular) {  // the members' progress showed none that had come
        side.irregular = true;
        Members& members = *channels[joint.channel].members;
        side.is_here.resize(members.size);
        for (const std::uint32_t one : side.ranks) side.is_here[one] = true;
        members.irregular.push_back({joint.order, joint.serial, index});
    }
    return side.is_here[rank];
}

// False: this end came before, or was given away, or the member has none.
bool CausalSorter::State::take_place(std::uint32_t index, std::uint32_t node_index, const End& end) {
    Joint& joint = joints[index];
    JointSide& side = joint.side(end.role);
    if (joint.shape == Shape::Cast) {
        if (end.role == Role::Source && side.here > 0) return false;
        ++side.here;
        return true;
    }
    if (side.decided || !takes_part(joint.shape, end.role, end.rank, joint.root)) return false;
    MemberSide& members = channels[joint.channel].members->side(end.role);
    std::uint64_t& newest = members.newest[end.rank];
    if (joint.order < newest && has_come(index, end.role, end.rank)) return false;
    newest = std::max(newest, joint.order + 1);
    // This record is seen at the end of its insertion, unless one before it is missing, or its place does not count.
    const Node& node = nodes[node_index];
    const bool in_order = !node.detached && node.id.number < streams[node.id.stream].numbers.leading();
    const bool seen = in_order && end.number && (end.role == Role::Source || end.receives_in_order);
    if (!seen) has_come(index, end.role, end.rank);
    if (side.irregular) side.is_here[end.rank] = true;
    side.ranks.push_back(end.rank);
    ++side.here;
    return true;
}

bool CausalSorter::State::may_come(const Joint& joint, Role role, std::uint32_t rank) const {
    const JointSide& side = joint.side(role);
    return takes_part(joint.shape, role, rank, joint.root) && !(side.irregular && side.is_here[rank]);
}

// A new joint looks at its members at once, and again when enough of them have passed it.
void CausalSorter::State::await_members(std::uint32_t index, Role role) {
    const Joint& joint = joints[index];
    MemberSide& side = channels[joint.channel].members->side(role);
    const JointWait wait{joint.order, joint.serial, index};
    if (is_by_root(joint.shape, role)) {
        add(side.of_root[joint.root], wait);
    } else if (joint.shape == Shape::AllToAll && role == Role::Source) {
        add(side.all, wait);
    } else {
        add(side.all_but_one, wait);
    }
    look_at(index, role);
}

// Decides when no member may come any more. The only one that may come is remembered.
void CausalSorter::State::look_at(std::uint32_t index, Role role) {
    Joint& joint = joints[index];
    if (!joint.used || joint.side(role).decided) return;
    const MemberProgress& progress = channels[joint.channel].members->side(role).progress;
    std::uint32_t open[2] = {none, none};
    std::size_t count = 0;
    if (is_by_root(joint.shape, role)) {
        count = progress.of(joint.root) <= joint.order && may_come(joint, role, joint.root) ? 1 : 0;
    } else {
        for (std::uint32_t rank = progress.first_behind(0, joint.order); rank != none && count < 2;
             rank = progress.first_behind(rank + 1, joint.order)) {
            if (may_come(joint, role, rank)) open[count++] = rank;
        }
    }
    if (count == 0) {
        decide(index, role);
    } else if (count == 1 && joint.shape == Shape::AllToAll && role == Role::Target && joint.last_target == none) {
        joint.last_target = open[0];
        tell_source_of_last_target(joint);
    }
}

void CausalSorter::State::decide(std::uint32_t index, Role role) {
    Joint& joint = joints[index];
    JointSide& side = joint.side(role);
    side.decided = true;
    const std::uint32_t size = channels[joint.channel].members->size;
    const std::uint32_t expected = is_by_root(joint.shape, role) ? 1 : joint.shape == Shape::AllToAll ? size : size - 1;
    joint.whole = joint.whole && side.here == expected;
    if (role == Role::Source) {
        joint.missing = expected - side.here;
        counts.sources_missing += joint.missing;
        if (joint.missing > 0) find_missing(joint);
        release(index);
    } else {
        counts.targets_missing += expected - side.here;
        tell_sources(index);
    }
    side.ranks = {};
    close_when_done(index);
}

// The first source that is missing, and why. Where none may be unrecorded each one counts that never began.
void CausalSorter::State::find_missing(Joint& joint) {
    std::vector<std::uint32_t>& here = joint.side(Role::Source).ranks;
    std::sort(here.begin(), here.end());
    const std::uint32_t size = channels[joint.channel].members->size;
    auto next = here.begin();
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        while (next != here.end() && *next < rank) ++next;
        if ((next != here.end() && *next == rank) || !takes_part(joint.shape, Role::Source, rank, joint.root)) continue;
        const Assumed why = why_missing(joint, rank);
        if (joint.first_missing == none) {
            joint.first_missing = rank;
            joint.assumed = why;
        }
        if (joint.may_skip || joint.given_up) return;
        if (why != Assumed::NeverBegan) continue;
        joint.assumed = why;
        ++counts.contradictions;
    }
}

Assumed CausalSorter::State::why_missing(const Joint& joint, std::uint32_t rank) const {
    if (joint.given_up) return Assumed::GivenUp;
    const Members& members = *channels[joint.channel].members;
    const Members::Passed& passed = members.passed[rank];
    const Assumed why = joint.order < passed.surely ? Assumed::NeverBegan
                        : joint.order < passed.all  ? Assumed::Lost
                                                    : streams[(*members.group)[rank]].why_ended;
    return why == Assumed::NeverBegan && joint.may_skip ? Assumed::Lost : why;
}

// A member begins its operations in their order, and begins each one before it ends it.
void CausalSorter::State::see_member(std::uint32_t channel, const End& end, bool lossy) {
    Members& members = members_of(channel, end);
    if (end.rank >= members.size) return;
    const std::uint64_t next = *end.number + 1;
    Members::Passed& passed = members.passed[end.rank];
    passed.all = std::max(passed.all, next);
    if (!lossy) passed.surely = passed.all;
    raise(members, Role::Source, end.rank, next);
    if (end.role == Role::Target && end.receives_in_order) raise(members, Role::Target, end.rank, next);
}

void CausalSorter::State::raise(Members& members, Role role, std::uint32_t rank, std::uint64_t number) {
    MemberSide& side = members.side(role);
    if (number <= side.progress.of(rank)) return;
    side.progress.raise(rank, number);
    if (!side.all_but_one.empty()) {
        // All those wait for the last one, too.
        const std::uint64_t least = side.progress.second_least();
        while (!side.all_but_one.empty() && side.all_but_one.front().order < least) {
            std::pop_heap(side.all_but_one.begin(), side.all_but_one.end());
            const JointWait wait = side.all_but_one.back();
            side.all_but_one.pop_back();
            if (joints[wait.joint].serial != wait.serial) continue;
            add(side.all, wait);
            look_at(wait.joint, role);
        }
    }
    look_at_passed(side.all, role, side.progress.least());
    const auto by_root = side.of_root.find(rank);
    if (by_root != side.of_root.end()) look_at_passed(by_root->second, role, side.progress.of(rank));
    if (!members.irregular.empty()) look_at_irregular(members, role);
}

void CausalSorter::State::look_at_passed(JointWaits& waits, Role role, std::uint64_t least) {
    while (!waits.empty() && waits.front().order < least) {
        std::pop_heap(waits.begin(), waits.end());
        const JointWait wait = waits.back();
        waits.pop_back();
        if (joints[wait.joint].serial == wait.serial) look_at(wait.joint, role);
    }
}

// Each time, since the members' progress alone does not tell when they are decided.
void CausalSorter::State::look_at_irregular(Members& members, Role role) {
    std::erase_if(members.irregular, [&](const JointWait& wait) {
        const Joint& joint = joints[wait.joint];
        return joint.serial != wait.serial || !joint.used;
    });
    for (std::size_t at = 0; at < members.irregular.size(); ++at) {
        const JointWait wait = members.irregular[at];
        if (joints[wait.joint].serial == wait.serial) look_at(wait.joint, role);
    }
}

void CausalSorter::State::members_ended(std::uint32_t stream) {
    for (std::size_t at = 0; at < streams[stream].ranks.size(); ++at) {
        const auto [channel, rank] = streams[stream].ranks[at];
        for (const Role role : {Role::Source, Role::Target})
            raise(*channels[channel].members, role, rank, MemberProgress::ended);
    }
}

}  // namespace tmon_order
