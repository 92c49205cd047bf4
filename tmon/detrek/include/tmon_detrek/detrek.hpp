// deTrEK, the trace analyser of the thesis (Lin 1993, section 5.4.3), with a loss-aware verdict above its list. Usage: detrek
// [-h] [-v] [-c] [-o] [-p PREFIX] [--model FILE]. -c turns off a conversion of ids; there is none here, so it changes nothing.
// It reads PREFIX.spf, PREFIX.tvm and, for the losses, PREFIX.config if that exists. Without PREFIX.tvm it reads PREFIX.mwt, or
// PREFIX.mwt.incomplete and reports that the trace is not whole.
#pragma once

#include <string>

#include <tmon_detrek/verdict.hpp>

namespace tmon_detrek {

struct DetrekOptions {
    std::string prefix;      // -p
    bool help = false;       // -h
    bool verbose = false;    // -v: print statistics below the list
    bool write_bug = false;  // -o: the list goes to PREFIX.bug instead of the text
    bool force = false;      // replace an existing PREFIX.bug
    std::string model{};     // --model: file of a fault model; empty: the one that PREFIX.spf names, else pfvm or dcvm
    bool json = false;       // result.text is JSON instead of verdict and list
};

// A trace that deTrEK reads, with its specification.
struct DetrekInput {
    tmon_streams::Trace trace;
    farm_spec::FarmSpec spec;
    std::string warning;  // a sentence when the stored trace is not whole
    std::string status;   // the trace's own words on that
    bool damaged = false;
};

struct DetrekResult {
    std::string text;
    std::string json;   // {"schema": "magicwire.detrek/1", ...}
    int exit_code = 0;  // 0 no fault, 1 a fault was found (certain or likely), 4 unknown
    Verdict verdict;
};

// A .spf whose model, if it names one, is built in and fits the other numbers; pfvm and dcvm are farms. Throws
// vocabulary::InputError.
farm_spec::FarmSpec read_specification(const std::string& path);

// Throws vocabulary::InputError for files that cannot be read (exit code 3).
DetrekInput read_detrek_input(const std::string& prefix);

// Throws vocabulary::InputError for files that cannot be read or written (exit code 3).
DetrekResult run_detrek(const DetrekOptions& options);

// The same report for a trace in memory. `folded`: see analyse().
DetrekResult report_detrek(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const DetrekOptions& options,
                           const FoldedTasks& folded = {});

}  // namespace tmon_detrek
