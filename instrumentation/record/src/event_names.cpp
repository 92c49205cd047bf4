#include <trace_record/event_names.hpp>

#include <iterator>

namespace trace_record {

const KindNames& kind_names(EventKind kind) {
    static constexpr KindNames names[event_kinds] = {{"unknown", "unknown", "of unknown kinds"},
                                                     {"send", "send", "sends"},
                                                     {"recv", "receive", "receives"},
                                                     {"msend", "message-send", "message sends"},
                                                     {"mrecv", "message-receive", "message receives"},
                                                     {"rcall", "receive-call", "receive calls"},
                                                     {"pstart", "process-start", "process starts"},
                                                     {"pend", "process-end", "process ends"},
                                                     {"usage", "node-usage", "node usage"},
                                                     {"sync", "synchronise", "synchronise"},
                                                     {"user", "user", "user"},
                                                     {"scall", "send-call", "send calls"},
                                                     {"partner", "partner", "partners of receives"},
                                                     {"member", "member", "members of groups"},
                                                     {"cbegin", "collective-begin", "beginnings of collectives"},
                                                     {"cend", "collective-end", "ends of collectives"}};
    return names[kind_number(kind)];
}

std::string process_name(const Event& event) {
    std::string name;
    for (const std::uint32_t word : {event.task, event.subtask, event.bytes}) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            const char c = static_cast<char>(word >> shift & 0xFF);
            if (c == 0) return name;
            name += c >= ' ' && c <= '~' && c != '"' && c != '\\' ? c : '?';
        }
    }
    return name;
}

std::string_view collective_name(Collective operation) {
    static constexpr std::string_view names[] = {"unknown", "multicast", "combine", "concatenate", "prefix",
                                                 "shift",   "exchange",  "barrier", "all-to-all"};
    const auto number = static_cast<std::size_t>(operation);
    return names[number < std::size(names) ? number : 0];
}

std::string_view loss_cause_name(LossCause cause) {
    static constexpr std::string_view names[loss_causes] = {"unknown", "buffer-full", "node-died", "link-lost",
                                                            "damaged", "overwritten", "thinned",   "switched-off"};
    const auto number = static_cast<std::size_t>(cause);
    return names[number < loss_causes ? number : 0];
}

std::string classes_text(ClassSet classes) {
    if (classes == ClassSet::all()) return "all";
    std::string text;
    for (std::uint8_t i = 0; i < event_classes; ++i) {
        const auto which = static_cast<EventClass>(i);
        if (classes.has(which)) text += std::string(text.empty() ? "" : "+") + class_name(which);
    }
    return text;
}

}  // namespace trace_record
