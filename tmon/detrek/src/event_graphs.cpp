#include <tmon_detrek/event_graphs.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include <vocabulary/contract.hpp>

namespace tmon_detrek {

namespace {

enum class Neighbour : std::uint8_t { None, Parent, Child };

}  // namespace

// One node's stream. The last edge used towards each neighbour is remembered. In most farms a neighbour means one edge, and a
// page of it serves a thousand tasks.
class EventGraphs::Scan {
public:
    Scan(EventGraphs& graphs, const tmon_streams::Stream& stream, bool losses_known)
        : graphs_(graphs),
          stream_(stream),
          no_gaps_(losses_known && stream.losses.empty()),
          steals_(graphs.spec_.policy == farm_spec::Policy::WorkStealing),
          goes_up_(graphs.rules_.goes_up),
          goes_down_(graphs.rules_.goes_down),
          up_answers_down_(graphs.rules_.up_answers_down),
          places_(graphs.spec_.nodes) {
        const auto parent = graphs.tree_.parent(stream.node);
        if (parent) places_[*parent] = {Neighbour::Parent, stream.node};
        if (stream.node == 0 || graphs.tree_.may_pass_down(stream.node)) {
            for (const std::uint16_t child : graphs.tree_.children(stream.node)) places_[child] = {Neighbour::Child, child};
        }
    }

    void run() {
        for (const auto part : stream_.in_passing()) {
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
        if (event.node != stream_.node) return graphs_.report(Contradiction::WrongNode, stream_.node, event);
        if (event.task >= graphs_.spec_.tasks || (graphs_.spec_.granularity > 1 && event.task % graphs_.spec_.granularity != 0))
            return graphs_.report(Contradiction::UnknownTask, stream_.node, event);
        const bool send = event.kind == EventKind::Send;
        Place* const place = event.peer < places_.size() ? &places_[event.peer] : nullptr;
        const bool up = place != nullptr && (place->neighbour == Neighbour::Parent) == send;
        const bool given_back = up && steals_ && event.is_result == 0;
        const bool fits = place != nullptr && place->neighbour != Neighbour::None && (up ? goes_up_ : goes_down_) &&
                          (send || event.kind == EventKind::Receive) && ((event.is_result != 0) == up || given_back);
        if (!fits) return graphs_.report(Contradiction::WrongNeighbour, stream_.node, event);
        if (!place->edge || place->subtask != event.subtask) {
            const auto edge = graphs_.edge_of(place->worker, event.subtask);
            if (!edge) return graphs_.report(Contradiction::ImpossibleSubTask, stream_.node, event);
            place->edge = edge;
            place->subtask = event.subtask;
            place->page = nullptr;
        }
        std::uint8_t& bits = bits_of(event, *place);
        if (given_back) return undo(event, bits, send ? received : sent, send ? gave_back : took_back);
        mark(event, bits,
             place->neighbour == Neighbour::Parent ? (send ? result_sent : received) : (send ? sent : result_received));
    }

    std::uint8_t& bits_of(const Event& event, Place& place) {
        const std::uint32_t page_number = event.task >> page_bits;
        if (place.page == nullptr || place.page_number != page_number) {
            place.page = &graphs_.slot(*place.edge, page_number << page_bits);
            place.page_number = page_number;
        }
        return place.page[event.task & page_mask];
    }

    void mark(const Event& event, std::uint8_t& bits, std::uint8_t bit) {
        if ((bits & bit) != 0) return graphs_.report(Contradiction::Repeated, stream_.node, event);
        const std::uint8_t before = bit == result_sent ? received : bit == result_received ? sent : std::uint8_t{0};
        if (before != 0 && (bits & before) == 0 && no_gaps_ && up_answers_down_) {
            return graphs_.report(Contradiction::ResultBeforeTask, stream_.node, event);
        }
        bits = static_cast<std::uint8_t>(bits | bit);
        tasks_seen_ = std::max(tasks_seen_, event.task + 1);
    }

    // A task goes back up: its way down is undone on this side.
    void undo(const Event& event, std::uint8_t& bits, std::uint8_t came_by, std::uint8_t parity) {
        const std::uint8_t result = came_by == received ? result_sent : result_received;
        if ((bits & result) != 0) return graphs_.report(Contradiction::Repeated, stream_.node, event);
        if ((bits & came_by) == 0 && no_gaps_) {
            return graphs_.report(Contradiction::ResultBeforeTask, stream_.node, event);
        }
        bits = static_cast<std::uint8_t>(((bits & ~came_by) ^ parity) | moved_back);
        tasks_seen_ = std::max(tasks_seen_, event.task + 1);
    }

    EventGraphs& graphs_;
    const tmon_streams::Stream& stream_;
    bool no_gaps_;
    bool steals_, goes_up_, goes_down_, up_answers_down_;
    std::vector<Place> places_;
    std::uint32_t tasks_seen_ = 0;
};

// Histories make many graphs of one specification.
static const tmon_models::FarmRules& built_in_rules(const farm_spec::FarmSpec& spec) {
    static std::mutex mutex;
    static std::map<std::string, tmon_models::FarmRules> all;
    const std::lock_guard lock(mutex);
    const tmon_models::FaultModel& model = tmon_models::model_of(spec);
    const auto known = all.find(model.name);
    return known != all.end() ? known->second : all.emplace(model.name, tmon_models::farm_rules(model)).first->second;
}

EventGraphs::EventGraphs(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const FoldedTasks& folded)
    : EventGraphs(trace, spec, folded, built_in_rules(spec)) {}

EventGraphs::EventGraphs(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const FoldedTasks& folded,
                         tmon_models::FarmRules rules)
    : spec_(spec), rules_(std::move(rules)), tree_(spec), folded_(folded), silent_(spec.nodes), of_worker_(spec.nodes) {
    EXPECTS(trace.streams.size() == spec.nodes, "event_graphs.streams");
    for (const std::uint16_t child : tree_.children(0)) edge_of(child, 0);
    for (const FoldedTasks::Use& use : folded.uses) edge_of(use.worker, use.subtask);
    tasks_seen_ = folded.seen();
    for (const tmon_streams::Stream& stream : trace.streams)
        silent_[stream.node] = stream.state == tmon_streams::StreamState::Open;
    for (const tmon_streams::Stream& stream : trace.streams) {
        Scan(*this, stream, trace.losses_known).run();
        events_ += stream.size();
    }
    if (trace.losses_known) {
        find_never_sent(trace);
        if (rules_.to_one_child) find_disorder(trace);
    }
}

// The edge of this worker and sub-task, with all edges above it; empty when the specification has no such sub-task there.
std::optional<std::uint32_t> EventGraphs::edge_of(std::uint16_t worker, SubTaskId subtask) {
    auto& known = of_worker_[worker];
    const auto place =
        std::lower_bound(known.begin(), known.end(), subtask, [](const auto& pair, SubTaskId id) { return pair.first < id; });
    if (place != known.end() && place->first == subtask) return place->second;
    if (!spec_.possible_at(subtask, tree_.level(worker))) return std::nullopt;
    Edge edge;
    edge.worker = worker;
    edge.subtask = subtask;
    const std::uint16_t parent = *tree_.parent(worker);
    if (parent != 0) {
        const unsigned shift = 4 * (tree_.level(parent) + 1);
        if (spec_.divides()) edge.branch = (subtask >> shift) & 0xF;
        edge.above = edge_of(parent, !spec_.divides() ? subtask : subtask & ~(SubTaskId{0xF} << shift));
    }
    const auto number = static_cast<std::uint32_t>(edges_.size());
    if (edge.above) {
        auto& branches = edges_[*edge.above].branches;
        if (branches.size() <= edge.branch) branches.resize(edge.branch + 1u);
        branches[edge.branch].push_back(number);
    } else {
        roots_.push_back(number);
    }
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

// One page of an edge, or nothing.
const std::uint8_t* EventGraphs::page(std::uint32_t edge, std::size_t number) const {
    return number < pages_[edge].size() ? pages_[edge][number].get() : nullptr;
}

std::uint64_t EventGraphs::findings() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts_) sum += count;
    return sum;
}

bool EventGraphs::has_events(std::uint32_t task) const {
    if (folded_.has(task)) return true;
    for (std::uint32_t edge = 0; edge < edges_.size(); ++edge) {
        if (bits(edge, task) != 0) return true;
    }
    return false;
}

std::uint32_t EventGraphs::tasks_with_events() const {
    std::uint32_t count = folded_.count();
    for (std::uint32_t task = first_task(); task < tasks_seen_; task = next(task))
        count += !folded_.has(task) && has_events(task) ? 1 : 0;
    return count;
}

EventGraphs::Standing EventGraphs::standing(const Choice& choice, std::uint32_t task) const {
    Standing result;
    for (const std::uint32_t edge : choice) {
        const std::uint8_t have = bits(edge, task);
        result.back = result.back || (have & result_received) != 0;
        const bool open = is_open(edge, task);
        result.open = result.open || open;
        result.returned = result.returned || (!open && (have & (sent | moved_back)) != 0);
    }
    result.open = result.open && !result.back;
    result.returned = result.returned && !result.back && !result.open;
    return result;
}

// In a farm that survives, what a silent node had is its parent's again. The parent has sent it to another child or does it
// itself.
bool EventGraphs::is_open(std::uint32_t edge, std::uint32_t task) const {
    if ((bits(edge, task) & sent) == 0) return false;
    const std::uint16_t worker = edges_[edge].worker;
    return !spec_.survives || !silent_[worker] || silent_[*tree_.parent(worker)];
}

bool EventGraphs::manager_is_alone() const {
    const auto children = tree_.children(0);
    return spec_.survives && !silent_[0] &&
           std::all_of(children.begin(), children.end(), [this](std::uint16_t child) { return silent_[child]; });
}

bool EventGraphs::has_outstanding(std::uint16_t worker) const {
    for (const auto& [subtask, edge] : of_worker_[worker]) {
        for (std::uint32_t task = first_task(); task < tasks_seen_; task = next(task)) {
            if ((bits(edge, task) & (sent | result_received)) == sent) return true;
        }
    }
    return false;
}

bool EventGraphs::has_returned(std::uint16_t worker) const {
    if (worker < folded_.returned.size() && folded_.returned[worker]) return true;
    for (const auto& [subtask, edge] : of_worker_[worker]) {
        for (std::uint32_t task = first_task(); task < tasks_seen_; task = next(task)) {
            if ((bits(edge, task) & result_received) != 0) return true;
        }
    }
    return false;
}

EventGraphs::Unmatched EventGraphs::unmatched() const {
    Unmatched result;
    std::array<std::uint64_t, 16> histogram{};
    for (const auto& pages : pages_) {
        for (const auto& page : pages) {
            if (!page) continue;
            for (std::uint32_t i = 0; i < page_size; ++i) ++histogram[page[i] & 0xFU];
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

}  // namespace tmon_detrek
