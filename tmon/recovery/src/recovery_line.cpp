#include <tmon_recovery/recovery_line.hpp>

#include <algorithm>
#include <utility>

namespace tmon_recovery {
namespace {

// The line sinks until nothing sends a process further back.
class Sinking {
public:
    Sinking(const EventGraph& graph, const Intervals& intervals, const Log& log, Method method, const BreakpointSet& set)
        : graph_(graph), intervals_(intervals), log_(log), orphans_(method == Method::Consistent), seen_(set) {
        for (ProcessNo process = 0; process < set.size(); ++process) {
            line_.push_back(intervals.before(process, set[process]));
            open_.push_back(process);
        }
    }

    GlobalCheckpoint run() {
        while (!open_.empty()) {
            const ProcessNo process = open_.back();
            open_.pop_back();
            for (; seen_[process] > after(process); --seen_[process]) look(process, seen_[process]);
        }
        return std::move(line_);
    }

private:
    EventNo after(ProcessNo process) const { return intervals_.checkpoints()[line_[process]].after; }

    // An event between the line and what was seen already.
    void look(ProcessNo process, EventNo event) {
        const MessageNo number = graph_.message_of(process, event);
        const Message& its = graph_.messages()[number];
        if (graph_.is_receive(process, event)) {
            if (log_[number] == LogRule::None) sink(its.from, intervals_.sent_in(number));
        } else if (orphans_ && its.received != 0 && its.received <= after(its.to)) {
            sink(its.to, intervals_.received_in(number));
        }
    }
    void sink(ProcessNo process, CheckpointNo to) {
        if (to >= line_[process]) return;
        line_[process] = to;
        open_.push_back(process);
    }

    const EventGraph& graph_;
    const Intervals& intervals_;
    const Log& log_;
    const bool orphans_;
    std::vector<EventNo> seen_;
    GlobalCheckpoint line_{};
    std::vector<ProcessNo> open_{};
};

// Events of each process in an order of causes, from the line on; a receive whose message is not sent again waits for nobody.
class Prediction {
public:
    Prediction(const EventGraph& graph, const Intervals& intervals, const Log& log, const GlobalCheckpoint& line,
               const BreakpointSet& set, std::int64_t feed_ns, const std::vector<std::int64_t>& begins_ns)
        : graph_(graph), log_(log), set_(set), feed_ns_(feed_ns), begins_ns_(begins_ns) {
        for (const CheckpointNo its : line) after_.push_back(intervals.checkpoints()[its].after);
        for (ProcessNo process = 0; begins_ns.empty() && process < set.size(); ++process)
            begins_ns_.push_back(intervals.checkpoints()[line[process]].time_ns);
        for (ProcessNo process = 0; process < set.size(); ++process) {
            const EventNo first = after(process);
            done_.push_back(first);
            reached_.emplace_back(set[process] > first ? set[process] - first : 0);
            open_.push_back(process);
        }
    }

    Replay run() {
        while (!open_.empty()) {
            const ProcessNo process = open_.back();
            open_.pop_back();
            while (done_[process] < set_[process] && step(process)) {
            }
        }
        for (ProcessNo process = 0; process < set_.size(); ++process) {
            result_.reached_ns.push_back(reached_[process].empty() ? 0 : reached_[process].back());
            result_.takes_ns = std::max(result_.takes_ns, result_.reached_ns.back());
        }
        return std::move(result_);
    }

private:
    EventNo after(ProcessNo process) const { return after_[process]; }
    std::int64_t& reached(ProcessNo process, EventNo event) { return reached_[process][event - after(process) - 1]; }

    // False: it waits for a message that is not sent yet; its sender goes on with it.
    bool step(ProcessNo process) {
        const EventNo event = done_[process] + 1;
        const MessageNo number = graph_.message_of(process, event);
        const Message& its = graph_.messages()[number];
        const bool first = done_[process] == after(process);
        const std::int64_t last_ns = first ? begins_ns_[process] : graph_.time(process, done_[process]);
        std::int64_t ready_ns = first ? 0 : reached(process, done_[process]);
        if (!graph_.is_receive(process, event)) {
            ready_ns += its.sent_ns - last_ns;
            result_.swallowed += its.received != 0 && its.received <= after(its.to);
        } else {
            const std::int64_t waited_ns = std::max<std::int64_t>(its.waited_us, 0) * 1000;
            ready_ns += std::max<std::int64_t>(its.received_ns - waited_ns - last_ns, 0);
            if (is_fed(number)) {
                ++result_.fed;
                ready_ns += feed_ns_;
            } else if (its.sent > done_[its.from]) {
                waiting_.push_back({number, process});
                return false;
            } else {
                ready_ns = std::max(ready_ns, reached(its.from, its.sent) + graph_.flight_ns(number));
            }
        }
        done_[process] = event;
        reached(process, event) = ready_ns;
        if (!graph_.is_receive(process, event)) wake(number);
        return true;
    }

    // One that is logged, or that its sender does not send again.
    bool is_fed(MessageNo number) const {
        const Message& its = graph_.messages()[number];
        return log_[number] != LogRule::None || its.sent <= after(its.from) || its.sent > set_[its.from];
    }

    struct Waiting {
        MessageNo message = 0;
        ProcessNo process = 0;
    };
    void wake(MessageNo message) {
        for (std::size_t at = 0; at < waiting_.size(); ++at) {
            if (waiting_[at].message != message) continue;
            open_.push_back(waiting_[at].process);
            waiting_[at] = waiting_.back();
            waiting_.pop_back();
            return;
        }
    }

    const EventGraph& graph_;
    const Log& log_;
    const BreakpointSet& set_;
    const std::int64_t feed_ns_;
    std::vector<EventNo> after_{};
    std::vector<std::int64_t> begins_ns_;
    std::vector<EventNo> done_{};
    std::vector<std::vector<std::int64_t>> reached_{};  // of each event behind the line
    std::vector<ProcessNo> open_{};
    std::vector<Waiting> waiting_{};  // at most one for each process
    Replay result_{};
};

}  // namespace

GlobalCheckpoint recovery_line(const EventGraph& graph, const Intervals& intervals, const Log& log, Method method,
                               const BreakpointSet& set) {
    return Sinking(graph, intervals, log, method, set).run();
}

Crossing crossing(const EventGraph& graph, const Intervals& intervals, const GlobalCheckpoint& line, const BreakpointSet& set) {
    Crossing all;
    const auto after = [&](ProcessNo process) { return intervals.checkpoints()[line[process]].after; };
    for (ProcessNo process = 0; process < set.size(); ++process) {
        for (EventNo event = after(process) + 1; event <= set[process]; ++event) {
            const MessageNo number = graph.message_of(process, event);
            const Message& its = graph.messages()[number];
            if (graph.is_receive(process, event)) {
                if (its.sent <= after(its.from)) all.in_transit.push_back(number);
            } else if (its.received != 0 && its.received <= after(its.to)) {
                all.orphans.push_back(number);
            }
        }
    }
    std::sort(all.orphans.begin(), all.orphans.end());
    std::sort(all.in_transit.begin(), all.in_transit.end());
    return all;
}

std::int64_t distance_ns(const EventGraph& graph, const Intervals& intervals, const GlobalCheckpoint& line,
                         const BreakpointSet& set) {
    std::int64_t longest = 0;
    for (ProcessNo process = 0; process < set.size(); ++process)
        longest = std::max(longest, graph.time(process, set[process]) - intervals.checkpoints()[line[process]].time_ns);
    return longest;
}

Replay predict(const EventGraph& graph, const Intervals& intervals, const Log& log, const GlobalCheckpoint& line,
               const BreakpointSet& set, std::int64_t feed_ns, const std::vector<std::int64_t>& begins_ns) {
    return Prediction(graph, intervals, log, line, set, feed_ns, begins_ns).run();
}

std::int64_t bound_ns(const EventGraph& graph, const Intervals& intervals, const LoggingChoice& choice,
                      const GlobalCheckpoint& line, const BreakpointSet& set) {
    const auto processes = static_cast<std::int64_t>(graph.processes());
    const std::int64_t longest = intervals.longest_ns();
    if (choice.method == Method::All) return longest;
    if (choice.method == Method::Consistent) return processes * distance_ns(graph, intervals, line, set);
    if (choice.method == Method::Ros) return 2 * processes * longest;
    if (choice.rule3 == Rule3::Arrival) return 2 * (longest + processes * choice.grain_ns);
    std::int64_t gain = 0;
    for (ProcessNo process = 0; process < set.size(); ++process) {
        std::int64_t its = 0;
        for (CheckpointNo at = line[process]; at <= intervals.before(process, set[process]); ++at)
            its += intervals.skew_ns(intervals.checkpoints()[at].index);
        gain = std::max(gain, its);
    }
    return 2 * longest + gain;
}

}  // namespace tmon_recovery
