// The options of 'magicwire sort', shared by the parts for traces of our own and of others.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <tmon_sorted/sort_trace.hpp>

#include "frame/patience_options.hpp"
#include "traces/standard_trace.hpp"

namespace cli {

struct SortCommand {
    std::string trace, by = "cause", to, out, progress = "auto", latency = "0";
    PatienceOptions patience;
    bool no_adjust = false, stats = false, json = false, force = false, strict = false, amortise = false, stamps = false;

    bool exported() const { return to == "csv" || to == "picl" || to == "picl-old"; }
    bool lines_to_stream() const { return out == "-" || (out.empty() && !stats && !json); }
};

// Passes text to standard output, to the file, or to nobody; `make` makes the text.
tmon_sorted::SortResult into_output(
    const SortCommand& options,
    const std::function<tmon_sorted::SortResult(const std::function<void(std::string_view)>&)>& make);

// A trace of another program (tmon_foreign/foreign_trace.hpp) in `file`. `wanted`: its order, latency and progress.
tmon_sorted::SortResult sort_foreign_trace(const SortCommand& options, const std::string& file,
                                           const tmon_sorted::SortOptions& wanted);

}  // namespace cli
