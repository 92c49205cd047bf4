// The report of `magicwire clocks`: which interrupts tie the clocks together, what each clock does, and how good that is. It
// works from the records alone; where the truth is known, it also compares with that.
#pragma once

#include <optional>
#include <string>

#include "tmon/clock_errors.hpp"
#include "trace_record/trace_file.hpp"

namespace tmon {

struct ClockReport {
    const ClockAdjustment& adjustment;
    CausalityCheck raw, adjusted;
    std::optional<ClockErrors> errors;      // with an oracle
    std::string trace_status = "complete";  // as StoredTrace says, likewise
    trace_record::TraceEnd trace_end = trace_record::TraceEnd::Complete;
};

// At most 128 columns a line.
std::string clock_text(const ClockReport& report);
// {"schema": "magicwire.clocks/1", ...}
std::string clock_json(const ClockReport& report);

}  // namespace tmon
