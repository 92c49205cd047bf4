// EventClass: groups of events that are switched together. Node usage, standard and user-defined events: thesis, section 5.3.2;
// abstract events of TrEK: section 5.2. ClassSet: a set of classes, one bit each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <trace_record/event.hpp>

namespace trace_record {

enum class EventClass : std::uint8_t {
    Task = 0,     // abstract sends and receives of TrEK, which deTrEK reads
    Message = 1,  // standard: calls and ends of sends, receives and collectives of programs
    Process = 2,  // standard: starts and ends of processes
    Usage = 3,    // the node's work since the last global interrupt
    User = 4,     // the program's own events
    Clock = 5,    // the node's clock at a global interrupt; Tmon always records it
};
inline constexpr std::uint8_t event_classes = 6;

constexpr EventClass class_of(EventKind kind) {
    switch (kind) {
        case EventKind::Send:
        case EventKind::Receive:
            return EventClass::Task;
        case EventKind::MessageSend:
        case EventKind::MessageReceive:
        case EventKind::ReceiveCall:
        case EventKind::SendCall:
        case EventKind::Partner:
        case EventKind::Member:
        case EventKind::CollectiveBegin:
        case EventKind::CollectiveEnd:
            return EventClass::Message;
        case EventKind::ProcessStart:
        case EventKind::ProcessEnd:
            return EventClass::Process;
        case EventKind::NodeUsage:
            return EventClass::Usage;
        case EventKind::User:
            return EventClass::User;
        case EventKind::Synchronise:
            return EventClass::Clock;
    }
    return EventClass::Task;  // unknown kind: the class whose loss matters most
}

constexpr const char* class_name(EventClass which) {
    constexpr const char* names[event_classes] = {"task", "message", "process", "usage", "user", "clock"};
    return names[static_cast<std::uint8_t>(which)];
}

class ClassSet {
public:
    constexpr ClassSet() = default;
    template <class... Classes>
    static constexpr ClassSet of(Classes... which) {
        ClassSet set;
        (set.add(which), ...);
        return set;
    }
    static constexpr ClassSet all() { return from_bits((1U << event_classes) - 1); }
    static constexpr ClassSet from_bits(std::uint8_t bits) {
        ClassSet set;
        set.bits_ = bits;
        return set;
    }
    constexpr void add(EventClass which) { bits_ = static_cast<std::uint8_t>(bits_ | bit(which)); }
    constexpr void remove(EventClass which) { bits_ = static_cast<std::uint8_t>(bits_ & ~bit(which)); }
    constexpr bool has(EventClass which) const { return (bits_ & bit(which)) != 0; }
    constexpr bool empty() const { return bits_ == 0; }
    constexpr std::uint8_t bits() const { return bits_; }
    friend constexpr bool operator==(ClassSet, ClassSet) = default;

private:
    static constexpr unsigned bit(EventClass which) { return 1U << static_cast<unsigned>(which); }
    std::uint8_t bits_ = 0;
};

// Names with '+' between, as "task+user", or "all"; empty if a name is unknown.
constexpr std::optional<ClassSet> classes_named(std::string_view text) {
    if (text == "all") return ClassSet::all();
    ClassSet set;
    while (true) {
        const std::size_t end = text.find('+');
        const std::string_view name = text.substr(0, end);
        std::uint8_t which = 0;
        while (which < event_classes && name != class_name(static_cast<EventClass>(which))) ++which;
        if (which == event_classes) return std::nullopt;
        set.add(static_cast<EventClass>(which));
        if (end == std::string_view::npos) return set;
        text.remove_prefix(end + 1);
    }
}

}  // namespace trace_record
