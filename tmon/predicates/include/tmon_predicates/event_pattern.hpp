// EventPattern: records that a predicate names, as `receive(n3, task=49)`: a kind, perhaps a node, and conditions on fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>

namespace tmon_predicates {

// Fields as of docs/formats/event_record.md, under the names that docs/guide/predicates.md lists.
enum class Field : std::uint8_t { Seq, Task, SubTask, Peer, Bytes, Result, Event, Process, Number, Name, Value };

enum class Comparison : std::uint8_t { Equal, Unequal, Less, LessOrEqual, Greater, GreaterOrEqual };

struct FieldCondition {
    Field field = Field::Task;
    Comparison comparison = Comparison::Equal;
    std::int64_t value = 0;
    std::string name{};  // Field::Name
};

struct EventPattern {
    trace_record::EventKind kind = trace_record::EventKind::Receive;
    std::optional<std::uint16_t> node{};  // empty: any
    std::vector<FieldCondition> conditions{};

    bool matches(const trace_record::Event& event) const;
    // True when one of the lost records may have been such an event.
    bool may_be_in(const trace_record::LossRange& loss) const;
};

}  // namespace tmon_predicates
