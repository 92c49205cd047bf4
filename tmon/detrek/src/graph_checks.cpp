// The checks of EventGraphs against the specification when all records are in: contradictions between records.
#include <algorithm>

#include <tmon_detrek/event_graphs.hpp>

namespace tmon_detrek {

namespace {

constexpr std::size_t most_findings_kept = 1000;

// The node's first record that this came from there, or went there. It was seen when the graphs were made.
const Event* find_event(EventKind kind, const tmon_streams::Stream& stream, std::uint16_t peer, std::uint32_t task,
                        SubTaskId subtask) {
    for (const auto part : stream.in_passing()) {
        for (const Event& event : part) {
            if (event.kind == kind && event.peer == peer && event.task == task && event.subtask == subtask) return &event;
        }
    }
    return nullptr;
}

}  // namespace

const char* contradiction_name(Contradiction kind) {
    static constexpr std::array names = {"wrong-node",  "wrong-neighbour",    "unknown-task", "impossible-sub-task",
                                         "repeated",    "result-before-task", "never-sent",   "sent-twice",
                                         "not-its-own", "left-behind"};
    static_assert(names.size() == contradiction_kinds);
    return names[static_cast<std::size_t>(kind)];
}

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
        case Contradiction::SentTwice:
            return "a sub-task sent to a second child while the first has it";
        case Contradiction::NotItsOwn:
            return "a part of a sub-task that its sender never had";
        case Contradiction::LeftBehind:
            return "a part sent down whose whole went up without it";
    }
    return "";
}

std::string finding_text(const Finding& finding) {
    return "n" + std::to_string(finding.node) + ":" + std::to_string(finding.event.seq) + ": " +
           contradiction_text(finding.kind);
}

// Links are synchronous: nothing arrives that was not sent. But a node whose monitor has ended while messages still moved
// records no more sends. So at the end of a session that did not stand still, the last message over a link proves nothing. Nor
// does the first one from a node without any record: it waits for its monitor to begin.
// Cost: a few operations for each sub-task.
void EventGraphs::find_never_sent(const tmon_streams::Trace& trace) {
    for (std::uint32_t number = 0; number < edges_.size(); ++number) {
        const std::uint16_t worker = edges_[number].worker, parent = *tree_.parent(worker);
        const std::uint8_t down = trace.streams[parent].whole() ? sent : std::uint8_t{0};
        const std::uint8_t up = trace.streams[worker].whole() ? result_sent : std::uint8_t{0};
        if ((down | up) == 0) continue;
        for (std::size_t page = 0; page < pages_[number].size(); ++page) {
            if (!pages_[number][page]) continue;
            for (std::uint32_t i = 0; i < page_size; ++i) {
                const std::uint8_t have = pages_[number][page][i];
                const unsigned missing = (have >> 1U) & ~unsigned{have} & (down | up);
                const auto task = static_cast<std::uint32_t>(page << page_bits) + i;
                if ((missing & sent) != 0) report_arrival(trace, number, task, false);
                if ((missing & result_sent) != 0) report_arrival(trace, number, task, true);
            }
        }
    }
}

void EventGraphs::report_arrival(const tmon_streams::Trace& trace, std::uint32_t edge, std::uint32_t task, bool result) {
    const std::uint16_t worker = edges_[edge].worker, parent = *tree_.parent(worker);
    const std::uint16_t at = result ? parent : worker, from = result ? worker : parent;
    if (first_findings_.size() >= most_findings_kept) return count(Contradiction::NeverSent);
    const Event* const event = find_event(EventKind::Receive, trace.streams[at], from, task, edges_[edge].subtask);
    if (event == nullptr) return;
    if (waits_for_its_monitor(trace, from) && is_first_from(trace.streams[at], *event)) return;
    if (trace.session != tmon_streams::SessionEnd::StoodStill && !something_followed(trace.streams[at], *event)) return;
    report(Contradiction::NeverSent, at, *event);
}

// Every worker of a farm records a task before it can send anything.
bool EventGraphs::waits_for_its_monitor(const tmon_streams::Trace& trace, std::uint16_t sender) const {
    const tmon_streams::Stream& stream = trace.streams[sender];
    return trace.losses_known && stream.whole() && stream.size() == 0 && (sender == 0 || !spec_.is_farm());
}

// False when the records before it are lost: others may have come then.
bool EventGraphs::is_first_from(const tmon_streams::Stream& stream, const Event& arrival) const {
    if (!stream.losses.empty() && stream.losses.front().first_seq < arrival.seq) return false;
    for (const auto part : stream.in_passing()) {
        for (const Event& event : part) {
            if (event.seq >= arrival.seq) return true;
            if (event.kind == EventKind::Receive && event.peer == arrival.peer) return false;
        }
    }
    return true;
}

// True when the sender has a record of something that came over the same link later.
bool EventGraphs::something_followed(const tmon_streams::Stream& stream, const Event& arrival) const {
    const bool from_parent = tree_.parent(stream.node) == arrival.peer;
    for (auto part = stream.parts.rbegin(); part != stream.parts.rend(); ++part) {
        for (std::size_t i = part->size(); i-- > 0;) {
            const Event& event = (*part)[i];
            if (event.seq <= arrival.seq) return false;
            if (event.kind != EventKind::Receive || event.peer != arrival.peer) continue;
            const auto& known = of_worker_[from_parent ? stream.node : arrival.peer];
            const auto edge =
                std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.first == event.subtask; });
            const std::uint8_t sends = from_parent ? sent | gave_back | took_back : result_sent | gave_back | took_back;
            if (edge != known.end() && event.task < spec_.tasks && (bits(edge->second, event.task) & sends) != 0) return true;
        }
    }
    return false;
}

// A sub-task that a node sent down is its own, goes to one child, and is back before the whole goes up. All of this is on
// record at that one node, so a gap there rules out any finding. Cost: a few operations for each sub-task.
void EventGraphs::find_disorder(const tmon_streams::Trace& trace) {
    const auto tells_all = [&](std::uint16_t node) { return trace.streams[node].losses.empty(); };
    check_choice(trace, roots_, tells_all(0));
    for (std::uint32_t number = 0; number < edges_.size(); ++number) {
        const bool whole = tells_all(edges_[number].worker);
        for (const Choice& choice : edges_[number].branches) {
            check_choice(trace, choice, whole);
            for (const std::uint32_t below : choice) {
                if (whole) check_against_above(trace, below, number);
            }
        }
    }
}

void EventGraphs::check_against_above(const tmon_streams::Trace& trace, std::uint32_t edge, std::uint32_t above) {
    static constexpr std::array<std::uint8_t, page_size> none{};
    for (std::size_t number = 0; number < pages_[edge].size(); ++number) {
        const std::uint8_t* const below = page(edge, number);
        if (below == nullptr) continue;
        const std::uint8_t* const whole = page(above, number) != nullptr ? page(above, number) : none.data();
        const unsigned left_behind = spec_.survives ? 0 : result_sent;
        const auto wrong = [&](std::uint32_t i) {  // both for what was sent: not its own, and not back though the whole went up
            const unsigned out = below[i] & sent & ~(unsigned{below[i]} >> 3U);
            return (below[i] & sent & ~(unsigned{whole[i]} >> 1U)) | (out << 2U & whole[i] & left_behind);
        };
        unsigned any = 0;
        for (std::uint32_t i = 0; i < page_size; ++i) any |= wrong(i);
        for (std::uint32_t i = 0; any != 0 && i < page_size; ++i) {
            const auto task = static_cast<std::uint32_t>(number << page_bits) + i;
            if ((wrong(i) & sent) != 0) report_send(Contradiction::NotItsOwn, trace, edge, task);
            if ((wrong(i) & result_sent) != 0) report_send(Contradiction::LeftBehind, trace, edge, task);
        }
    }
}

void EventGraphs::check_choice(const tmon_streams::Trace& trace, const Choice& choice, bool whole) {
    if (choice.size() < 2) return;
    for (std::size_t number = 0; number << page_bits < tasks_seen_; ++number) {
        std::array<std::uint8_t, page_size> seen{};
        for (const std::uint32_t edge : choice) {
            const std::uint8_t* const bits = page(edge, number);
            if (bits == nullptr) continue;
            unsigned any = 0;
            for (std::uint32_t i = 0; i < page_size; ++i) any |= seen[i] & bits[i] & sent;
            for (std::uint32_t i = 0; any != 0 && i < page_size; ++i) {
                const auto task = static_cast<std::uint32_t>(number << page_bits) + i;
                if ((seen[i] & bits[i] & sent) == 0) continue;
                ++sent_again_;
                if (whole && !spec_.survives) report_send(Contradiction::SentTwice, trace, edge, task);
            }
            for (std::uint32_t i = 0; i < page_size; ++i) seen[i] = static_cast<std::uint8_t>(seen[i] | bits[i]);
        }
    }
}

void EventGraphs::report_send(Contradiction kind, const tmon_streams::Trace& trace, std::uint32_t edge, std::uint32_t task) {
    const Edge& at = edges_[edge];
    const std::uint16_t sender = *tree_.parent(at.worker);
    if (first_findings_.size() >= most_findings_kept) return count(kind);
    const Event* const event = find_event(EventKind::Send, trace.streams[sender], at.worker, task, at.subtask);
    if (event != nullptr) report(kind, sender, *event);
}

void EventGraphs::report(Contradiction kind, std::uint16_t node, const Event& event) {
    count(kind);
    if (first_findings_.size() < most_findings_kept) first_findings_.push_back({kind, node, event});
}

}  // namespace tmon_detrek
