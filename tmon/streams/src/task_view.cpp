#include <tmon_streams/task_view.hpp>

#include <algorithm>
#include <deque>
#include <iterator>

#include <tmon_streams/thesis_files.hpp>

namespace tmon_streams {

using trace_record::EventClass;

namespace {

using Storage = std::deque<std::vector<Event>>;  // keeps its elements in place

Stream view_of(const Stream& stream, Storage& storage) {
    Stream view;
    view.node = stream.node;
    view.state = stream.state;
    std::copy_if(stream.losses.begin(), stream.losses.end(), std::back_inserter(view.losses),
                 [](const LossRange& range) { return range.classes.has(EventClass::Task); });
    view.store = stream.store;
    view.folded = stream.folded;
    std::size_t number = 0;
    for (std::span<const Event> part : stream.in_passing()) {
        const std::uint64_t unloaded_us = stream.unloaded(number++);
        if (!std::all_of(part.begin(), part.end(), is_task_event)) {
            std::vector<Event>& kept = storage.emplace_back();
            std::copy_if(part.begin(), part.end(), std::back_inserter(kept), is_task_event);
            part = kept;
        }
        if (part.empty()) continue;
        view.parts.push_back(part);
        view.unloaded_us.push_back(unloaded_us);
    }
    return view;
}

}  // namespace

bool is_task_event(const Event& event) {
    return trace_record::class_of(event.kind) == EventClass::Task;
}

Trace task_view(const Trace& trace) {
    Trace view = trace;
    const auto storage = std::make_shared<Storage>();
    view.streams.clear();
    for (const Stream& stream : trace.streams) view.streams.push_back(view_of(stream, *storage));
    view.keep.push_back(storage);
    return view;
}

std::string losses_text(const std::vector<LossRange>& losses, std::size_t most) {
    std::string text;
    std::uint64_t records = 0;
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const LossRange& range = losses[i];
        if (i >= most) {
            records += range.last_seq - range.first_seq + std::uint64_t{1};
            continue;
        }
        const bool hides_tasks = range.classes.has(EventClass::Task);
        text += std::string(text.empty() ? "" : ", ") + std::to_string(range.first_seq) + "-" + std::to_string(range.last_seq) +
                " (" + std::string(loss_cause_name(range.cause)) +
                (hides_tasks ? "" : ", " + classes_text(range.classes) + " only") + ")";
    }
    if (losses.size() > most)
        text += ", and " + std::to_string(losses.size() - most) + " more with " + std::to_string(records) + " records";
    return text;
}

}  // namespace tmon_streams
