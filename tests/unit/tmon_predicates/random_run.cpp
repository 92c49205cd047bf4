#include "random_run.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include <fmt/format.h>

namespace testing_support {
namespace {

using trace_record::Event;
using trace_record::EventKind;
using Numbers = std::vector<std::uint32_t>;

std::uint32_t below(std::mt19937& random, std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
}

class Maker {
public:
    explicit Maker(const RunChoice& choice) : choice_(choice), random_(choice.seed) {}

    RandomRun make() {
        const std::uint32_t nodes = 2 + below(random_, choice_.most_nodes - 1);
        run_.nodes.resize(nodes);
        messages_.assign(nodes, 0);
        const std::uint32_t records = 2 + below(random_, choice_.most_records - 1);
        for (std::uint16_t group = 0; choice_.groups && group < 2; ++group)
            make_group(static_cast<std::uint16_t>(0x8000 + group));
        while (run_.size() < records) {
            const auto node = static_cast<std::uint16_t>(below(random_, nodes));
            const std::uint32_t act = below(random_, 10);
            if (!groups_.empty() && below(random_, 2) == 0) {
                take_part(groups_[below(random_, 2)], node);
            } else if (act < 2) {
                add(node, {.task = below(random_, 3), .kind = EventKind::User});
            } else if (act < 4) {
                send_task(node);
            } else if (act < 6) {
                send_message(node);
            } else {
                receive(node);
            }
        }
        return std::move(run_);
    }

private:
    using Place = std::pair<std::uint16_t, std::uint32_t>;
    struct Message {
        Place send;
        Event event;
    };

    struct Group {
        std::uint16_t number = 0;
        std::vector<std::uint16_t> members{};
        std::map<std::uint16_t, std::uint32_t> begun{}, ended{};  // rounds
        std::map<std::uint32_t, Numbers> past{};                  // of a round, that of all its beginnings
    };
    void make_group(std::uint16_t number) {
        Group group{number};
        for (std::uint16_t node = 0; node < run_.nodes.size(); ++node) {
            if (group.members.size() < 2 || below(random_, 2) == 0) group.members.push_back(node);
        }
        std::shuffle(group.members.begin(), group.members.end(), random_);
        groups_.push_back(group);
    }
    Event of_group(const Group& group, EventKind kind, std::uint32_t round) const {
        return {.task = 8, .bytes = round, .peer = group.number, .kind = kind};
    }
    // Begins, or ends when all have begun. The members are recorded first.
    void take_part(Group& group, std::uint16_t node) {
        if (std::find(group.members.begin(), group.members.end(), node) == group.members.end()) return;
        std::uint32_t& begun = group.begun[node];
        std::uint32_t& ended = group.ended[node];
        if (begun == ended) {
            for (std::uint32_t rank = 0; begun == 0 && rank < group.members.size(); ++rank)
                add(node, {.task = group.number,
                           .subtask = rank,
                           .bytes = static_cast<std::uint32_t>(group.members.size()),
                           .peer = group.members[rank],
                           .kind = EventKind::Member});
            const Place place = add(node, of_group(group, EventKind::CollectiveBegin, ++begun));
            join(group.past[begun], run_.nodes[node][place.second].past);
            return;
        }
        for (const std::uint16_t member : group.members) {
            if (group.begun[member] < begun) return;
        }
        const Place place = add(node, of_group(group, EventKind::CollectiveEnd, ++ended));
        join(run_.nodes[node][place.second].past, group.past[ended]);
    }
    static void join(Numbers& past, const Numbers& other) {
        past.resize(std::max(past.size(), other.size()));
        for (std::size_t i = 0; i < other.size(); ++i) past[i] = std::max(past[i], other[i]);
    }

    Place add(std::uint16_t node, Event event, const Place* cause = nullptr) {
        auto& records = run_.nodes[node];
        event.node = node;
        event.seq = static_cast<std::uint32_t>(records.size());
        event.time_us = ++clock_;
        Numbers past = records.empty() ? Numbers(run_.nodes.size(), 0) : records.back().past;
        if (cause != nullptr) {
            TrueRecord& send = run_.nodes[cause->first][cause->second];
            for (std::size_t i = 0; i < past.size(); ++i) past[i] = std::max(past[i], send.past[i]);
            if (!send.receive) send.receive = Place{node, event.seq};
        }
        past[node] = event.seq + 1;
        records.push_back({event, past});
        return {node, event.seq};
    }

    std::uint16_t other(std::uint16_t node) {
        const auto nodes = static_cast<std::uint32_t>(run_.nodes.size());
        return static_cast<std::uint16_t>((node + 1 + below(random_, nodes - 1)) % nodes);
    }

    void send_task(std::uint16_t node) {
        Event event{
            .task = below(random_, choice_.equal_tasks ? 2 : 4), .bytes = 100, .peer = other(node), .kind = EventKind::Send};
        // The second one of two equal tasks makes it hard to tell which one was received.
        const Place send = add(node, event);
        Event receive = event;
        receive.kind = EventKind::Receive;
        receive.peer = node;
        tasks_[{node, event.peer}].push_back({send, receive});
    }
    void send_message(std::uint16_t node) {
        const std::uint32_t number = ++messages_[node];
        const std::uint16_t to = other(node);
        const Place send = add(node, {.task = 7, .subtask = 1, .bytes = number, .peer = to, .kind = EventKind::SendCall});
        kernel_[to].push_back({send, {.task = 7, .subtask = 1, .bytes = 10, .peer = node, .kind = EventKind::MessageReceive}});
    }

    // A task of any channel, the first of it; or any message.
    void receive(std::uint16_t node) {
        auto& messages = kernel_[node];
        if (!messages.empty() && below(random_, 2) == 0) {
            const auto at = messages.begin() + below(random_, static_cast<std::uint32_t>(messages.size()));
            const Message message = *at;
            messages.erase(at);
            const Event& call = run_.nodes[message.send.first][message.send.second].event;
            add(node, {.task = call.bytes, .subtask = 1, .peer = message.send.first, .kind = EventKind::Partner});
            add(node, message.event, &message.send);
            return;
        }
        const std::uint16_t from = other(node);
        auto& channel = tasks_[{from, node}];
        if (channel.empty()) return;
        const Message message = channel.front();
        channel.pop_front();
        add(node, message.event, &message.send);
    }

    const RunChoice choice_;
    std::mt19937 random_;
    RandomRun run_;
    std::uint64_t clock_ = 0;
    Numbers messages_;
    std::map<std::pair<std::uint16_t, std::uint16_t>, std::deque<Message>> tasks_;
    std::map<std::uint16_t, std::vector<Message>> kernel_;
    std::vector<Group> groups_;
};

bool matches_one(const std::vector<NamedEvent>& events, std::size_t link, const TrueRecord& record) {
    return events[link].is(record.event);
}

}  // namespace

std::size_t RandomRun::size() const {
    std::size_t sum = 0;
    for (const auto& records : nodes) sum += records.size();
    return sum;
}

RandomRun random_run(const RunChoice& choice) {
    return Maker(choice).make();
}

bool NamedEvent::is(const Event& event) const {
    return event.kind == kind && (!node || *node == event.node) && (!task || *task == event.task);
}

std::string NamedEvent::text() const {
    static const std::map<EventKind, std::pair<const char*, const char*>> names = {
        {EventKind::User, {"user", "number"}},
        {EventKind::Send, {"send", "task"}},
        {EventKind::Receive, {"receive", "task"}},
        {EventKind::SendCall, {"send-call", "event"}},
        {EventKind::MessageReceive, {"message-receive", "event"}}};
    const auto& [word, field] = names.at(kind);
    std::string fields = node ? fmt::format("n{}", *node) : std::string();
    if (task) fields += fmt::format("{}{}={}", fields.empty() ? "" : ", ", field, *task);
    return fields.empty() ? word : fmt::format("{}({})", word, fields);
}

bool NamedState::holds(const std::vector<TrueRecord>& records, std::uint32_t count) const {
    if (what == What::Newest) return count > 0 && event.is(records[count - 1].event);
    std::uint32_t events = 0;
    bool inside = false;
    for (std::uint32_t i = 0; i < count; ++i) {
        events += event.is(records[i].event) ? 1 : 0;
        if (until.is(records[i].event)) inside = false;
        if (event.is(records[i].event)) inside = true;
    }
    return what == What::Count ? events >= least : inside;
}

std::string NamedState::text() const {
    if (what == What::Newest) return event.text();
    if (what == What::Count) return fmt::format("count({}) >= {}", event.text(), least);
    return fmt::format("between({}, {})", event.text(), until.text());
}

bool NamedPredicate::holds(const RandomRun& run, const Numbers& cut) const {
    if (what == What::Possibly || what == What::Definitely)
        return std::all_of(states.begin(), states.end(), [&](const NamedState& state) {
            return state.holds(run.nodes[*state.event.node], cut[*state.event.node]);
        });
    std::uint64_t number = 0;
    std::vector<std::vector<const TrueRecord*>> chain(events.size());  // by link, records that end a chain so far
    for (std::size_t node = 0; node < run.nodes.size(); ++node) {
        for (std::uint32_t i = 0; i < cut[node]; ++i) {
            const TrueRecord& record = run.nodes[node][i];
            if (what == What::Linked) {
                if (matches_one(events, 0, record)) chain[0].push_back(&record);
            } else if (what == What::Count) {
                number += events[0].is(record.event) ? 1 : 0;
            } else {
                const bool is_send =
                    record.event.kind == (kernel ? EventKind::SendCall : EventKind::Send) && record.event.peer == to;
                const bool arrived = record.receive && record.receive->second < cut[record.receive->first];
                number += is_send && !arrived && (what == What::Unread || node == from) ? 1 : 0;
            }
        }
    }
    if (what != What::Linked) return number >= least;
    for (std::size_t link = 1; link < events.size(); ++link) {
        for (std::size_t node = 0; node < run.nodes.size(); ++node) {
            for (std::uint32_t i = 0; i < cut[node]; ++i) {
                const TrueRecord& record = run.nodes[node][i];
                const bool follows = std::any_of(chain[link - 1].begin(), chain[link - 1].end(), [&](const TrueRecord* before) {
                    return before != &record && record.past[before->event.node] > before->event.seq;
                });
                if (follows && matches_one(events, link, record)) chain[link].push_back(&record);
            }
        }
    }
    return !chain.back().empty();
}

std::string NamedPredicate::text() const {
    std::string text;
    switch (what) {
        case What::Linked:
            for (const NamedEvent& event : events) text += (text.empty() ? "" : " -> ") + event.text();
            return text;
        case What::Possibly:
        case What::Definitely:
            for (const NamedState& state : states) text += (text.empty() ? "" : " and ") + state.text();
            return fmt::format("{}({})", what == What::Possibly ? "possibly" : "definitely", text);
        case What::Count:
            return fmt::format("count({}) >= {}", events[0].text(), least);
        case What::InFlight:
            return fmt::format("in_flight(n{}, n{}{}) >= {}", from, to, kernel ? ", messages" : "", least);
        case What::Unread:
            break;
    }
    return fmt::format("unread(n{}{}) >= {}", to, kernel ? ", messages" : "", least);
}

using What = NamedPredicate::What;

NamedPredicate random_predicate(const RandomRun& run, std::mt19937& random) {
    constexpr EventKind kinds[] = {EventKind::User, EventKind::Send, EventKind::Receive, EventKind::SendCall,
                                   EventKind::MessageReceive};
    const auto nodes = static_cast<std::uint32_t>(run.nodes.size());
    // Mostly one that the run has.
    const auto event = [&](bool named, std::optional<std::uint16_t> node = {}) {
        NamedEvent made;
        made.kind = kinds[below(random, 5)];
        if (named || below(random, 2) == 0) made.node = node.value_or(static_cast<std::uint16_t>(below(random, nodes)));
        const auto& records = run.nodes[made.node.value_or(static_cast<std::uint16_t>(below(random, nodes)))];
        const bool kernel = made.kind == EventKind::SendCall || made.kind == EventKind::MessageReceive;
        if (!kernel && below(random, 2) == 0) made.task = below(random, 2);
        if (records.empty() || below(random, 4) == 0) return made;
        const Event& chosen = records[below(random, static_cast<std::uint32_t>(records.size()))].event;
        const bool named_kind = std::find(std::begin(kinds), std::end(kinds), chosen.kind) != std::end(kinds);
        if (!named_kind) return made;
        made.kind = chosen.kind;
        made.task.reset();
        const bool has_task = made.kind == EventKind::User || made.kind == EventKind::Send || made.kind == EventKind::Receive;
        if (has_task && below(random, 2) == 0) made.task = chosen.task;
        return made;
    };
    NamedPredicate made;
    // Conjunctions have the most to get wrong.
    constexpr What whats[] = {What::Linked,   What::Count,    What::InFlight,   What::Unread,
                              What::Possibly, What::Possibly, What::Definitely, What::Definitely};
    made.what = whats[below(random, 8)];
    made.least = 1 + below(random, 3);
    made.kernel = below(random, 2) == 0;
    made.from = static_cast<std::uint16_t>(below(random, nodes));
    made.to = static_cast<std::uint16_t>((made.from + 1 + below(random, nodes - 1)) % nodes);
    for (std::uint32_t i = 1 + below(random, 3); i > 0; --i) made.events.push_back(event(false));
    for (std::uint32_t i = 1 + below(random, 3); i > 0; --i) {
        NamedState state;
        state.what = static_cast<NamedState::What>(below(random, 3));
        state.event = event(true);
        state.until = event(true, state.event.node);
        state.least = 1 + below(random, 2);
        made.states.push_back(state);
    }
    return made;
}

Lattice::Lattice(const RandomRun& run, Numbers within) : run_(run), within_(std::move(within)) {
    if (!within_.empty()) return;
    for (const auto& records : run.nodes) within_.push_back(static_cast<std::uint32_t>(records.size()));
}

bool Lattice::is_consistent(const Numbers& cut) const {
    for (std::size_t node = 0; node < cut.size(); ++node) {
        if (cut[node] == 0) continue;
        const Numbers& past = run_.nodes[node][cut[node] - 1].past;
        for (std::size_t other = 0; other < cut.size(); ++other)
            if (past[other] > cut[other]) return false;
    }
    return true;
}

template <class Keep>
Lattice::Level Lattice::next(const Level& level, Keep keep) const {
    std::set<Numbers> cuts;
    for (const Numbers& cut : level) {
        for (std::size_t node = 0; node < cut.size(); ++node) {
            if (cut[node] == within_[node]) continue;
            Numbers later = cut;
            ++later[node];
            if (is_consistent(later) && keep(later)) cuts.insert(later);
        }
    }
    return {cuts.begin(), cuts.end()};
}

bool Lattice::possibly(const NamedPredicate& predicate) const {
    for (Level level{Numbers(within_.size(), 0)}; !level.empty(); level = next(level, [](const Numbers&) { return true; })) {
        for (const Numbers& cut : level)
            if (predicate.holds(run_, cut)) return true;
    }
    return false;
}

bool Lattice::definitely(const NamedPredicate& predicate) const {
    const auto avoids = [&](const Numbers& cut) { return !predicate.holds(run_, cut); };
    Level level{Numbers(within_.size(), 0)};
    if (!avoids(level[0])) return true;
    while (!level.empty()) {
        if (level[0] == within_) return false;
        level = next(level, avoids);
    }
    return true;
}

std::optional<Numbers> Lattice::earliest(const NamedPredicate& predicate) const {
    std::optional<Numbers> least;
    for (Level level{Numbers(within_.size(), 0)}; !level.empty(); level = next(level, [](const Numbers&) { return true; })) {
        for (const Numbers& cut : level) {
            if (!predicate.holds(run_, cut)) continue;
            if (!least) least = cut;
            for (std::size_t i = 0; i < cut.size(); ++i) (*least)[i] = std::min((*least)[i], cut[i]);
        }
    }
    return least && predicate.holds(run_, *least) && is_consistent(*least) ? least : std::nullopt;
}

}  // namespace testing_support
