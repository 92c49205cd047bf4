#include <tmon_predicates/event_pattern.hpp>

#include <algorithm>

#include <trace_record/event_names.hpp>

namespace tmon_predicates {
namespace {

using trace_record::Event;
using trace_record::EventKind;

std::int64_t value_of(Field field, const Event& event) {
    const bool of_process = event.kind == EventKind::ProcessStart || event.kind == EventKind::ProcessEnd;
    switch (field) {
        case Field::Seq:
            return event.seq;
        case Field::Task:
            return event.task;
        case Field::SubTask:
            return event.subtask;
        case Field::Peer:
            return event.peer;
        case Field::Bytes:
            return event.bytes;
        case Field::Result:
            return event.is_result;
        case Field::Event:
            return static_cast<std::int32_t>(event.task);
        case Field::Process:
            return of_process ? event.peer : event.subtask;
        case Field::Number:
            return event.kind == EventKind::SendCall ? event.bytes : event.task;
        case Field::Value:
            return static_cast<std::int64_t>(std::uint64_t{event.bytes} << 32 | event.subtask);
        case Field::Name:
            break;
    }
    return 0;
}

template <class T>
bool compare(Comparison comparison, const T& has, const T& wanted) {
    switch (comparison) {
        case Comparison::Equal:
            return has == wanted;
        case Comparison::Unequal:
            return has != wanted;
        case Comparison::Less:
            return has < wanted;
        case Comparison::LessOrEqual:
            return has <= wanted;
        case Comparison::Greater:
            return has > wanted;
        case Comparison::GreaterOrEqual:
            return has >= wanted;
    }
    return false;
}

bool meets(const FieldCondition& condition, const Event& event) {
    if (condition.field != Field::Name) return compare(condition.comparison, value_of(condition.field, event), condition.value);
    return compare(condition.comparison, trace_record::process_name(event), condition.name);
}

}  // namespace

bool EventPattern::matches(const Event& event) const {
    if (event.kind != kind || (node && *node != event.node)) return false;
    return std::all_of(conditions.begin(), conditions.end(), [&](const FieldCondition& one) { return meets(one, event); });
}

bool EventPattern::may_be_in(const trace_record::LossRange& loss) const {
    return (!node || *node == loss.node) && loss.classes.has(trace_record::class_of(kind));
}

}  // namespace tmon_predicates
