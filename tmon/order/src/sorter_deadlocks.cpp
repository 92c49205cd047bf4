// Streams that wait for each other. The first record of each that is not reported, its frontier, waits for a source. What is
// before a frontier is reported or lost. So a missing source is lost, or it stands behind the frontier of its own stream. In a
// circle it then follows from the record that waits for it, and cannot come before it.
#include <algorithm>

#include "sorter_state.hpp"

namespace tmon_order {

namespace {

constexpr std::size_t most_remembered = 1U << 16;

enum class Mark : std::uint8_t { New, OnPath, Done };

}  // namespace

// A source that comes after all is known as late; beyond a bound all are forgotten together.
void CausalSorter::State::remember_given_up(const Key& key) {
    if (given_up.find(key) != KeyTable::none) return;
    if (given_up.size() >= most_remembered) given_up = KeyTable();
    given_up.add(key, 1);
}

std::vector<std::vector<CausalSorter::State::Wait>> CausalSorter::State::waits_of_frontiers() const {
    std::vector<std::vector<Wait>> waits(streams.size());
    for (std::uint32_t index = 0; index < alones.size(); ++index) {
        const Alone& alone = alones[index];
        if (!alone.used || alone.role == Role::Source) continue;
        const std::uint32_t stream = nodes[alone.node].id.stream;
        if (streams[stream].frontier == alone.node) waits[stream].push_back({alone.from, index});
    }
    for (std::uint32_t stream = 0; stream < streams.size(); ++stream) {
        const std::uint32_t frontier = streams[stream].frontier;
        if (frontier == none || nodes[frontier].waits == 0) continue;
        for (std::uint32_t link = nodes[frontier].causes; link != none; link = links[link].next) {
            // A cause that is reported may be gone, and its place taken.
            const Node& cause = nodes[links[link].what];
            bool waited_for = false;
            for (std::uint32_t at = cause.effects; at != none; at = links[at].next)
                waited_for = waited_for || links[at].what == frontier;
            if (cause.used && !cause.reported && !cause.detached && waited_for)
                waits[stream].push_back({cause.id.stream, none});
        }
    }
    return waits;
}

// `waits`: of each stream for the next one. With one missing source that one is lost, unless a source of a task is recorded
// late. With several, nobody knows which. Without any, a record with such a task goes first, the one with the least raw time.
bool CausalSorter::State::break_circle(std::span<const std::uint32_t> circle, std::span<const Wait> waits) {
    std::uint32_t missing = none, missing_stream = none, chosen = none;
    bool any_loose = false;
    for (std::size_t i = 0; i < circle.size(); ++i) {
        const std::uint32_t frontier = streams[circle[i]].frontier;
        const Node& node = nodes[frontier];
        any_loose = any_loose || node.loose;
        if (waits[i].alone != none) {
            if (missing != none || !alones[waits[i].alone].used) return false;
            missing = waits[i].alone;
            missing_stream = waits[i].stream;
        } else if (node.loose && node.waits == 1 && node.awaited == none &&
                   (chosen == none || node.raw_ns < nodes[chosen].raw_ns)) {
            chosen = frontier;
        }
    }
    if (missing != none) {
        if (!streams[missing_stream].lossy) return false;
        remember_given_up(alones[missing].key);
        partner_gone(missing, any_loose ? Assumed::LostOrCrossed : Assumed::Lost);
        return true;
    }
    if (chosen == none) return false;
    nodes[chosen].assumed = Assumed::Crossed;
    leave_causes(chosen);
    nodes[chosen].waits = 0;
    no_longer_waits(chosen);
    return true;
}

// Depth first. Streams of a circle that is broken are not looked at again until the next call.
bool CausalSorter::State::break_deadlocks() {
    bool broken = false;
    const std::vector<std::vector<Wait>> waits = waits_of_frontiers();
    std::vector<Mark> marks(streams.size(), Mark::New);
    std::vector<std::size_t> tried(streams.size(), 0);
    std::vector<std::uint32_t> path;
    std::vector<Wait> taken;
    for (std::uint32_t start = 0; start < streams.size(); ++start) {
        if (marks[start] != Mark::New) continue;
        marks[start] = Mark::OnPath;
        path.assign(1, start);
        while (!path.empty()) {
            const std::uint32_t stream = path.back();
            if (tried[stream] == waits[stream].size()) {
                marks[stream] = Mark::Done;
                path.pop_back();
                continue;
            }
            const std::uint32_t next = waits[stream][tried[stream]++].stream;
            if (marks[next] == Mark::New) {
                marks[next] = Mark::OnPath;
                path.push_back(next);
            } else if (marks[next] == Mark::OnPath) {
                const auto first = std::find(path.begin(), path.end(), next);
                taken.clear();
                for (auto at = first; at != path.end(); ++at) taken.push_back(waits[*at][tried[*at] - 1]);
                if (!break_circle({first, path.end()}, taken)) continue;
                broken = true;
                for (const std::uint32_t one : path) marks[one] = Mark::Done;
                path.clear();
            }
        }
    }
    settle();
    return broken;
}

}  // namespace tmon_order
