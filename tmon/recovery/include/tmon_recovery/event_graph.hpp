// EventGraph: the sends and receives of a message-passing program that has run, with their times. All of recovery works on it.
// Thoai and Volkert, "An approach to providing small-waiting time during debugging message-passing programs" (2003), section 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tmon_recovery {

using ProcessNo = std::uint32_t;
using EventNo = std::uint32_t;    // of one process: 1 is its first event; 0: none
using MessageNo = std::uint32_t;  // place in the list

// Answer: a sender waited for its receiver, and this is the way back. It orders events as a message does, and carries nothing.
enum class MessageKind : std::uint8_t { Message, Part, Answer };

// Times are nanoseconds of the clock of the process. 40 bytes, as in files (docs/formats/mwr.md).
struct Message {
    EventNo sent = 0, received = 0;  // received 0: nobody has
    std::uint16_t from = 0, to = 0;
    std::uint16_t sent_line = 0, received_line = 0;  // in a list of source lines; 0: unknown
    std::uint32_t bytes = 0;
    // Above 0: so long the receiver had waited in its call. Below: so long the message had lain ready; 0: that is not known.
    std::int32_t waited_us = 0;
    std::int64_t sent_ns = 0, received_ns = 0;
    MessageKind kind() const { return static_cast<MessageKind>(bytes >> kind_shift); }
    std::uint32_t size() const { return bytes & ((1U << kind_shift) - 1); }
    static constexpr unsigned kind_shift = 30;
    static std::uint32_t with_kind(MessageKind kind, std::uint32_t size) {
        return (static_cast<std::uint32_t>(kind) << kind_shift) | size;
    }
};
static_assert(sizeof(Message) == 40);

// The clock of a process shows begin_ns when it begins. Then the time that all share is `begin_common_ns`, and it goes on by
// `1 + drift_ppb / 10^9` for each unit of the clock.
struct ProcessSpan {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int64_t begin_common_ns = 0;
    std::int32_t drift_ppb = 0, unused = 0;
};

class EventGraph {
public:
    // Why these are no run: an event is missing or is there twice, times of a process go back. Empty: they are one, unless
    // messages depend on each other in a circle (Intervals::has_circle()). Linear.
    static const char* fault(std::span<const ProcessSpan> processes, std::span<const Message> messages);
    // They must have no fault. Linear; 8 bytes for each message beside it.
    EventGraph(std::vector<ProcessSpan> processes, std::vector<Message> messages);

    std::size_t processes() const { return spans_.size(); }
    const std::vector<Message>& messages() const { return messages_; }
    const ProcessSpan& span(ProcessNo process) const { return spans_[process]; }
    EventNo events(ProcessNo process) const { return static_cast<EventNo>(first_[process + 1] - first_[process]); }

    MessageNo message_of(ProcessNo process, EventNo event) const { return entry(process, event) >> 1; }
    bool is_receive(ProcessNo process, EventNo event) const { return (entry(process, event) & 1U) != 0; }
    // Event 0 is the begin of the process.
    std::int64_t time(ProcessNo process, EventNo event) const {
        if (event == 0) return spans_[process].begin_ns;
        const Message& its = messages_[message_of(process, event)];
        return is_receive(process, event) ? its.received_ns : its.sent_ns;
    }
    std::int64_t common(ProcessNo process, std::int64_t clock_ns) const {
        const ProcessSpan& its = spans_[process];
        const std::int64_t since = clock_ns - its.begin_ns;
        return its.begin_common_ns + since + drift_in(since, its.drift_ppb);
    }
    // The clock of the process when all share this time.
    std::int64_t clock(ProcessNo process, std::int64_t common_ns) const;
    // From the sending of a message to its arrival; to its receive, when it lay ready for an unknown time.
    std::int64_t flight_ns(MessageNo message) const;

    // Calls `visit(process, event)` for each event, causes before effects.
    template <typename Visit>
    void for_each(Visit visit) const;

private:
    static std::int64_t drift_in(std::int64_t ns, std::int32_t ppb) {
        return ns / 1'000'000'000 * ppb + ns % 1'000'000'000 * ppb / 1'000'000'000;
    }
    std::uint32_t entry(ProcessNo process, EventNo event) const { return entries_[first_[process] + event - 1]; }

    std::vector<ProcessSpan> spans_;
    std::vector<Message> messages_;
    std::vector<std::size_t> first_;      // of each process in `entries_`
    std::vector<std::uint32_t> entries_;  // message and, in the lowest bit, whether it is received
};

template <typename Visit>
void EventGraph::for_each(Visit visit) const {
    std::vector<EventNo> next(processes(), 1);
    std::vector<bool> parked(processes(), false);  // its next event is the receive of a message that is not sent yet
    std::vector<ProcessNo> ready;
    for (std::size_t process = processes(); process > 0; --process) ready.push_back(static_cast<ProcessNo>(process - 1));
    while (!ready.empty()) {
        const ProcessNo process = ready.back();
        ready.pop_back();
        for (; next[process] <= events(process); ++next[process]) {
            const Message& its = messages_[message_of(process, next[process])];
            if (is_receive(process, next[process])) {
                if (next[its.from] <= its.sent) {
                    parked[process] = true;
                    break;
                }
                visit(process, next[process]);
                continue;
            }
            visit(process, next[process]);
            const bool wakes = parked[its.to] && its.received == next[its.to];
            if (!wakes) continue;
            parked[its.to] = false;
            ready.push_back(its.to);
        }
    }
}

}  // namespace tmon_recovery
