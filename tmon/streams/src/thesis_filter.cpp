// tvmfilter: the records of an .all by class, a text file each (thesis, Lin 1993, sections 5.3.3 and 6.1).
#include <fmt/format.h>

#include <iterator>

#include <text/output_file.hpp>
#include <tmon_streams/task_view.hpp>
#include <tmon_streams/thesis_files.hpp>
#include "event_types.hpp"
#include "record_lines.hpp"

namespace tmon_streams {

namespace {

std::int32_t event_number(const Event& e) {
    return static_cast<std::int32_t>(e.task);
}

void usage_line(fmt::memory_buffer& out, const Event& e) {
    fmt::format_to(std::back_inserter(out), "{} {} {} {} {} {} {} {} {}\n", e.time_us, e.node, e.task, e.subtask,
                   e.bytes & 0xFF, e.bytes >> 8 & 0xFF, e.bytes >> 16 & 0xFF, e.bytes >> 24, e.peer);
}

void user_line(fmt::memory_buffer& out, const Event& e) {
    fmt::format_to(std::back_inserter(out), "{} {} {} {}\n", e.time_us, e.node, e.task,
                   e.subtask | std::uint64_t{e.bytes} << 32);
}

void standard_line(fmt::memory_buffer& out, const Event& e) {
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "{} {} {}", e.time_us, e.node, event_type_name(e.kind));
    switch (e.kind) {
        case EventKind::MessageSend:
        case EventKind::MessageReceive:
            fmt::format_to(to, " {} {} {} {}\n", e.peer, event_number(e), e.subtask, e.bytes);
            return;
        case EventKind::SendCall:
            fmt::format_to(to, " {} {} {} {}\n", e.peer, event_number(e), e.subtask, e.bytes);
            return;
        case EventKind::Partner:
            fmt::format_to(to, " {} {} {}\n", e.peer, e.task, e.subtask);
            return;
        case EventKind::Member:
        case EventKind::CollectiveBegin:
        case EventKind::CollectiveEnd:
            fmt::format_to(to, " {} {} {} {}\n", e.peer, e.task, e.subtask, e.bytes);
            return;
        case EventKind::ReceiveCall:
            fmt::format_to(to, " {} {}\n", event_number(e), e.subtask);
            return;
        case EventKind::ProcessStart:
        case EventKind::ProcessEnd:
            fmt::format_to(to, " {} {}\n", e.peer, trace_record::process_name(e));
            return;
        default:
            fmt::format_to(to, " {}\n", e.task);  // a clock interrupt
    }
}

}  // namespace

FilteredEvents tvmfilter(const std::string& prefix, text::Replace replace) {
    const Trace trace = read_all(prefix + ".all", read_config(prefix + ".config"));
    for (const char* ending : {".tvm", ".usage", ".standard", ".user"}) text::check_output_file(prefix + ending, replace);
    FilteredEvents count;
    write_tvm(prefix + ".tvm", trace, replace);
    count.task = task_view(trace).size();
    write_record_lines(prefix + ".usage", trace, replace, [&](fmt::memory_buffer& out, const Event& e) {
        if (e.kind != EventKind::NodeUsage) return;
        ++count.usage;
        usage_line(out, e);
    });
    write_record_lines(prefix + ".standard", trace, replace, [&](fmt::memory_buffer& out, const Event& e) {
        if (is_task_event(e) || e.kind == EventKind::NodeUsage || e.kind == EventKind::User) return;
        ++count.standard;
        standard_line(out, e);
    });
    write_record_lines(prefix + ".user", trace, replace, [&](fmt::memory_buffer& out, const Event& e) {
        if (e.kind != EventKind::User) return;
        ++count.user;
        user_line(out, e);
    });
    return count;
}

std::string filtered_text(const FilteredEvents& events, const std::string& prefix) {
    return fmt::format("{} events in {}.tvm; {} in .usage, {} in .standard, {} in .user", events.task, prefix, events.usage,
                       events.standard, events.user);
}

}  // namespace tmon_streams
