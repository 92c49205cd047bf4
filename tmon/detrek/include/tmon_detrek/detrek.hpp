// deTrEK, the trace analyser of the thesis (Lin 1993, section 5.4.3), with a loss-aware verdict above its list. Usage: detrek
// [-h] [-v] [-c] [-o] [-p PREFIX]. It reads PREFIX.spf, PREFIX.tvm and, for the losses, PREFIX.config if that exists. Without
// PREFIX.tvm it reads PREFIX.mwt, or PREFIX.mwt.incomplete and reports that the trace is not whole.
#pragma once

#include <string>

#include <tmon_detrek/verdict.hpp>

namespace tmon_detrek {

struct DetrekOptions {
    std::string prefix;      // -p
    bool help = false;       // -h
    bool verbose = false;    // -v: print statistics below the list
    bool raw_ids = false;    // -c: print sub-task ids as plain numbers
    bool write_bug = false;  // -o: the list also goes to PREFIX.bug
    bool force = false;      // replace an existing PREFIX.bug
    bool json = false;       // result.text is JSON instead of verdict and list
};

struct DetrekResult {
    std::string text;
    std::string json;   // {"schema": "magicwire.detrek/1", ...}
    int exit_code = 0;  // 0 no fault, 1 a fault was found (certain or likely), 4 unknown
    Verdict verdict;
};

// Throws vocabulary::InputError for files that cannot be read or written (exit code 3).
DetrekResult run_detrek(const DetrekOptions& options);

// The same report for a trace in memory.
DetrekResult report_detrek(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const DetrekOptions& options);

}  // namespace tmon_detrek
