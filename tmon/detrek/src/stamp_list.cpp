#include <tmon_detrek/stamp_list.hpp>

#include <fmt/format.h>

#include <iterator>

#include <tmon_order/logical_time.hpp>
#include <tmon_streams/task_view.hpp>
#include <trace_record/event_names.hpp>

namespace tmon_detrek {

namespace {

constexpr std::size_t piece_bytes = 1 << 16;

const char* kind_of(const Event& event) {
    return event.is_result != 0 ? "result" : "task";
}

void text_line(fmt::memory_buffer& out, const Event& e, const tmon_order::VectorStamp& stamp, const farm_spec::FarmSpec& spec) {
    fmt::format_to(std::back_inserter(out), "n{}:{} {} {} n{} {} {} {} {}\n", e.node, e.seq, e.time_us,
                   trace_record::kind_names(e.kind).column, e.peer, kind_of(e), e.task, subtask_text(e.subtask, spec),
                   fmt::join(stamp, ","));
}

void json_line(fmt::memory_buffer& out, const Event& e, const tmon_order::VectorStamp& stamp, const farm_spec::FarmSpec& spec) {
    fmt::format_to(
        std::back_inserter(out),
        R"({{"schema":"magicwire.stamp/1","id":"n{}:{}","node_us":{},"type":"{}","peer":{},"kind":"{}","task":{},"subtask":"{}","stamp":[{}]}})"
        "\n",
        e.node, e.seq, e.time_us, trace_record::kind_names(e.kind).column, e.peer, kind_of(e), e.task,
        subtask_text(e.subtask, spec), fmt::join(stamp, ","));
}

}  // namespace

void list_stamps(const DetrekInput& input, StampForm form, const std::function<void(std::string_view)>& write) {
    const tmon_streams::Trace tasks = tmon_streams::task_view(input.trace);
    struct Cursor {  // the replay visits the events of a node in their order, so none is searched
        std::size_t part = 0, index = 0;
    };
    std::vector<Cursor> at(tasks.streams.size());
    fmt::memory_buffer out;
    if (form == StampForm::Text) out.append(std::string_view("ID PTIME TYPE PEER KIND TASK SUBTASK LTIME\n"));
    const tmon_order::LogicalTime order(tasks, [&](tmon_order::EventRef ref, const tmon_order::VectorStamp& stamp) {
        const tmon_streams::Stream& stream = tasks.streams[ref.node];
        Cursor& cursor = at[ref.node];
        while (cursor.index == stream.parts[cursor.part].size()) cursor = {cursor.part + 1, 0};
        const Event& event = stream.parts[cursor.part][cursor.index++];
        form == StampForm::Text ? text_line(out, event, stamp, input.spec) : json_line(out, event, stamp, input.spec);
        if (out.size() < piece_bytes) return;
        write({out.data(), out.size()});
        out.clear();
    });
    write({out.data(), out.size()});
}

}  // namespace tmon_detrek
