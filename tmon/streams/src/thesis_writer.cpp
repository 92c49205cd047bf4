// Writers of .tvm, .all and .bug.
#include <fmt/format.h>

#include <iterator>

#include <text/output_file.hpp>
#include <tmon_streams/task_view.hpp>
#include <tmon_streams/thesis_files.hpp>
#include "event_types.hpp"
#include "record_lines.hpp"

namespace tmon_streams {

void write_tvm(const std::string& path, const Trace& trace, text::Replace replace) {
    write_record_lines(path, trace, replace, [](fmt::memory_buffer& out, const Event& e) {
        if (!is_task_event(e)) return;
        fmt::format_to(std::back_inserter(out), "{} {} {} {} {} {:04x}\n", e.time_us, e.node, event_type_name(e.kind), e.peer,
                       e.task, e.subtask);
    });
}

void write_all(const std::string& path, const Trace& trace, text::Replace replace) {
    write_record_lines(path, trace, replace, [](fmt::memory_buffer& out, const Event& e) {
        fmt::format_to(std::back_inserter(out), "{} {} {} {} {} {} {:04x} {} {}\n", e.seq, e.time_us, e.node,
                       event_type_name(e.kind), e.peer, e.task, e.subtask,
                       !is_task_event(e)  ? "-"
                       : e.is_result != 0 ? "result"
                                          : "task",
                       e.bytes);
    });
}

void write_bug(const std::string& path, const std::vector<BugLine>& lines, text::Replace replace) {
    std::string text;
    for (const BugLine& line : lines) text += fmt::format("{} {} {} {}\n", line.error, line.task, line.node, line.process);
    text::write_text_file(path, text, replace);
}

}  // namespace tmon_streams
