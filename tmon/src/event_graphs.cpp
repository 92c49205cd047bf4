#include "tmon/event_graphs.hpp"

#include <algorithm>

#include "vocabulary/contract.hpp"

namespace tmon {

namespace {

constexpr std::size_t most_findings_kept = 1000;
enum class Neighbour : std::uint8_t { None, Parent, Child };

}  // namespace

const char* contradiction_text(Contradiction kind) {
    switch (kind) {
        case Contradiction::WrongNode:
            return "a record of another node";
        case Contradiction::WrongNeighbour:
            return "a message between nodes that are not parent and child, or in the wrong direction";
        case Contradiction::UnknownTask:
            return "a task number that the specification does not have";
        case Contradiction::ImpossibleSubTask:
            return "a sub-task that cannot be on this node";
        case Contradiction::Repeated:
            return "the same event of the same sub-task a second time";
        case Contradiction::ResultBeforeTask:
            return "a result before its task";
        case Contradiction::NeverSent:
            return "an arrival of what its sender never sent";
    }
    return "";
}

std::string finding_text(const Finding& finding) {
    return "n" + std::to_string(finding.node) + ":" + std::to_string(finding.seq) + ": " + contradiction_text(finding.kind);
}

// One node's stream. The last edge used towards each neighbour is remembered: in most farms a neighbour means one edge, and a
// page of it serves a thousand tasks.
class EventGraphs::Scan {
public:
    Scan(EventGraphs& graphs, const Stream& stream, bool losses_known)
        : graphs_(graphs), stream_(stream), no_gaps_(losses_known && stream.losses.empty()), places_(graphs.spec_.processors) {
        const auto parent = graphs.spec_.parent(stream.node);
        if (parent) places_[*parent] = {Neighbour::Parent, stream.node};
        if (stream.node == 0 || graphs.spec_.may_pass_down(stream.node)) {
            for (const std::uint16_t child : graphs.spec_.children(stream.node)) places_[child] = {Neighbour::Child, child};
        }
    }

    void run() {
        for (const auto part : stream_.parts) {
            for (const Event& event : part) take(event);
        }
        graphs_.tasks_seen_ = std::max(graphs_.tasks_seen_, tasks_seen_);
    }

private:
    struct Place {
        Neighbour neighbour = Neighbour::None;
        std::uint16_t worker = 0;  // lower end of the edge
        SubTaskId subtask = 0;     // of the edge used last
        std::optional<std::uint32_t> edge{};
        std::uint32_t page_number = 0;
        std::uint8_t* page = nullptr;
    };

    void take(const Event& event) {
        if (event.node != stream_.node) return graphs_.report(Contradiction::WrongNode, stream_.node, event.seq);
        if (event.task >= graphs_.spec_.tasks) return graphs_.report(Contradiction::UnknownTask, stream_.node, event.seq);
        const bool send = event.kind == EventKind::Send;
        Place* const place = event.peer < places_.size() ? &places_[event.peer] : nullptr;
        const bool fits = place != nullptr && place->neighbour != Neighbour::None &&
                          (send || event.kind == EventKind::Receive) &&
                          (event.is_result != 0) == ((place->neighbour == Neighbour::Parent) == send);
        if (!fits) return graphs_.report(Contradiction::WrongNeighbour, stream_.node, event.seq);
        if (!place->edge || place->subtask != event.subtask) {
            const auto edge = graphs_.edge_of(place->worker, event.subtask);
            if (!edge) return graphs_.report(Contradiction::ImpossibleSubTask, stream_.node, event.seq);
            place->edge = edge;
            place->subtask = event.subtask;
            place->page = nullptr;
        }
        mark(event, *place,
             place->neighbour == Neighbour::Parent ? (send ? result_sent : received) : (send ? sent : result_received));
    }

    void mark(const Event& event, Place& place, std::uint8_t bit) {
        const std::uint32_t page_number = event.task >> page_bits;
        if (place.page == nullptr || place.page_number != page_number) {
            place.page = &graphs_.slot(*place.edge, page_number << page_bits);
            place.page_number = page_number;
        }
        std::uint8_t& bits = place.page[event.task & page_mask];
        if ((bits & bit) != 0) return graphs_.report(Contradiction::Repeated, stream_.node, event.seq);
        const std::uint8_t before = bit == result_sent ? received : bit == result_received ? sent : std::uint8_t{0};
        if (before != 0 && (bits & before) == 0 && no_gaps_) {
            return graphs_.report(Contradiction::ResultBeforeTask, stream_.node, event.seq);
        }
        bits = static_cast<std::uint8_t>(bits | bit);
        tasks_seen_ = std::max(tasks_seen_, event.task + 1);
    }

    EventGraphs& graphs_;
    const Stream& stream_;
    bool no_gaps_;
    std::vector<Place> places_;
    std::uint32_t tasks_seen_ = 0;
};

EventGraphs::EventGraphs(const Trace& trace, const FarmSpec& spec) : spec_(spec), of_worker_(spec.processors) {
    EXPECTS(trace.streams.size() == spec.processors, "event_graphs.streams");
    edge_of(1, 0);
    for (const Stream& stream : trace.streams) {
        Scan(*this, stream, trace.losses_known).run();
        events_ += stream.size();
    }
    if (trace.losses_known) find_never_sent(trace);
}

namespace {

// The record of a node that says that this came from there; it was seen when the graphs were made.
std::uint32_t seq_of_arrival(const Stream& stream, std::uint16_t from, std::uint32_t task, SubTaskId subtask) {
    for (const auto part : stream.parts) {
        for (const Event& event : part) {
            const bool it =
                event.kind == EventKind::Receive && event.peer == from && event.task == task && event.subtask == subtask;
            if (it) return event.seq;
        }
    }
    return 0;
}

}  // namespace

// Links are synchronous: nothing arrives that was not sent. Cost: a few operations for each sub-task.
void EventGraphs::find_never_sent(const Trace& trace) {
    for (std::uint32_t number = 0; number < edges_.size(); ++number) {
        const std::uint16_t worker = edges_[number].worker, parent = *spec_.parent(worker);
        const std::uint8_t down = trace.streams[parent].whole() ? sent : std::uint8_t{0};
        const std::uint8_t up = trace.streams[worker].whole() ? result_sent : std::uint8_t{0};
        if ((down | up) == 0) continue;
        for (std::size_t page = 0; page < pages_[number].size(); ++page) {
            if (!pages_[number][page]) continue;
            for (std::uint32_t i = 0; i < page_size; ++i) {
                const std::uint8_t have = pages_[number][page][i];
                const unsigned missing = (have >> 1U) & ~unsigned{have} & (down | up);
                if (missing == 0) continue;
                const auto task = static_cast<std::uint32_t>(page << page_bits) + i;
                const bool task_arrived = (missing & sent) != 0;
                const std::uint16_t at = task_arrived ? worker : parent, from = task_arrived ? parent : worker;
                const bool kept = first_findings_.size() < most_findings_kept;
                report(Contradiction::NeverSent, at,
                       kept ? seq_of_arrival(trace.streams[at], from, task, edges_[number].subtask) : 0);
            }
        }
    }
}

// The edge of this worker and sub-task, with all edges above it; nothing when the specification has no such sub-task there.
std::optional<std::uint32_t> EventGraphs::edge_of(std::uint16_t worker, SubTaskId subtask) {
    auto& known = of_worker_[worker];
    const auto place =
        std::lower_bound(known.begin(), known.end(), subtask, [](const auto& pair, SubTaskId id) { return pair.first < id; });
    if (place != known.end() && place->first == subtask) return place->second;
    if (!spec_.possible(subtask, worker)) return std::nullopt;
    Edge edge;
    edge.worker = worker;
    edge.subtask = subtask;
    if (worker > 1) {
        const std::uint16_t parent = *spec_.parent(worker);
        const unsigned shift = 4 * (spec_.level(parent) + 1);
        if (!spec_.is_processor_farm()) edge.branch = (subtask >> shift) & 0xF;
        edge.above = edge_of(parent, spec_.is_processor_farm() ? subtask : subtask & ~(SubTaskId{0xF} << shift));
    }
    const auto number = static_cast<std::uint32_t>(edges_.size());
    if (edge.above) edges_[*edge.above].below.push_back(number);
    edges_.push_back(std::move(edge));
    pages_.emplace_back();
    known.insert(std::lower_bound(known.begin(), known.end(), std::pair(subtask, 0u)), {subtask, number});
    return number;
}

std::uint8_t& EventGraphs::slot(std::uint32_t edge, std::uint32_t task) {
    auto& pages = pages_[edge];
    const std::size_t page = task >> page_bits;
    if (page >= pages.size()) pages.resize(page + 1);
    if (!pages[page]) pages[page] = std::make_unique<std::uint8_t[]>(page_size);
    return pages[page][task & page_mask];
}

void EventGraphs::report(Contradiction kind, std::uint16_t node, std::uint32_t seq) {
    ++counts_[static_cast<std::size_t>(kind)];
    if (first_findings_.size() < most_findings_kept) first_findings_.push_back({kind, node, seq});
}

std::uint64_t EventGraphs::findings() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts_) sum += count;
    return sum;
}

bool EventGraphs::has_events(std::uint32_t task) const {
    for (std::uint32_t edge = 0; edge < edges_.size(); ++edge) {
        if (bits(edge, task) != 0) return true;
    }
    return false;
}

std::uint32_t EventGraphs::tasks_with_events() const {
    std::uint32_t count = 0;
    for (std::uint32_t task = 0; task < tasks_seen_; ++task) count += has_events(task) ? 1 : 0;
    return count;
}

EventGraphs::Unmatched EventGraphs::unmatched() const {
    Unmatched result;
    std::array<std::uint64_t, 16> histogram{};
    for (const auto& pages : pages_) {
        for (const auto& page : pages) {
            if (!page) continue;
            for (std::uint32_t i = 0; i < page_size; ++i) ++histogram[page[i]];
        }
    }
    for (std::size_t bits = 0; bits < histogram.size(); ++bits) {
        const bool down_open = ((bits & sent) != 0) != ((bits & received) != 0);
        const bool up_open = ((bits & result_sent) != 0) != ((bits & result_received) != 0);
        result.sends +=
            histogram[bits] * ((down_open && (bits & sent) != 0 ? 1u : 0u) + (up_open && (bits & result_sent) != 0 ? 1u : 0u));
        result.receives += histogram[bits] * ((down_open && (bits & received) != 0 ? 1u : 0u) +
                                              (up_open && (bits & result_received) != 0 ? 1u : 0u));
    }
    return result;
}

}  // namespace tmon
