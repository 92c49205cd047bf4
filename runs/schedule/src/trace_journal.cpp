#include <schedule/trace_journal.hpp>

#include <algorithm>
#include <deque>
#include <utility>

#include <instrumentation/record_watch.hpp>
#include <trollius_hosted/multicomputer.hpp>

namespace schedule {
namespace {

using vocabulary::NodeId;
using vocabulary::SimTime;
using What = JournalEntry::What;

TraceWays ways_to_host(const topologies::Network& network) {
    TraceWays ways(network.node_count());
    for (std::size_t i = 0; i < ways.size(); ++i) {
        NodeId at(static_cast<NodeId::value_type>(i));
        while (at != network.host()) {
            const auto link = network.routes(at)[network.host().value()];
            if (!link) {
                ways[i].clear();
                break;
            }
            ways[i].push_back(at.value());
            at = network.neighbour(at, *link)->node;
        }
    }
    return ways;
}

bool passes(const TraceWays& ways, std::uint16_t owner, std::uint16_t node) {
    return owner < ways.size() && std::find(ways[owner].begin(), ways[owner].end(), node) != ways[owner].end();
}

}  // namespace

void TraceJournal::watch(trollius_hosted::Multicomputer& machine) {
    machine_ = &machine;
    const topologies::Network& network = machine.network();
    ways_ = ways_to_host(network);
    for (std::size_t i = 0; i <= machine.node_count(); ++i) {
        machine.kernel(NodeId(static_cast<NodeId::value_type>(i))).add_witness(*this);
    }
}

void TraceJournal::on_packet(const trollius_os::PacketArrived& packet) {
    const auto records = instrumentation::records_in(packet.packet);
    const auto& from = machine_->network().neighbour(packet.node, packet.link);
    if (!records || !from) return;
    entries_.push_back({packet.time.in_ps(), records->count, records->node.value(), from->node.value(), What::Passed, 0, 0});
}

void TraceJournal::made(NodeId node, trace_record::EventClass which, SimTime when, bool lost) {
    entries_.push_back(
        {when.in_ps(), 1, node.value(), node.value(), lost ? What::Lost : What::Made, static_cast<std::uint8_t>(which), 0});
}

// Records that have passed are noted when the process that reads the link runs. Other nodes may have made records by then.
std::vector<JournalEntry> TraceJournal::take_entries() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const JournalEntry& a, const JournalEntry& b) { return a.ps < b.ps; });
    return std::exchange(entries_, {});
}

std::uint64_t missing_after_crash(std::span<const JournalEntry> journal, const TraceWays& ways, std::uint16_t node,
                                  SimTime when) {
    std::uint64_t made = 0, passed = 0;
    for (const JournalEntry& entry : journal) {
        if (entry.ps >= when.in_ps()) break;
        if (!passes(ways, entry.owner, node)) continue;  // a reconfiguration may lead it over nodes that it was not to pass
        if (entry.what != What::Passed) made += entry.count;
        if (entry.what == What::Passed && entry.node == node) passed += entry.count;
    }
    return made - std::min(made, passed);
}

namespace {

// Walks through a journal and keeps what each node has within its reach.
class Walk {
public:
    Walk(std::span<const JournalEntry> journal, const TraceWays& ways) : ways_(ways), now_(ways.size()), seen_(ways.size()) {
        result_.nodes.resize(ways.size());
        area_.resize(ways.size());
        since_.resize(ways.size());
        steps_.resize(ways.size());
        waiting_.resize(ways.size());
        for (const JournalEntry& entry : journal)
            if (entry.what != What::Passed) {
                if (first_ < 0) first_ = entry.ps;
                last_ = entry.ps;
            }
        for (const JournalEntry& entry : journal) take(entry);
    }

    TraceExposure result(std::span<const FunctionCall> calls) {
        const double span = static_cast<double>(std::max<std::int64_t>(1, last_ - first_));
        std::vector<NodeExposure> nodes;
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            if (!seen_[i]) continue;
            change(static_cast<std::uint16_t>(i), last_, 0);
            result_.nodes[i].node = static_cast<std::uint16_t>(i);
            result_.nodes[i].mean = area_[i] / span;
            result_.mean += result_.nodes[i].mean;
            nodes.push_back(result_.nodes[i]);
        }
        if (!nodes.empty()) result_.mean /= static_cast<double>(nodes.size());
        result_.nodes = std::move(nodes);
        for (const FunctionCall& call : calls) look(call);
        if (result_.lost > 0) result_.shortest_stay.reset(), result_.longest_stay.reset();
        return std::move(result_);
    }

private:
    void take(const JournalEntry& entry) {
        if (entry.owner >= ways_.size() || ways_[entry.owner].empty()) return;
        if (entry.what == What::Passed) {
            if (!passes(ways_, entry.owner, entry.node)) return;
            change(entry.node, entry.ps, -static_cast<std::int64_t>(entry.count));
            if (entry.node == ways_[entry.owner].back()) result_.kept += entry.count;
            if (entry.node == entry.owner) leave(entry);
            return;
        }
        ++result_.made;
        if (entry.what == What::Lost) {  // one comes, one goes
            ++result_.lost;
            return;
        }
        waiting_[entry.owner].push_back(entry.ps);
        for (const std::uint16_t node : ways_[entry.owner]) change(node, entry.ps, 1);
    }

    void change(std::uint16_t node, std::int64_t ps, std::int64_t by) {
        seen_[node] = true;
        const std::int64_t until = std::min(ps, last_);
        if (until > since_[node]) area_[node] += static_cast<double>(now_[node]) * static_cast<double>(until - since_[node]);
        since_[node] = std::max(since_[node], until);
        now_[node] += by;
        NodeExposure& exposure = result_.nodes[node];
        if (now_[node] > static_cast<std::int64_t>(exposure.worst)) {
            exposure.worst = static_cast<std::uint64_t>(now_[node]);
            exposure.worst_at = SimTime::ps(ps);
        }
        steps_[node].emplace_back(ps, now_[node]);
    }

    // A node's records leave in the order in which they were made.
    void leave(const JournalEntry& entry) {
        std::deque<std::int64_t>& queue = waiting_[entry.owner];
        for (std::uint32_t i = 0; i < entry.count && !queue.empty(); ++i) {
            const SimTime stay = SimTime::ps(entry.ps - queue.front());
            queue.pop_front();
            if (!result_.shortest_stay || stay < *result_.shortest_stay) {
                result_.shortest_stay = stay;
                result_.shortest_on = entry.owner;
            }
            if (!result_.longest_stay || stay > *result_.longest_stay) result_.longest_stay = stay;
        }
    }

    std::uint64_t at(std::uint16_t node, std::int64_t ps) const {
        const auto& steps = steps_[node];
        const auto after =
            std::upper_bound(steps.begin(), steps.end(), ps, [](std::int64_t t, const auto& s) { return t < s.first; });
        return after == steps.begin() ? 0 : static_cast<std::uint64_t>(std::max<std::int64_t>(0, std::prev(after)->second));
    }

    void look(const FunctionCall& call) {
        if (call.node >= steps_.size()) return;
        const std::uint64_t begin = at(call.node, call.begin_ps), end = at(call.node, call.end_ps);
        CallExposure& calls = result_.calls;
        ++calls.calls;
        calls.safe_at_begin += begin == 0 ? 1 : 0;
        calls.safe_at_end += end == 0 ? 1 : 0;
        calls.worst_at_begin = std::max(calls.worst_at_begin, begin);
        calls.worst_at_end = std::max(calls.worst_at_end, end);
    }

    const TraceWays& ways_;
    std::vector<std::int64_t> now_;
    std::vector<bool> seen_;
    std::vector<double> area_;
    std::vector<std::int64_t> since_;
    std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> steps_;
    std::vector<std::deque<std::int64_t>> waiting_;
    std::int64_t first_ = -1, last_ = 0;
    TraceExposure result_;
};

}  // namespace

TraceExposure exposure_of(std::span<const JournalEntry> journal, const TraceWays& ways, std::span<const FunctionCall> calls) {
    return Walk(journal, ways).result(calls);
}

const NodeExposure* TraceExposure::worst() const {
    const auto most = std::max_element(nodes.begin(), nodes.end(),
                                       [](const NodeExposure& a, const NodeExposure& b) { return a.worst < b.worst; });
    return most == nodes.end() ? nullptr : &*most;
}

}  // namespace schedule
