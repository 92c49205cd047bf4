#include "random_program.hpp"

#include <algorithm>
#include <utility>

namespace testing_support {
namespace {

using tmon_recovery::Message;
using tmon_recovery::MessageKind;
using tmon_recovery::ProcessSpan;

// Times are whole microseconds of the time that all share; a process has a clock of its own, drift included.
class Maker {
public:
    explicit Maker(const RandomChoice& choice) : choice_(choice), random_(choice.seed) {
        processes_ = 2 + pick(choice.most_processes - 1);
        events_ = 20 + pick(choice.most_events - 20);
        sends_share_ = 30 + pick(50);
        neighbours_ = pick(3) == 0;
        flight_ = 1 + pick(60);
        step_ = 5 + pick(100);
        for (std::uint32_t process = 0; process < processes_; ++process) {
            State its;
            if (choice.drift) its.begin = its.now = pick(300);
            if (choice.drift) its.drift = static_cast<std::int32_t>(pick(60'000)) - 30'000;
            states_.push_back(its);
        }
    }

    RandomRun make() {
        for (std::uint32_t count = 0, idle = 0; count < events_ && idle < 1000;) {
            const bool done = act();
            count += done;
            idle = done ? 0 : idle + 1;
        }
        for (std::uint32_t process = 0; process < processes_; ++process) finish(process);
        for (State& its : states_)
            run_.spans.push_back({clock(its, its.begin), clock(its, its.now + pick(50)), its.begin * 1000, its.drift});
        return std::move(run_);
    }

private:
    struct State {
        std::int64_t now = 0, begin = 0;
        std::int32_t drift = 0;
        std::uint32_t events = 0;
        std::optional<std::size_t> blocked{};  // a message of its own that nobody has received
        std::vector<std::size_t> coming{};
        std::optional<std::size_t> answer{};  // comes next
    };
    std::uint32_t pick(std::uint32_t below) { return below == 0 ? 0 : static_cast<std::uint32_t>(random_() % below); }
    static std::int64_t clock(const State& its, std::int64_t common_us) {
        const std::int64_t since = (common_us - its.begin) * 1000;
        return 5'000'000 + since - since * its.drift / 1'000'000'000;
    }

    bool act() {
        std::uint32_t process = pick(processes_);
        for (std::uint32_t other = 0; other < processes_; ++other)
            if (states_[other].now < states_[process].now && pick(3) != 0) process = other;
        State& its = states_[process];
        if (its.answer) return receive(process, *std::exchange(its.answer, {}), MessageKind::Answer), true;
        if (its.blocked) return false;
        const bool sends = pick(100) < sends_share_ || its.coming.empty();
        its.now += pick(step_);
        if (sends) return send(process);
        const std::size_t at = pick(2) == 0 ? 0 : pick(static_cast<std::uint32_t>(its.coming.size()));
        const std::size_t message = its.coming[at];
        its.coming.erase(its.coming.begin() + static_cast<std::ptrdiff_t>(at));
        receive(process, message, MessageKind::Message);
        return true;
    }

    std::size_t put(std::uint32_t from, std::uint32_t to, MessageKind kind) {
        State& its = states_[from];
        Message message;
        message.from = static_cast<std::uint16_t>(from);
        message.to = static_cast<std::uint16_t>(to);
        message.sent = ++its.events;
        message.sent_ns = clock(its, its.now);
        message.bytes = Message::with_kind(kind, 8);
        run_.messages.push_back(message);
        run_.flights.push_back(1 + pick(flight_));
        left_.push_back(its.now);
        blocking_.push_back(false);
        return run_.messages.size() - 1;
    }

    bool send(std::uint32_t process) {
        std::uint32_t to = neighbours_ ? (process + (pick(2) == 0 ? 1 : processes_ - 1)) % processes_ : pick(processes_);
        if (to == process) to = (to + 1) % processes_;
        State& its = states_[process];
        const bool owes = std::any_of(its.coming.begin(), its.coming.end(), [this](std::size_t one) { return blocking_[one]; });
        const bool blocks = choice_.blocking && pick(6) == 0 && !owes && !states_[to].blocked && !states_[to].answer;
        const std::size_t message = put(process, to, MessageKind::Message);
        blocking_[message] = blocks;
        if (blocks) its.blocked = message;
        states_[to].coming.push_back(message);
        return true;
    }

    void receive(std::uint32_t process, std::size_t number, MessageKind kind) {
        State& its = states_[process];
        const std::int64_t arrives = left_[number] + run_.flights[number];
        const std::int64_t waits = std::max<std::int64_t>(arrives - its.now, 0);
        its.now += waits;
        run_.messages[number].received = ++its.events;
        run_.messages[number].received_ns = clock(its, its.now);
        run_.messages[number].waited_us = static_cast<std::int32_t>(arrives - (its.now - waits));
        if (kind == MessageKind::Answer || !blocking_[number]) return;
        const std::uint32_t sender = run_.messages[number].from;
        states_[sender].blocked.reset();
        states_[sender].answer = put(process, sender, MessageKind::Answer);
    }

    // Blocked ones get their answer; other messages may stay without a receive.
    void finish(std::uint32_t process) {
        State& its = states_[process];
        for (std::size_t at = 0; at < its.coming.size(); ++at)
            if (blocking_[its.coming[at]] || pick(2) == 0) receive(process, its.coming[at], MessageKind::Message);
        its.coming.clear();
        for (std::uint32_t other = 0; other < processes_; ++other)
            if (states_[other].answer) receive(other, *std::exchange(states_[other].answer, {}), MessageKind::Answer);
    }

    const RandomChoice& choice_;
    std::mt19937 random_;
    std::uint32_t processes_ = 0, events_ = 0, sends_share_ = 0, flight_ = 1, step_ = 1;
    bool neighbours_ = false;
    std::vector<State> states_{};
    std::vector<std::int64_t> left_{};  // of each message, in the common time
    std::vector<bool> blocking_{};
    RandomRun run_{};
};

}  // namespace

RandomRun random_run(const RandomChoice& choice) {
    return Maker(choice).make();
}

// ---- The judge ----

Judge::Judge(const RandomRun& run, std::int64_t interval, std::vector<std::vector<std::int64_t>> moments)
    : run_(run), items_(run.spans.size()) {
    place_checkpoints(interval, moments);
    close_over_causes();
}

// Events of all processes one after another, each when its causes are placed.
void Judge::place_checkpoints(std::int64_t interval, const std::vector<std::vector<std::int64_t>>& moments) {
    const std::size_t processes = run_.spans.size();
    std::vector<std::vector<JudgedItem>> events(processes);
    for (std::size_t at = 0; at < run_.messages.size(); ++at) {
        const Message& its = run_.messages[at];
        JudgedItem item;
        item.message = at;
        item.time = its.sent_ns;
        item.event = its.sent;
        events[its.from].push_back(item);
        if (its.received == 0) continue;
        item.receive = true;
        item.time = its.received_ns;
        item.event = its.received;
        events[its.to].push_back(item);
    }
    for (auto& its : events)
        std::sort(its.begin(), its.end(),
                  [](const JudgedItem& one, const JudgedItem& other) { return one.event < other.event; });
    std::vector<std::uint32_t> index(processes, 0), carried(run_.messages.size(), 0);
    std::vector<std::int64_t> last(processes);
    std::vector<std::size_t> next(processes, 0), moment(processes, 0);
    std::vector<bool> sent(run_.messages.size(), false);
    const auto take = [&](std::size_t process, std::uint32_t its, std::uint32_t event, std::int64_t time) {
        index[process] = its;
        last[process] = time;
        items_[process].push_back({true, false, 0, its, time, event, 0});
    };
    const auto take_until = [&](std::size_t process, std::uint32_t event, std::int64_t time) {
        while (true) {
            std::int64_t due = last[process] + interval;
            if (interval == 0) {
                while (moment[process] < moments[process].size() && moments[process][moment[process]] <= last[process])
                    ++moment[process];
                if (moment[process] == moments[process].size()) return;
                due = moments[process][moment[process]];
            }
            if (due > time) return;
            take(process, index[process] + 1, event, due);
        }
    };
    for (std::size_t process = 0; process < processes; ++process) take(process, 0, 0, run_.spans[process].begin_ns);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t process = 0; process < processes; ++process) {
            if (next[process] == events[process].size()) continue;
            const JudgedItem& its = events[process][next[process]];
            if (its.receive && !sent[its.message]) continue;
            take_until(process, its.event - 1, its.time);
            if (its.receive && carried[its.message] > index[process])
                take(process, carried[its.message], its.event - 1, its.time);
            if (!its.receive) carried[its.message] = index[process];
            if (!its.receive) sent[its.message] = true;
            items_[process].push_back(its);
            ++next[process];
            moved = true;
        }
    }
    for (std::size_t process = 0; process < processes; ++process) {
        const auto all = static_cast<std::uint32_t>(events[process].size());
        take_until(process, all, run_.spans[process].end_ns);
        items_[process].push_back({true, false, 0, UINT32_MAX, run_.spans[process].end_ns, all, 0});
    }
    std::size_t place = 0;
    for (auto& its : items_)
        for (JudgedItem& one : its) one.place = place++;
}

void Judge::close_over_causes() {
    std::size_t all = 0;
    for (const auto& its : items_) all += its.size();
    std::vector<std::vector<std::size_t>> next(all);
    for (const auto& its : items_)
        for (std::size_t at = 0; at + 1 < its.size(); ++at) next[its[at].place].push_back(its[at + 1].place);
    for (std::size_t message = 0; message < run_.messages.size(); ++message) {
        if (run_.messages[message].received == 0) continue;
        next[end_of(run_.messages[message].from, message, false).place].push_back(
            end_of(run_.messages[message].to, message, true).place);
    }
    reach_.assign(all, std::vector<bool>(all, false));
    for (std::size_t from = 0; from < all; ++from) {
        std::vector<std::size_t> open{from};
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            for (const std::size_t to : next[at]) {
                if (reach_[from][to]) continue;
                reach_[from][to] = true;
                open.push_back(to);
            }
        }
    }
}

const JudgedItem& Judge::end_of(std::size_t process, std::size_t message, bool receive) const {
    return *std::find_if(items_[process].begin(), items_[process].end(), [&](const JudgedItem& its) {
        return !its.checkpoint && its.message == message && its.receive == receive;
    });
}
std::vector<const JudgedItem*> Judge::checkpoints(std::size_t process) const {
    std::vector<const JudgedItem*> all;
    for (const JudgedItem& its : items_[process])
        if (its.checkpoint && its.index != UINT32_MAX) all.push_back(&its);
    return all;
}
// Skipped indices stand for the state of the next one that was taken.
const JudgedItem* Judge::checkpoint(std::size_t process, std::uint32_t index) const {
    for (const JudgedItem* its : checkpoints(process))
        if (its->index >= index) return its;
    return nullptr;
}
std::int64_t Judge::longest() const {
    std::int64_t longest = 0;
    for (std::size_t process = 0; process < items_.size(); ++process) {
        std::int64_t last = items_[process].front().time;
        for (const JudgedItem& its : items_[process]) {
            if (!its.checkpoint) continue;
            longest = std::max(longest, its.time - last);
            last = its.time;
        }
    }
    return longest;
}

bool Judge::knows(std::size_t s, std::size_t r, std::uint32_t index) const {
    const JudgedItem* const from = checkpoint(r, index);
    if (from == nullptr || checkpoint(s, index) == nullptr) return false;
    if (r == s) return true;
    const JudgedItem* to = checkpoint(s, index + 1);
    if (to == nullptr) to = &items_[s].back();
    return reach_[from->place][to->place];
}

std::uint32_t Judge::interval_of(std::size_t process, std::uint32_t event) const {
    std::uint32_t index = 0;
    for (const JudgedItem& its : items_[process]) {
        if (its.checkpoint) index = its.index;
        if (!its.checkpoint && its.event == event) return index;
    }
    return index;
}
std::int64_t Judge::common(std::size_t process, std::int64_t clock) const {
    const ProcessSpan& its = run_.spans[process];
    const std::int64_t since = clock - its.begin_ns;
    return its.begin_common_ns + since + since * its.drift_ppb / 1'000'000'000;
}

std::vector<bool> Judge::logged(Method method, bool arrival) const {
    std::vector<bool> all(run_.messages.size(), false);
    for (std::size_t at = 0; at < all.size(); ++at) {
        const Message& its = run_.messages[at];
        if (its.received == 0) continue;
        const std::size_t q = its.from, p = its.to;
        const std::uint32_t sent = interval_of(q, its.sent), received = interval_of(p, its.received), i = sent + 1;
        if (received > sent) {
            all[at] = true;
            continue;
        }
        const std::int64_t t1 = its.sent_ns - checkpoint(q, sent)->time, t2 = its.received_ns - checkpoint(p, received)->time;
        if (method == Method::Mrt && t1 + (arrival ? run_.flights[at] * 1000 : 0) > t2) all[at] = true;
        if (checkpoint(q, i) == nullptr) continue;                  // every replay sends it again
        bool leaves_out = method == Method::Ros || knows(q, p, i);  // condition 1
        for (std::size_t s = 0; s < items_.size(); ++s) {
            if (method == Method::Ros && knows(p, s, i) && !knows(q, s, i)) leaves_out = false;
            if (method == Method::Mrt && s != p && s != q && knows(s, q, i) && !knows(s, p, i)) leaves_out = false;
        }
        if (method == Method::Ros && checkpoint(p, i) == nullptr) leaves_out = false;
        if (!leaves_out) all[at] = true;
    }
    return all;
}

bool Judge::is_set(const std::vector<std::uint32_t>& breakpoints) const {
    for (const Message& its : run_.messages)
        if (its.received != 0 && its.received <= breakpoints[its.to] && its.sent > breakpoints[its.from]) return false;
    return true;
}

std::vector<std::uint32_t> Judge::causal(std::size_t process, std::uint32_t event) const {
    std::vector<std::uint32_t> all(items_.size(), 0);
    all[process] = event;
    if (event == 0) return all;
    const JudgedItem& stop = *std::find_if(items_[process].begin(), items_[process].end(),
                                           [&](const JudgedItem& its) { return !its.checkpoint && its.event == event; });
    for (std::size_t other = 0; other < items_.size(); ++other)
        for (const JudgedItem& its : items_[other])
            if (other != process && !its.checkpoint && reach_[its.place][stop.place])
                all[other] = std::max(all[other], its.event);
    return all;
}

std::size_t Judge::last_before(std::size_t process, std::uint32_t event) const {
    const std::vector<const JudgedItem*> all = checkpoints(process);
    std::size_t last = 0;
    for (std::size_t at = 1; at < all.size(); ++at)
        if (all[at]->event < event) last = at;
    return last;
}

bool Judge::is_valid(const std::vector<bool>& logged, const std::vector<std::uint32_t>& breakpoints,
                     const std::vector<const JudgedItem*>& line) const {
    for (std::size_t at = 0; at < run_.messages.size(); ++at) {
        const Message& its = run_.messages[at];
        if (logged[at] || its.received == 0 || its.received > breakpoints[its.to]) continue;
        if (its.sent <= line[its.from]->event && its.received > line[its.to]->event) return false;
    }
    return true;
}

std::vector<std::size_t> Judge::latest_line(const std::vector<bool>& logged,
                                            const std::vector<std::uint32_t>& breakpoints) const {
    const std::size_t processes = items_.size();
    std::vector<std::vector<const JudgedItem*>> all(processes);
    std::vector<std::size_t> last(processes), back(processes, 0), best;
    for (std::size_t process = 0; process < processes; ++process) {
        all[process] = checkpoints(process);
        last[process] = last_before(process, breakpoints[process]);
    }
    std::vector<std::vector<std::size_t>> valid;
    while (true) {
        std::vector<const JudgedItem*> line(processes);
        std::vector<std::size_t> places(processes);
        for (std::size_t process = 0; process < processes; ++process) {
            places[process] = last[process] - back[process];
            line[process] = all[process][places[process]];
        }
        if (is_valid(logged, breakpoints, line)) valid.push_back(places);
        std::size_t at = 0;
        while (at < processes && back[at] == std::min<std::size_t>(2, last[at])) back[at++] = 0;
        if (at == processes) break;
        ++back[at];
    }
    for (const auto& one : valid) {
        if (best.empty()) best = one;
        for (std::size_t process = 0; process < processes; ++process) best[process] = std::max(best[process], one[process]);
    }
    return std::find(valid.begin(), valid.end(), best) == valid.end() ? std::vector<std::size_t>{} : best;
}

// Rounds over all processes until no time grows any more.
std::int64_t Judge::replay(const std::vector<bool>& logged, const std::vector<std::size_t>& line,
                           const std::vector<std::uint32_t>& breakpoints) const {
    std::vector<std::vector<std::int64_t>> reached(items_.size());
    for (std::size_t process = 0; process < items_.size(); ++process) reached[process].assign(breakpoints[process] + 1, -1);
    std::int64_t longest = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t process = 0; process < items_.size(); ++process) {
            const JudgedItem& from = *checkpoints(process)[line[process]];
            std::int64_t now = 0, last = from.time;
            for (const JudgedItem& its : items_[process]) {
                if (its.checkpoint || its.event <= from.event || its.event > breakpoints[process]) continue;
                const Message& message = run_.messages[its.message];
                std::int64_t works = its.time - last;
                if (its.receive) works = std::max<std::int64_t>(works - std::max<std::int64_t>(message.waited_us, 0) * 1000, 0);
                now += works;
                last = its.time;
                const std::size_t sender = message.from;
                if (its.receive && !logged[its.message] && message.sent > checkpoints(sender)[line[sender]]->event) {
                    if (reached[sender][message.sent] < 0) break;
                    now = std::max(now, reached[sender][message.sent] + run_.flights[its.message] * 1000);
                }
                moved = moved || reached[process][its.event] != now;
                reached[process][its.event] = now;
                longest = std::max(longest, now);
            }
        }
    }
    return longest;
}

}  // namespace testing_support
