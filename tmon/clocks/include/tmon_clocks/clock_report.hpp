// The report of `magicwire clocks`: the interrupts that tie the clocks together, the drift of each clock, and the accuracy. It
// uses the records alone. Where true time is known, clock_errors.hpp adds the errors against it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <tmon_clocks/causality_check.hpp>
#include <tmon_clocks/clock_adjustment.hpp>
#include <trace_record/trace_file.hpp>

namespace tmon_clocks {

struct ClockReport {
    const ClockAdjustment& adjustment;
    CausalityCheck raw, adjusted;
    std::string trace_status = "complete";  // as in StoredTrace, like trace_end
    trace_record::TraceEnd trace_end = trace_record::TraceEnd::Complete;
};

// At most 128 columns a line; ends with a new line.
std::string clock_text(const ClockReport& report);
// {"schema": "magicwire.clocks/1", ...}
nlohmann::ordered_json clock_json(const ClockReport& report);

// Parts shared with the comparison with true time.
std::string us_text(double value);  // "12.3 us", "10.500 ms"
std::string check_text(const char* name, const CausalityCheck& check);
nlohmann::ordered_json check_json(const CausalityCheck& check);

}  // namespace tmon_clocks
