#include <algorithm>

#include <trace_record/event_class.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include "exporter.hpp"

namespace tmon_export {

const std::vector<std::string>& format_names() {
    static const std::vector<std::string> names = {"perfetto", "sqlite", "csv", "picl", "picl-old", "vcd"};
    return names;
}

Format format_of(const std::string& name) {
    const auto& names = format_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<Format>(found - names.begin());
    std::string all;
    for (const std::string& each : names) all += (all.empty() ? "" : ", ") + each;
    throw vocabulary::InputError({"--to " + name, 0, 0},
                                 "no such format" + vocabulary::did_you_mean(name, names) + "; there are " + all);
}

bool is_text(Format format) {
    return format != Format::Perfetto && format != Format::Sqlite;
}

const char* kind_name(EventKind kind) {
    constexpr const char* names[event_kinds] = {"unknown",         "send",         "receive",       "message-send",
                                                "message-receive", "receive-call", "process-start", "process-end",
                                                "node-usage",      "synchronise",  "user"};
    const auto number = static_cast<std::size_t>(kind);
    return number < event_kinds ? names[number] : names[0];
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

std::string classes_text(trace_record::ClassSet classes) {
    if (classes == trace_record::ClassSet::all()) return "all";
    std::string text;
    for (std::uint8_t i = 0; i < trace_record::event_classes; ++i) {
        const auto which = static_cast<trace_record::EventClass>(i);
        if (classes.has(which)) text += (text.empty() ? "" : "+") + std::string(trace_record::class_name(which));
    }
    return text;
}

}  // namespace tmon_export
