#include <tmon_stories/farm_acts.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace tmon_stories {

using farm_spec::Policy;
using tmon_streams::Stream;
using tmon_streams::StreamState;
using trace_record::Event;
using trace_record::EventKind;

FarmActs::FarmActs(const Stories& stories) : stories_(stories), visits_(stories.spec().nodes) {
    const Policy policy = stories.spec().policy;
    in_order_ = policy == Policy::FloodFilling || policy == Policy::RoundRobin;
    for (const Stream& stream : stories.trace().streams) {
        for (const auto part : stream.in_passing()) {
            for (const Event& event : part) take(event);
        }
    }
    note_doubts();
}

void FarmActs::take(const Event& event) {
    const auto& tree = stories_.analysis().graphs.tree();
    const std::size_t nodes = visits_.size();
    if (event.node >= nodes || event.peer >= nodes || !tree.has(event.node) || !tree.has(event.peer)) return;
    const bool at_worker = tree.parent(event.node) == event.peer;
    if (!at_worker && tree.parent(event.peer) != event.node) return;
    const bool sent = event.kind == EventKind::Send, result = event.is_result != 0;
    if (!result && at_worker == sent) {
        stolen_ = true;
        return;
    }
    Visit& visit = visits_[at_worker ? event.node : event.peer][{event.task, event.subtask}];
    Seq& number = result ? (sent ? visit.result_sent : visit.result_arrived) : (sent ? visit.sent : visit.arrived);
    if (!number) number = event.seq;
    (result ? visit.result_bytes : visit.bytes) = event.bytes;
    if (result && event.node == 0) results_.emplace_back(event.seq, event.task);
}

void FarmActs::note_doubts() {
    const auto& trace = stories_.trace();
    const auto& graphs = stories_.analysis().graphs;
    const auto doubt = [this](bool holds, std::string text) {
        if (holds) doubts_.push_back(std::move(text));
    };
    doubt(graphs.findings() + trace.suspect_records > 0, "records contradict the specification or each other");
    doubt(trace.dropped_messages > 0, "messages came damaged or were lost, so the links cannot be trusted");
    doubt(!trace.losses_known, "the trace does not say whether it is whole");
    doubt(trace.directions_guessed, "a .tvm does not say whether a stolen task or a result went up");
    doubt(stolen_, "tasks were taken back from nodes, and no record says whether a function had begun with them");
    doubt(graphs.sent_again() > 0, "tasks were issued again, so that a function may have had one of them twice");
}

Act FarmActs::message_of(const Act& act) const {
    return {act.task - act.task % stories_.spec().granularity, act.subtask};
}

const FarmActs::Visit* FarmActs::visit(std::uint16_t worker, const Act& message) const {
    if (worker >= visits_.size()) return nullptr;
    const auto found = visits_[worker].find(message);
    return found == visits_[worker].end() ? nullptr : &found->second;
}

SubTaskId FarmActs::branch_id(std::uint16_t worker, SubTaskId subtask, unsigned branch) const {
    if (!stories_.spec().divides()) return subtask;
    return farm_spec::FarmSpec::branch_id(subtask, stories_.analysis().graphs.tree().level(worker), branch);
}

bool FarmActs::below(std::uint16_t worker, const Act& message) const {
    const auto& tree = stories_.analysis().graphs.tree();
    if (!tree.may_pass_down(worker)) return false;
    const unsigned branches = stories_.spec().divides() ? stories_.spec().degree : 1;
    for (unsigned branch = 0; branch < branches; ++branch) {
        for (const std::uint16_t child : tree.children(worker))
            if (visit(child, {message.task, branch_id(worker, message.subtask, branch)}) != nullptr) return true;
    }
    return false;
}

bool FarmActs::arrived(std::uint16_t worker, const Act& act) const {
    return visit(worker, message_of(act)) != nullptr;
}
bool FarmActs::went_below(std::uint16_t worker, const Act& act) const {
    return below(worker, message_of(act));
}

std::uint16_t FarmActs::child_of(std::uint16_t worker, const Act& act, unsigned branch) const {
    const auto children = stories_.analysis().graphs.tree().children(worker);
    const Act part{message_of(act).task, branch_id(worker, act.subtask, branch)};
    for (const std::uint16_t child : children)
        if (visit(child, part) != nullptr) return child;
    return children[branch % children.size()];  // trek_kernel's rule
}

std::optional<std::uint32_t> FarmActs::bytes(std::uint16_t worker, const Act& act, bool result) const {
    const Visit* found = visit(worker, act);
    if (found == nullptr || stories_.spec().granularity > 1) return std::nullopt;
    return result ? found->result_bytes : found->bytes;
}

// A node that a part did not go beyond, when any record shows that it came there.
std::vector<std::uint16_t> FarmActs::places(ActKind kind, const Act& act) const {
    const Act message = message_of(act);
    const auto& tree = stories_.analysis().graphs.tree();
    std::vector<std::uint16_t> sure, possible;
    for (const std::uint16_t worker : tree.from_the_top()) {
        const Visit* found = worker == 0 ? nullptr : visit(worker, message);
        if (found == nullptr) continue;
        const bool went_on = below(worker, message), open = !found->result_sent && !found->result_arrived;
        if ((kind == ActKind::Compute) != went_on) sure.push_back(worker);
        if (kind == ActKind::Split && !went_on && open && tree.may_pass_down(worker)) possible.push_back(worker);
    }
    return sure.empty() ? possible : sure;
}

FarmActs::Seq FarmActs::all_back(std::uint16_t worker, const Act& message) const {
    Seq last;
    for (unsigned branch = 0; branch < stories_.spec().degree; ++branch) {
        Seq back;
        for (const std::uint16_t child : stories_.analysis().graphs.tree().children(worker)) {
            const Visit* part = visit(child, {message.task, branch_id(worker, message.subtask, branch)});
            if (part != nullptr && part->result_arrived) back = part->result_arrived;
        }
        if (!back) return std::nullopt;
        last = std::max(last, back);
    }
    return last;
}

std::vector<FarmActs::Known> FarmActs::candidates(ActKind kind, std::uint16_t worker) const {
    std::vector<Known> list;
    for (const auto& [message, visit] : visits_[worker]) {
        if ((kind == ActKind::Compute) == below(worker, message)) continue;
        const Seq back = kind == ActKind::Join ? all_back(worker, message) : std::nullopt;
        const bool joined = back || visit.result_sent || visit.result_arrived;
        if (kind != ActKind::Join || joined) list.push_back({message, visit, back});
    }
    return list;
}

// Parent and worker see the same order on their link, and only one of them needs to have its records. Parts of a join come over
// several links, whose order a node does not record, but the joined results leave over one.
std::vector<FarmActs::Column> FarmActs::columns(ActKind kind, std::uint16_t worker) const {
    const std::uint16_t parent = *stories_.analysis().graphs.tree().parent(worker);
    const Column sent{[](const Known& known) { return known.visit.sent; }, parent};
    const Column arrived{[](const Known& known) { return known.visit.arrived; }, worker};
    const Column result_sent{[](const Known& known) { return known.visit.result_sent; }, worker, true};
    const Column result_arrived{[](const Known& known) { return known.visit.result_arrived; }, parent, true};
    if (kind == ActKind::Join) return {result_sent, result_arrived};
    if (in_order_) return {sent, arrived};
    return kind == ActKind::Compute ? std::vector<Column>{result_sent, result_arrived} : std::vector<Column>{};
}

// Empty when these records do not say of each whether it came before.
std::optional<std::vector<FarmActs::Known>> FarmActs::before_by(const Column& column, const std::vector<Known>& others,
                                                                const Known& one) const {
    const Seq limit = column.key(one);
    const bool unrecorded = !one.visit.sent && !one.visit.arrived;
    std::vector<Known> before;
    for (const Known& other : others) {
        const Seq number = column.key(other);
        const bool known = limit ? number || is_whole_until(column.node, limit) : number && (column.at_the_end || unrecorded);
        if (!known) return std::nullopt;
        if (number && (!limit || *number < *limit)) before.push_back(other);
    }
    std::stable_sort(before.begin(), before.end(),
                     [&](const Known& a, const Known& b) { return *column.key(a) < *column.key(b); });
    return before;
}

// Where no column tells, those that were complete before it.
std::vector<FarmActs::Known> FarmActs::before_by_any(ActKind kind, std::uint16_t worker, const std::vector<Known>& others,
                                                     const Known& one, ActList& list) const {
    for (const Column& column : columns(kind, worker))
        if (auto before = before_by(column, others, one)) return std::move(*before);
    if (!others.empty()) list.doubts.push_back(fmt::format("records do not give the order in which n{} did its tasks", worker));
    const auto key = [kind](const Known& known) {
        const Seq arrival = known.visit.arrived ? known.visit.arrived : known.visit.sent;
        return kind == ActKind::Join ? known.all_back : arrival;
    };
    std::vector<Known> before;
    for (const Known& other : others)
        if (!key(one) || !key(other) || *key(other) < *key(one)) before.push_back(other);
    std::stable_sort(before.begin(), before.end(), [&](const Known& a, const Known& b) { return key(a) < key(b); });
    return before;
}

ActList FarmActs::before(ActKind kind, std::uint16_t worker, const Act& act) const {
    const Act message = message_of(act);
    const Visit* found = visit(worker, message);
    const Known one{message, found == nullptr ? Visit{} : *found,
                    kind == ActKind::Join ? all_back(worker, message) : std::nullopt};
    std::vector<Known> others = candidates(kind, worker);
    std::erase_if(others, [&message](const Known& known) { return known.act == message; });
    ActList result;
    const std::vector<Known> list = before_by_any(kind, worker, others, one, result);
    const std::uint32_t granularity = stories_.spec().granularity;
    const auto add = [&result](const Act& first, std::uint32_t end) {
        for (std::uint32_t task = first.task; task < end; ++task) result.acts.push_back({task, first.subtask});
    };
    for (const Known& known : list) add(known.act, std::min(known.act.task + granularity, stories_.spec().tasks));
    add(message, act.task);
    doubt_arrivals(worker, message, result);
    doubt_kinds(kind, worker, message, list, result);
    return result;
}

bool FarmActs::is_whole_until(std::uint16_t node, Seq record) const {
    const Stream& stream = stories_.trace().streams[node];
    if (!record) return stream.whole();
    return std::none_of(stream.losses.begin(), stream.losses.end(),
                        [record](const auto& loss) { return loss.first_seq < *record; });
}

// Up to the one that shows the arrival no record is missing, so those of earlier arrivals are there.
void FarmActs::doubt_arrivals(std::uint16_t worker, const Act& message, ActList& list) const {
    const std::uint16_t parent = *stories_.analysis().graphs.tree().parent(worker);
    const Visit* found = visit(worker, message);
    const Visit known = found == nullptr ? Visit{} : *found;
    if (is_whole_until(parent, known.sent) || is_whole_until(worker, known.arrived)) return;
    list.doubts.push_back(
        fmt::format("records of n{} and n{} are missing, so n{} may have had other tasks before", parent, worker, worker));
}

// True when all records are there that a part which went further would have left.
bool FarmActs::below_is_known(std::uint16_t worker, const Visit& visit) const {
    const auto& tree = stories_.analysis().graphs.tree();
    const auto& streams = stories_.trace().streams;
    if (!tree.may_pass_down(worker) || streams[worker].whole()) return true;
    if (visit.result_sent && is_whole_until(worker, visit.result_sent)) return true;
    const auto children = tree.children(worker);
    return std::all_of(children.begin(), children.end(), [&](std::uint16_t child) { return streams[child].whole(); });
}

// True when a join could have left no record: its parts may all be back, and the worker's records are missing.
bool FarmActs::may_be_joined(std::uint16_t worker, const Act& message) const {
    const auto& streams = stories_.trace().streams;
    if (streams[worker].whole() || !below(worker, message)) return false;
    for (unsigned branch = 0; branch < stories_.spec().degree; ++branch) {
        const std::uint16_t child = child_of(worker, message, branch);
        const Visit* part = visit(child, {message.task, branch_id(worker, message.subtask, branch)});
        const bool back = part != nullptr && (part->result_sent || part->result_arrived);
        if (!back && streams[child].whole()) return false;
    }
    return true;
}

void FarmActs::doubt_kinds(ActKind kind, std::uint16_t worker, const Act& message, const std::vector<Known>& before,
                           ActList& list) const {
    const auto& tree = stories_.analysis().graphs.tree();
    const auto doubt = [&](const Known& known, const char* text) {
        list.doubts.push_back(fmt::format("task {} was on n{} before, and no record says {}", known.act.task, worker, text));
    };
    if (!in_order_ && kind == ActKind::Split)
        list.doubts.push_back(fmt::format("policy {} lets a node do its tasks in another order than that of their arrival",
                                          farm_spec::policy_name(stories_.spec().policy)));
    if (kind == ActKind::Join) {
        for (const auto& [other, visit] : visits_[worker]) {
            const bool ended = visit.result_sent || visit.result_arrived;
            if (other != message && !ended && may_be_joined(worker, other))
                return doubt({other, visit, {}}, "whether it was joined first");
        }
    }
    std::vector<Known> held;
    if (kind != ActKind::Compute) held = candidates(ActKind::Compute, worker);
    for (const Known& known : kind == ActKind::Compute ? before : held) {
        if (!below_is_known(worker, known.visit)) return doubt(known, "whether it went further");
        const bool open = !known.visit.result_sent && !known.visit.result_arrived;
        if (open && kind == ActKind::Compute && stories_.spec().divides() && tree.may_pass_down(worker))
            return doubt(known, "whether it was computed or split there");
    }
}

ActList FarmActs::results() const {
    ActList list;
    auto in_order = results_;
    std::sort(in_order.begin(), in_order.end());
    const std::uint32_t granularity = stories_.spec().granularity;
    for (const auto& [seq, first] : in_order) {
        const std::uint32_t end = std::min(first + granularity, stories_.spec().tasks);
        for (std::uint32_t task = first; task < end; ++task) list.acts.push_back({task, 0});
    }
    if (!in_order.empty() && !is_whole_until(0, in_order.back().first))
        list.doubts.emplace_back("records of n0 are missing, so other results may have come in between");
    if (stories_.analysis().graphs.tree().children(0).size() > 1 && list.acts.size() > 1)
        list.doubts.emplace_back("n0 has several children, and no record says in which order it handed on what came from them");
    return list;
}

}  // namespace tmon_stories
