// Slices: all statements that a value depends on, or all that depend on it, over calls, messages and nodes. They follow the
// executions that happened (Agrawal and Horgan 1990), by data and by control.
//
// Cost: linear in the events that are passed, some 50 ns each, beside their emulation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tmon_flowback/origins.hpp>
#include <tmon_flowback/question.hpp>

namespace tmon_flowback {

// A line of the source in one process.
struct SlicedLine {
    std::uint32_t process = 0;
    int file = 0, line = 0;
    std::uint64_t executions = 0;  // of the line that belong to the slice
    EventId last;                  // an event of the last one
};

struct Slice {
    EventId at;                     // the execution that was asked about
    std::vector<SlicedLine> lines;  // by process, file and line
    Certainty certainty = Certainty::Certain;
    std::vector<std::string> doubts;  // why lines may be missing, or be too many
    std::uint64_t emulated = 0;
    std::vector<std::string> differences, damaged;
};

// The place that the question means, as the execution of its line begins: what it depends on. Throws as find_execution() and
// meaning_of() do.
Slice backward_slice(RecordedRun& run, const Question& question);
// The same place: what depends on the value that it has then.
Slice forward_slice(RecordedRun& run, const Question& question);

std::string text_of(const RecordedRun& run, const Slice& slice);
nlohmann::ordered_json json_of(const RecordedRun& run, const Slice& slice);

}  // namespace tmon_flowback
