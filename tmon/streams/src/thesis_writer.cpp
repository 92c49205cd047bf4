// Writers of .tvm, .all and .bug, and tvmfilter.
#include <fmt/format.h>

#include <iterator>

#include <text/output_file.hpp>
#include <tmon_streams/task_view.hpp>
#include <tmon_streams/thesis_files.hpp>
#include "event_types.hpp"

namespace tmon_streams {

namespace {

// Writes a line for each record, some records at a time.
template <class Line>
void write_lines(const std::string& path, const Trace& trace, text::Replace replace, Line&& line) {
    constexpr std::size_t enough = 1 << 18;
    const auto lines = [&](const text::PieceWriter& write) {
        fmt::memory_buffer out;
        const auto flush = [&] {
            write({out.data(), out.size()});
            out.clear();
        };
        for (const Stream& stream : trace.streams) {
            for (const auto part : stream.in_passing()) {
                for (const Event& event : part) line(out, event);
                if (out.size() >= enough) flush();
            }
        }
        flush();
    };
    text::write_text_file(path, lines, replace);
}

}  // namespace

void write_tvm(const std::string& path, const Trace& trace, text::Replace replace) {
    write_lines(path, trace, replace, [](fmt::memory_buffer& out, const Event& e) {
        if (!is_task_event(e)) return;
        fmt::format_to(std::back_inserter(out), "{} {} {} {} {} {:04x}\n", e.time_us, e.node, event_type_name(e.kind), e.peer,
                       e.task, e.subtask);
    });
}

void write_all(const std::string& path, const Trace& trace, text::Replace replace) {
    write_lines(path, trace, replace, [](fmt::memory_buffer& out, const Event& e) {
        fmt::format_to(std::back_inserter(out), "{} {} {} {} {} {} {:04x} {} {}\n", e.seq, e.time_us, e.node,
                       event_type_name(e.kind), e.peer, e.task, e.subtask,
                       !is_task_event(e)  ? "-"
                       : e.is_result != 0 ? "result"
                                          : "task",
                       e.bytes);
    });
}

std::uint64_t tvmfilter(const std::string& prefix, text::Replace replace) {
    const Trace trace = read_all(prefix + ".all", read_config(prefix + ".config"));
    write_tvm(prefix + ".tvm", trace, replace);
    return task_view(trace).size();
}

void write_bug(const std::string& path, const std::vector<BugLine>& lines, text::Replace replace) {
    std::string text;
    for (const BugLine& line : lines) text += fmt::format("{} {} {} {}\n", line.error, line.task, line.node, line.process);
    text::write_text_file(path, text, replace);
}

}  // namespace tmon_streams
