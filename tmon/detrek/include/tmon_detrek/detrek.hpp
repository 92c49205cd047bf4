// deTrEK, the trace analyser of the thesis (Lin 1993, section 5.4.3), with the loss-aware sentence above its list.
// Usage: detrek [-h] [-v] [-c] [-o] [-p PREFIX], reads PREFIX.spf, PREFIX.tvm and, for what was lost, PREFIX.config when it is
// there. Without PREFIX.tvm it reads PREFIX.mwt, or PREFIX.mwt.incomplete and says that this is not all.
#pragma once

#include <string>

#include <tmon_detrek/verdict.hpp>

namespace tmon_detrek {

struct DetrekOptions {
    std::string prefix;      // -p
    bool help = false;       // -h
    bool verbose = false;    // -v: statistics below the list
    bool raw_ids = false;    // -c: no conversion of task ids; a sub-task is printed as the number it is
    bool write_bug = false;  // -o: the list also goes to PREFIX.bug
    bool force = false;      // replace an existing PREFIX.bug
    bool json = false;       // result.text is the JSON instead of the sentence and the list
};

struct DetrekResult {
    std::string text;
    std::string json;   // {"schema": "magicwire.detrek/1", ...}
    int exit_code = 0;  // 0 no fault, 1 a fault was found (certain or likely), 4 unknown
    Verdict verdict;
};

// Throws vocabulary::InputError for files that cannot be read or written (exit code 3).
DetrekResult run_detrek(const DetrekOptions& options);

// The same report for a trace in memory. name: what the report calls it.
DetrekResult report_detrek(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const DetrekOptions& options);

}  // namespace tmon_detrek
