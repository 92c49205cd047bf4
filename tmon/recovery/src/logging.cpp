#include <tmon_recovery/logging.hpp>

#include <algorithm>
#include <span>

namespace tmon_recovery {
namespace {

bool is_subset(std::span<const std::uint64_t> few, std::span<const std::uint64_t> many) {
    for (std::size_t word = 0; word < few.size(); ++word)
        if ((few[word] & ~many[word]) != 0) return false;
    return true;
}

// Rule 2 about messages from I_{q,index} to I_{p,index}: whether one may be in transit when its sender is not sent back.
bool is_needed(const Intervals& intervals, Method method, std::uint32_t index, ProcessNo q, ProcessNo p) {
    if (intervals.last_index(q) == index) return false;
    const std::uint32_t next = index + 1;
    if (intervals.last_index(p) < next) return true;  // C_{p,i} was never taken, so nobody knows of it
    if (method == Method::Ros) return !is_subset(intervals.row(next, p), intervals.row(next, q));
    // Condition 1 is that of s = q in condition 2.
    return !is_subset(intervals.column(next, q), intervals.column(next, p));
}

}  // namespace

const char* name_of(Method method) {
    constexpr std::array<const char*, 4> names{"ros", "mrt", "consistent", "all"};
    return names[static_cast<std::size_t>(method)];
}

bool is_late(const EventGraph& graph, const Intervals& intervals, MessageNo message, const LoggingChoice& choice) {
    const Message& its = graph.messages()[message];
    const Checkpoint& sender = intervals.checkpoints()[intervals.sent_in(message)];
    const Checkpoint& receiver = intervals.checkpoints()[intervals.received_in(message)];
    if (choice.rule3 == Rule3::Printed)
        return its.sent_ns - sender.time_ns > its.received_ns - receiver.time_ns + choice.grain_ns;
    // In the time that all share: clocks that drift would add as much as a flight.
    const std::int64_t sent = graph.common(its.from, its.sent_ns) - graph.common(its.from, sender.time_ns);
    const std::int64_t received = graph.common(its.to, its.received_ns) - graph.common(its.to, receiver.time_ns);
    return sent + graph.flight_ns(message) > received + choice.grain_ns;
}

Log log_of(const EventGraph& graph, const Intervals& intervals, const LoggingChoice& choice) {
    Log log(graph.messages().size(), LogRule::None);
    for (MessageNo number = 0; number < log.size(); ++number) {
        const Message& its = graph.messages()[number];
        if (its.received == 0) continue;
        if (choice.method == Method::All) {
            log[number] = LogRule::Every;
            continue;
        }
        const std::uint32_t sent = intervals.checkpoints()[intervals.sent_in(number)].index;
        if (intervals.checkpoints()[intervals.received_in(number)].index > sent)
            log[number] = LogRule::Higher;
        else if (choice.method == Method::Consistent)
            continue;
        else if (choice.method == Method::Mrt && is_late(graph, intervals, number, choice))
            log[number] = LogRule::Late;
        else if (is_needed(intervals, choice.method, sent, its.from, its.to))
            log[number] = LogRule::Needed;
    }
    return log;
}

LogCounts count(const EventGraph& graph, const Log& log) {
    LogCounts counts;
    for (MessageNo number = 0; number < log.size(); ++number) {
        const Message& its = graph.messages()[number];
        const bool logged = log[number] != LogRule::None;
        if (its.kind() == MessageKind::Answer) {
            ++counts.answers;
            counts.answers_logged += logged;
            continue;
        }
        counts.bytes += its.size();
        counts.bytes_logged += logged ? its.size() : 0;
        if (its.kind() == MessageKind::Part) continue;
        ++counts.messages;
        counts.logged += logged;
        counts.higher += log[number] == LogRule::Higher;
        counts.needed += log[number] == LogRule::Needed;
        counts.late += log[number] == LogRule::Late;
    }
    return counts;
}

}  // namespace tmon_recovery
