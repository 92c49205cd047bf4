// Question: EXPR@LINE#N, an expression as one execution of a line begins.
//
//   sum@pi.c:42#17              sum as the 17th execution of line 42 begins
//   n3:compute_fn:sum@42        the process named; one source; the last execution
//   result.member[2]@image_group.c:86#1
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tmon_flowback/recorded_run.hpp>
#include <tmon_flowback/values.hpp>

namespace tmon_flowback {

struct Question {
    std::string process;  // empty: any
    std::string expression, file;
    int line = 0;
    std::optional<std::uint64_t> execution;  // from 1; none: the last one
};

// Throws vocabulary::InputError at the place that is wrong.
Question parse_question(const std::string& text);

struct Execution {
    std::string doubt;  // why there may be others before it; empty: there are none
    EventId at;
    std::uint64_t number = 0;  // 0: the last one; it is not counted
};

// Throws vocabulary::RequestError when there is no such line or execution; the error names what there is.
Execution find_execution(RecordedRun& run, const Question& question);

// The place of memory that an expression means before an event. Throws vocabulary::RequestError.
struct Meant {
    std::string name;
    std::uint64_t address = 0, bytes = 0;
    int type = 0;
};
Meant meaning_of(RecordedRun& run, const std::string& expression, const EventId& before);

// The bytes there before the event; none: the logs do not tell.
std::optional<std::vector<std::byte>> bytes_before(RecordedRun& run, const EventId& before, std::uint64_t address,
                                                   std::uint64_t bytes);
// The bytes that the program's text gives a part of a global; none: they are not known.
std::optional<std::vector<std::byte>> initial_bytes(const ProcessLog& log, const PreparedProgram& program, std::uint32_t global,
                                                    std::uint64_t address, std::uint64_t bytes);
// The bytes that an event put into [address, address + bytes), all of which it wrote; none: not kept.
std::optional<std::vector<std::byte>> bytes_written(RecordedRun& run, const EventId& event, std::uint64_t address,
                                                    std::uint64_t bytes);

}  // namespace tmon_flowback
