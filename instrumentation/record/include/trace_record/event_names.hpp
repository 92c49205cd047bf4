// The names of kinds, classes and causes in files and texts, each written once (docs/formats/event_record.md).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <trace_record/event.hpp>
#include <trace_record/event_class.hpp>
#include <trace_record/loss_range.hpp>

namespace trace_record {

inline constexpr std::size_t event_kinds = 16;  // indexed by number; 0 stands for unknown kinds

struct KindNames {
    const char* column;  // in columns of .tvm and .all: "recv"
    const char* word;    // in exports: "receive"
    const char* many;    // in counts: "receives"
};

// The index of a kind in a list by number.
constexpr std::size_t kind_number(EventKind kind) {
    const auto number = static_cast<std::size_t>(kind);
    return number < event_kinds ? number : 0;
}
const KindNames& kind_names(EventKind kind);
inline const char* kind_name(EventKind kind) {
    return kind_names(kind).word;
}
// The name in a ProcessStart or ProcessEnd, at most 12 characters. Characters that cannot be printed are '?'.
std::string process_name(const Event& event);
// "all-to-all"; "unknown" for a number that is no operation.
std::string_view collective_name(Collective operation);
// "unknown" for a number that is no cause.
std::string_view loss_cause_name(LossCause cause);
// "task", "message+user", or "all".
std::string classes_text(ClassSet classes);

}  // namespace trace_record
