#include <tmon_recovery/event_graph.hpp>

#include <algorithm>
#include <utility>

#include <vocabulary/contract.hpp>

namespace tmon_recovery {
namespace {

// Places of the processes in a list of all events; the last entry is the length.
std::vector<std::size_t> places(std::size_t processes, std::span<const Message> messages) {
    std::vector<std::size_t> first(processes + 1, 0);
    for (const Message& its : messages) {
        ++first[its.from + 1U];
        if (its.received != 0) ++first[its.to + 1U];
    }
    for (std::size_t process = 0; process < processes; ++process) first[process + 1] += first[process];
    return first;
}

std::vector<std::uint32_t> entries_of(const std::vector<std::size_t>& first, std::span<const Message> messages) {
    std::vector<std::uint32_t> entries(first.back());
    for (std::size_t at = 0; at < messages.size(); ++at) {
        const Message& its = messages[at];
        entries[first[its.from] + its.sent - 1] = static_cast<std::uint32_t>(at << 1U);
        if (its.received != 0) entries[first[its.to] + its.received - 1] = static_cast<std::uint32_t>(at << 1U | 1U);
    }
    return entries;
}

// Each number is there once when all are in range and none is there twice.
const char* fault_of_numbers(const std::vector<std::size_t>& first, std::span<const Message> messages) {
    std::vector<bool> seen(first.back(), false);
    const auto take = [&](std::size_t process, EventNo number) {
        if (number == 0 || number > first[process + 1] - first[process]) return "an event is missing";
        const std::size_t at = first[process] + number - 1;
        if (seen[at]) return "an event is there twice";
        seen[at] = true;
        return "";
    };
    for (const Message& its : messages) {
        const char* why = take(its.from, its.sent);
        if (*why == '\0' && its.received != 0) why = take(its.to, its.received);
        if (*why != '\0') return why;
    }
    return "";
}

}  // namespace

const char* EventGraph::fault(std::span<const ProcessSpan> processes, std::span<const Message> messages) {
    if (processes.empty() || processes.size() > 1024) return "the number of processes is not from 1 to 1024";
    if (messages.size() >= (std::size_t{1} << 31U)) return "there are 2^31 messages or more";
    for (const Message& its : messages) {
        if (its.from >= processes.size() || its.to >= processes.size()) return "a message is of no process";
        if (its.from == its.to) return "a process sends to itself";
        if (its.kind() > MessageKind::Answer) return "a message is of an unknown kind";
    }
    const std::vector<std::size_t> first = places(processes.size(), messages);
    const char* const why = fault_of_numbers(first, messages);
    if (*why != '\0') return why;
    const std::vector<std::uint32_t> entries = entries_of(first, messages);
    for (std::size_t process = 0; process < processes.size(); ++process) {
        std::int64_t last = processes[process].begin_ns;
        for (std::size_t at = first[process]; at < first[process + 1]; ++at) {
            const Message& its = messages[entries[at] >> 1U];
            const std::int64_t time = (entries[at] & 1U) != 0 ? its.received_ns : its.sent_ns;
            if (time < last) return "the times of a process go back";
            last = time;
        }
        if (processes[process].end_ns < last) return "a process ends before its last event";
    }
    return "";
}

EventGraph::EventGraph(std::vector<ProcessSpan> processes, std::vector<Message> messages)
    : spans_(std::move(processes)), messages_(std::move(messages)) {
    EXPECTS(!spans_.empty() && spans_.size() <= 1024, "event_graph.processes");
    first_ = places(spans_.size(), messages_);
    entries_ = entries_of(first_, messages_);
}

std::int64_t EventGraph::clock(ProcessNo process, std::int64_t common_ns) const {
    const ProcessSpan& its = spans_[process];
    const std::int64_t since = common_ns - its.begin_common_ns;
    std::int64_t clock_ns = its.begin_ns + since - drift_in(since, its.drift_ppb);
    // The drift is of the clock's own units, so the first guess is off by the square of the drift.
    clock_ns += common_ns - common(process, clock_ns);
    return clock_ns;
}

std::int64_t EventGraph::flight_ns(MessageNo message) const {
    const Message& its = messages_[message];
    const std::int64_t lay_us = std::max<std::int64_t>(-std::int64_t{its.waited_us}, 0);
    const std::int64_t way = common(its.to, its.received_ns) - common(its.from, its.sent_ns) - lay_us * 1000;
    return std::max<std::int64_t>(way, 0);
}

}  // namespace tmon_recovery
