#include "degrade.hpp"

#include <algorithm>

namespace instrumentation {

using trace_record::Event;
using trace_record::LossCause;

namespace {

bool is_skeleton(const Event& event) {
    return trace_record::class_of(event.kind) == trace_record::EventClass::Task;
}
std::uint64_t task_of(const Event& event) {
    return std::uint64_t{event.task} << 32U | event.subtask;
}

}  // namespace

BufferPolicy::Choice Degrade::when_full(const Event& event, const boost::circular_buffer<Event>& buffered) {
    const auto detail = std::find_if_not(buffered.begin(), buffered.end(), is_skeleton);
    if (detail != buffered.end())
        return {Choice::What::LoseBuffered, static_cast<std::size_t>(detail - buffered.begin()), LossCause::Thinned};
    if (!is_skeleton(event)) return {Choice::What::LoseNew, 0, LossCause::Thinned};
    tasks_.clear();
    for (std::size_t i = 0; i < buffered.size(); ++i) tasks_.emplace_back(task_of(buffered[i]), i);
    tasks_.emplace_back(task_of(event), buffered.size());
    std::sort(tasks_.begin(), tasks_.end());
    std::size_t oldest = buffered.size();
    for (std::size_t i = 0; i + 1 < tasks_.size(); ++i) {
        if (tasks_[i].first == tasks_[i + 1].first) oldest = std::min(oldest, tasks_[i].second);
    }
    if (oldest < buffered.size()) return {Choice::What::LoseBuffered, oldest, LossCause::Overwritten};
    return {Choice::What::LoseNew, 0, LossCause::BufferFull};
}

}  // namespace instrumentation
